import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldslearn.video import write_video
from ldslearn.video.frame_rate import pick_frames, read_frame_rate


@pytest.mark.parametrize("suffix", [".avi", ".mkv", ".gif"])
def test_the_rate_of_a_file(tmp_path, suffix):
    path = tmp_path / f"clip{suffix}"
    write_video(path, np.zeros((10, 16, 16)), frame_rate=10)
    assert read_frame_rate(path) == pytest.approx(10)


def test_what_is_no_video_has_no_rate(tmp_path):
    (tmp_path / "clip.avi").write_bytes(b"nothing")
    assert read_frame_rate(tmp_path / "clip.avi") is None


def test_a_mistake_of_ours_is_not_a_file_without_a_rate(tmp_path, monkeypatch):
    import av

    write_video(tmp_path / "clip.avi", np.zeros((10, 16, 16)))
    monkeypatch.setattr(av, "open", lambda file, mode: None)  # of a version to come
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        read_frame_rate(tmp_path / "clip.avi")


@given(n=st.integers(1, 100), own=st.floats(1, 100), rate=st.floats(1, 100))
def test_the_nearest_frame_is_picked(n, own, rate):
    found = list(pick_frames(range(n), own, rate))
    times = np.arange(len(found)) / rate
    assert np.abs(np.array(found) / own - times).max() <= 0.5 / own + 1e-9
    assert (len(found) / rate) > (n - 0.5) / own - 1e-9 - 1 / rate  # to the end


@given(n=st.integers(1, 100), rate=st.floats(1, 100))
def test_the_same_rate_keeps_all_frames(n, rate):
    assert list(pick_frames(range(n), rate, rate)) == list(range(n))
