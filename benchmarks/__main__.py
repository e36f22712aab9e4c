"""Run with ``make bench``."""

import platform

import numpy as np

from benchmarks import fit

print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}")
fit.run()
