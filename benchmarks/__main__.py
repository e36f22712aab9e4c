"""Run with ``make bench``; ``python -m benchmarks geometry`` runs one part.

``first``, ``growth``, ``learning``, ``memory``, ``missing_accuracy``, ``missing_coverage``,
``novelty``, ``random_accuracy``, ``recovery``, ``regression``, ``regression_expected``,
``scaling``, ``search`` and ``search_embedding`` run by name only, up to an hour each.
"""

import platform
import sys

import numpy as np

from benchmarks import (
    coding,
    dictionary,
    embedding,
    first,
    fit,
    geometry,
    growth,
    lbp,
    missing,
    novelty,
    random_systems,
    recovery,
    regression,
    scaling,
    search,
    shared_encoding,
    video,
)

PARTS = {
    part.__name__.split(".")[1]: part.run
    for part in (
        fit, shared_encoding, geometry, coding, dictionary, lbp, missing, random_systems, video,
    )
}  # fmt: skip
BY_NAME = {
    "first": first.run,
    "growth": growth.run,
    "learning": scaling.compare_learning,
    "memory": scaling.measure_memory,
    "missing_accuracy": missing.run_accuracy,
    "missing_coverage": missing.run_coverage,
    "novelty": novelty.run,
    "random_accuracy": random_systems.measure_accuracy,
    "recovery": recovery.run,
    "regression": regression.run,
    "regression_expected": regression.run_expected,
    "scaling": scaling.run,
    "search": search.run,
    "search_embedding": embedding.run,
}

print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}")
names = [name for name in sys.argv[1:] if name in {**PARTS, **BY_NAME}]
for name in names or PARTS:
    {**PARTS, **BY_NAME}[name]()
