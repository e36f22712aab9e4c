"""Images of equal size side by side in one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def tile_images(images: NDArray[Any], gap: int, background: float) -> NDArray[Any]:
    """Return a (rows, columns, height, width) array as one image, `gap` pixels between tiles."""
    rows, columns, height, width = images.shape
    padded = np.pad(images, ((0, 0), (0, 0), (0, gap), (0, gap)), constant_values=background)
    sheet = padded.swapaxes(1, 2).reshape(rows * (height + gap), columns * (width + gap))
    return sheet[: len(sheet) - gap, : sheet.shape[1] - gap]
