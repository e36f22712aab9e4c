"""Types of arrays, by what they hold."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]
Indices = NDArray[np.intp]
Bytes = NDArray[np.uint8]
Pixels = NDArray[np.float32]
