"""Run with ``make bench``; ``python -m benchmarks geometry`` runs one part."""

import platform
import sys

import numpy as np

from benchmarks import fit, geometry

PARTS = {"fit": fit.run, "geometry": geometry.run}

print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}")
for name in sys.argv[1:] or PARTS:
    PARTS[name]()
