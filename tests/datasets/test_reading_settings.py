"""How settings read arrays of frames, and survive JSON."""

import json

import numpy as np
import pytest

from ldslearn.datasets import load_folder
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.video import write_video
from ldslearn.video.frame_options import FrameOptions
from ldslearn.video.resizing import resize

from support.clip_folders import (
    make_video,
)

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize(("length", "chunk"), [(None, False), (5, False), (5, True)])
def test_arrays_are_cut_and_resized_like_videos(tmp_path, length, chunk):
    frames = np.rint(RANDOM.random((13, 9, 7)) * 255)
    write_video(tmp_path / "0.mkv", frames)
    np.save(tmp_path / "1.npy", frames)
    np.save(tmp_path / "2.npy", frames.reshape(13, -1).T)
    reading = ReadingSettings(FrameOptions((4, 3), stride=2, length=length), chunk)
    film, array = (reading.read(tmp_path / name) for name in ("0.mkv", "1.npy"))
    assert [clip.shape for clip in film] == [clip.shape for clip in array]
    for one, other in zip(film, array, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-3)
    np.testing.assert_allclose(film[0][1], resize(frames[2], (4, 3)), atol=1e-3)
    lengths = [part.shape[1] for part in reading.read(tmp_path / "2.npy")]
    assert lengths == [len(clip) for clip in film]


@pytest.mark.parametrize("n_colours", [1, 3, 4])
def test_colours_of_arrays(tmp_path, n_colours):
    frames = np.rint(RANDOM.random((6, 9, 7, n_colours)) * 255)
    np.save(tmp_path / "0.npy", frames.astype(np.uint8))
    red, green, blue = (frames[..., min(c, n_colours - 1)] for c in range(3))
    (grey,) = ReadingSettings().read(tmp_path / "0.npy")
    np.testing.assert_allclose(grey, 0.299 * red + 0.587 * green + 0.114 * blue, rtol=1e-5)
    (coloured,) = ReadingSettings(FrameOptions(colour=True)).read(tmp_path / "0.npy")
    np.testing.assert_array_equal(coloured, np.stack([red, green, blue], axis=-1))
    (small,) = ReadingSettings(FrameOptions((4, 3), colour=True, length=2)).read(tmp_path / "0.npy")
    assert small.shape == (2, 4, 3, 3)


def test_grey_arrays_in_colour(tmp_path):
    np.save(tmp_path / "0.npy", make_video(7))
    (frames,) = ReadingSettings(FrameOptions(colour=True)).read(tmp_path / "0.npy")
    np.testing.assert_array_equal(frames, np.stack([make_video(7)] * 3, axis=-1))


@pytest.mark.parametrize("n_colours", [2, 5, 50])
@pytest.mark.parametrize("colour", [False, True])
def test_arrays_of_other_colours_are_refused(tmp_path, n_colours, colour):
    np.save(tmp_path / "0.npy", np.zeros((10, 8, 8, n_colours)))
    message = rf"0.npy must hold frames of 1, 3 or 4 colours .*got shape \(10, 8, 8, {n_colours}\)"
    with pytest.raises(ValueError, match=message):
        ReadingSettings(FrameOptions(colour=colour)).read(tmp_path / "0.npy")


def test_frames_of_arrays_are_bounded_like_videos(tmp_path, monkeypatch):
    np.save(tmp_path / "0.npy", make_video(7))
    small, large = 4 * 320, 2**30
    for least, most, is_refused in ((small, small, True), (small, large, False), (large, 0, False)):
        monkeypatch.setattr("ldslearn.video.reading.least_limit", lambda: least)  # noqa: B023
        monkeypatch.setattr("ldslearn.video.reading.memory_limit", lambda: most)  # noqa: B023
        assert load_folder(tmp_path, length=4).X[0].shape == (80, 4)
        if is_refused:
            with pytest.raises(ValueError, match="0.npy must take at most .*fewer of them"):
                load_folder(tmp_path, length=4, chunk=True)
        else:
            assert load_folder(tmp_path, length=4, chunk=True).X[0].shape == (80, 4)


def test_reading_survives_json():
    reading = ReadingSettings(FrameOptions((3, 4), False, (0, 0, 9, 9), 2, 7), True, "lbp-top")
    assert ReadingSettings.from_dict(reading.as_dict()) == reading
    assert ReadingSettings.from_dict(json.loads(json.dumps(reading.as_dict()))) == reading


def test_sequences_have_no_patterns_of_pixels(tmp_path):
    np.save(tmp_path / "0.npy", np.ones((5, 40)))
    with pytest.raises(
        ValueError, match=r"hold frames for features='lbp-top'; got shape \(5, 40\)"
    ):
        load_folder(tmp_path, features="lbp-top")
