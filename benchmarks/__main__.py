"""Run with ``make bench``; ``python -m benchmarks geometry`` runs one part.

``accuracy`` and ``learning`` take an hour each and are run by name only.
"""

import platform
import sys

import numpy as np

from benchmarks import accuracy, coding, dictionary, fit, geometry, lbp, learning

PARTS = {part.__name__.split(".")[1]: part.run for part in (fit, geometry, coding, dictionary, lbp)}

print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}")
for name in sys.argv[1:] or PARTS:
    {**PARTS, "accuracy": accuracy.run, "learning": learning.run}[name]()
