import numpy as np
import pytest

from ldslearn.datasets import load_folder
from ldslearn.video import crop_to_motion, read_video, write_video
from ldslearn.video.motion import find_motion


def search(video, height, width):
    """Top and left of the window of largest variance, one window after the other."""
    variance = video.astype(float).var(axis=0)
    best, found = -1.0, None
    for top in range(video.shape[1] - height + 1):
        for left in range(video.shape[2] - width + 1):
            energy = variance[top : top + height, left : left + width].sum()
            if energy > best * (1 + 1e-12):
                best, found = energy, (top, left)
    return found


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("colours", [(), (3,)])
def test_the_window_is_that_of_a_full_search(seed, colours):
    random = np.random.default_rng(seed)
    video = random.uniform(0, 255, size=(6, 11, 14, *colours)).astype(np.float32)
    assert find_motion(video, (4, 5)) == search(video, 4, 5)
    top, left = find_motion(video, (4, 5))
    kept = crop_to_motion(video, (4, 5))
    np.testing.assert_array_equal(kept, video[:, top : top + 4, left : left + 5])


def moving(top, left, shape=(60, 80)):
    """A still bright picture in which a square of 10 x 10 pixels flickers faintly."""
    video = np.full((12, *shape), 200.0)
    video[:, top : top + 10, left : left + 10] += 10 * (-1.0) ** np.arange(12)[:, None, None]
    return video


def test_motion_counts_and_not_brightness():
    assert find_motion(moving(33, 52), (10, 10)) == (33, 52)
    assert find_motion(np.ones((4, 9, 9)), (3, 3)) == (0, 0)
    assert find_motion(moving(0, 0)[:, :10, :10], (10, 10)) == (0, 0)
    # All windows around the square are equal: the first is used, in every unit of grey.
    assert find_motion(moving(33, 52), (20, 20)) == (23, 42)
    assert find_motion(moving(33, 52) / 255, (20, 20)) == (23, 42)


def test_small_frames_are_refused():
    with pytest.raises(ValueError, match="frames of at least 48 x 48 pixels to crop; got 20 x 60"):
        crop_to_motion(np.ones((4, 20, 60)), (48, 48))


def test_files_are_cropped_to_motion(tmp_path):
    write_video(tmp_path / "a.avi", moving(33, 52))
    video = read_video(tmp_path / "a.avi", size=(10, 10), crop="motion")
    assert video.shape == (12, 10, 10)
    assert video.std(axis=0).min() > 5
    np.save(tmp_path / "b.npy", moving(21, 4))
    data = load_folder(tmp_path, size=(10, 10), crop="motion")
    assert data.frame_shape == (10, 10)
    assert min(x.std(axis=1).min() for x in data.X) > 5
    assert data.preprocessing["crop"] == "motion"
    with pytest.raises(ValueError, match=r"size must be given with crop='motion'"):
        read_video(tmp_path / "a.avi", crop="motion")
    with pytest.raises(ValueError, match=r"a.avi must have frames of at least 70 x 10 pixels"):
        read_video(tmp_path / "a.avi", size=(70, 10), crop="motion")
    with pytest.raises(ValueError, match=r"crop must be \(top, left, height, width\) or 'motion'"):
        read_video(tmp_path / "a.avi", crop="middle")
