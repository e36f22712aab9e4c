"""Run with ``make bench``; ``python -m benchmarks geometry`` runs one part.

``ablation``, ``accuracy``, ``auto``, ``learning``, ``scaling`` and ``memory`` take up to an hour
each: by name only.
"""

import platform
import sys

import numpy as np

from benchmarks import (
    ablation,
    accuracy,
    auto,
    coding,
    dictionary,
    fit,
    geometry,
    lbp,
    learning,
    scaling,
)

PARTS = {part.__name__.split(".")[1]: part.run for part in (fit, geometry, coding, dictionary, lbp)}

BY_NAME = {
    part.__name__.split(".")[1]: part.run for part in (ablation, accuracy, auto, learning, scaling)
}
BY_NAME["memory"] = scaling.memory

print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}")
names = [name for name in sys.argv[1:] if not name.replace(".", "").isdigit()]
for name in names or PARTS:
    {**PARTS, **BY_NAME}[name]()
