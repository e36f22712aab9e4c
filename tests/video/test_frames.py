import numpy as np
import pytest

from ldslearn.video import lbp_top, to_sequence, to_video


@pytest.mark.parametrize("shape", [(7, 4, 5), (7, 4, 5, 3)])
def test_round_trip(shape):
    video = np.random.default_rng(0).integers(0, 255, shape, dtype=np.uint8)
    sequence = to_sequence(video)
    assert sequence.shape == (np.prod(shape[1:]), 7)
    assert sequence.dtype == np.uint8
    np.testing.assert_array_equal(to_video(sequence, shape[1:]), video)


def test_a_channel_is_a_pixel():
    video = np.random.default_rng(0).random((6, 3, 4))
    np.testing.assert_array_equal(to_sequence(video)[1 * 4 + 2], video[:, 1, 2])


def test_wrong_shapes_are_named():
    with pytest.raises(ValueError, match=r"video must have shape .*; got shape \(3, 4\)"):
        to_sequence(np.zeros((3, 4)))
    with pytest.raises(ValueError, match="1 to 4 colours.*For several videos call to_sequence on"):
        to_sequence(np.zeros((12, 60, 32, 32)))
    with pytest.raises(ValueError, match=r"sequence must have shape \(20, n_timepoints\) for"):
        to_video(np.zeros((12, 5)), (4, 5))


@pytest.mark.parametrize("function", [to_sequence, lbp_top])
def test_masks_are_refused(function):
    video = np.ma.masked_equal(np.arange(3 * 9 * 9).reshape(3, 9, 9), 5)
    with pytest.raises(TypeError, match="video must have no masked values"):
        function(video)
