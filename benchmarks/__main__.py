"""Run with ``make bench``; ``python -m benchmarks geometry`` runs one part.

``ablation``, ``memory``, ``recovery`` and ``scaling`` take up to half an hour each: by name only.
"""

import platform
import sys

import numpy as np

from benchmarks import ablation, coding, dictionary, fit, geometry, lbp, recovery, scaling

PARTS = {part.__name__.split(".")[1]: part.run for part in (fit, geometry, coding, dictionary, lbp)}
BY_NAME = {
    "ablation": ablation.run,
    "memory": scaling.measure_memory,
    "recovery": recovery.run,
    "scaling": scaling.run,
}

print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}")
names = [name for name in sys.argv[1:] if not name.replace(".", "").isdigit()]
for name in names or PARTS:
    {**PARTS, **BY_NAME}[name]()
