"""Run with ``make bench``; ``python -m benchmarks geometry`` runs one part.

``memory``, ``missing_accuracy``, ``missing_coverage``, ``random_accuracy``, ``recovery`` and
``scaling`` run by name only, up to an hour each.
"""

import platform
import sys

import numpy as np

from benchmarks import (
    coding,
    dictionary,
    fit,
    geometry,
    lbp,
    missing,
    random_systems,
    recovery,
    scaling,
)

PARTS = {
    part.__name__.split(".")[1]: part.run
    for part in (fit, geometry, coding, dictionary, lbp, missing, random_systems)
}
BY_NAME = {
    "memory": scaling.measure_memory,
    "missing_accuracy": missing.run_accuracy,
    "missing_coverage": missing.run_coverage,
    "random_accuracy": random_systems.measure_accuracy,
    "recovery": recovery.run,
    "scaling": scaling.run,
}

print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}")
names = [name for name in sys.argv[1:] if name in {**PARTS, **BY_NAME}]
for name in names or PARTS:
    {**PARTS, **BY_NAME}[name]()
