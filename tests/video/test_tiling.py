import numpy as np
import pytest

from ldslearn.video.tiling import tile_images


@pytest.mark.parametrize("gap", [0, 2])
def test_tiles_are_the_images_and_gaps_the_background(gap):
    images = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    sheet = tile_images(images, gap, -1)
    assert sheet.shape == (2 * 4 + gap, 3 * 5 + 2 * gap)
    for i in range(2):
        for j in range(3):
            top, left = i * (4 + gap), j * (5 + gap)
            np.testing.assert_array_equal(sheet[top : top + 4, left : left + 5], images[i, j])
    assert (sheet == -1).sum() == sheet.size - images.size
