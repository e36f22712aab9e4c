"""Folders as collections: items, sizes, chunks, features, and what is skipped."""

import numpy as np
import pytest
from PIL import Image

from ldslearn.datasets import load_folder
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.video import lbp_top, write_video

from support.clip_folders import make_video, start_levels

RANDOM = np.random.default_rng(0)


def test_class_folders(clips):
    (clips / "a" / "notes.md").write_text("not an item")
    (clips / "empty").mkdir()
    data = load_folder(clips)
    assert data.names == ("a/30.mkv", "b/10.mkv", "b/20.mkv")
    assert data.y.tolist() == ["a", "b", "b"]
    assert start_levels(data) == [30, 10, 20]
    assert data.frame_shape == (8, 10)
    assert data.groups is data.split is None
    assert ReadingSettings.from_dict(data.preprocessing) == ReadingSettings()


def test_every_kind_of_item(tmp_path):
    home = tmp_path / "a"
    (home / "images").mkdir(parents=True)
    for i, frame in enumerate(make_video(40)):
        Image.fromarray(frame.astype(np.uint8)).save(home / "images" / f"{i}.png")
    write_video(home / "film.mkv", make_video(41))
    np.save(home / "frames.npy", make_video(42))
    np.save(home / "coloured.npy", np.stack([make_video(43)] * 3, axis=-1).astype(np.uint8))
    np.save(home / "sequence.npy", make_video(44).reshape(12, -1).T)
    with pytest.raises(ValueError, match=r"have frames of shape \(8, 10\).*got 80 channels"):
        load_folder(tmp_path)
    (home / "sequence.npy").unlink()
    data = load_folder(tmp_path, n_jobs=2)
    assert data.names == ("a/coloured.npy", "a/film.mkv", "a/frames.npy", "a/images")
    assert start_levels(data) == [43, 41, 42, 40]
    assert {x.shape for x in data.X} == {(80, 12)}


def test_tables_and_arrays_of_sensors(tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "log.csv").write_text("torque,force\n1,10\n2,20\n3,30\n4,40\n")
    np.save(tmp_path / "x" / "m.npy", np.arange(8).reshape(2, 4))
    data = load_folder(tmp_path, size="auto", stride=2)
    np.testing.assert_array_equal(data.X[0], [[1, 3], [10, 30]])
    np.testing.assert_array_equal(data.X[1], [[0, 2], [4, 6]])
    assert data.frame_shape is None


def test_automatic_size(tmp_path):
    np.save(tmp_path / "small.npy", make_video(1))
    assert load_folder(tmp_path, size="auto").frame_shape == (8, 10)
    write_video(tmp_path / "0.mkv", make_video(1, size=(60, 96)))
    write_video(tmp_path / "1.mkv", make_video(1, size=(96, 60)))
    (tmp_path / "small.npy").unlink()
    data = load_folder(tmp_path, size="auto")
    assert data.frame_shape == (30, 48)
    assert data.preprocessing["size"] == (30, 48)


def test_chunks_form_groups(clips):
    data = load_folder(clips, length=5, chunk=True)
    assert data.names[:2] == ("a/30.mkv#0", "a/30.mkv#1")
    assert data.groups.tolist() == ["a/30.mkv"] * 2 + ["b/10.mkv"] * 2 + ["b/20.mkv"] * 2
    assert [x.shape[1] for x in data.X] == [5] * 6
    assert start_levels(data) == [30, 35, 10, 15, 20, 25]
    with pytest.raises(ValueError, match="length must be given with chunk=True"):
        load_folder(clips, chunk=True)


def test_lbp_features(tmp_path):
    frames = np.rint(RANDOM.random((20, 9, 7)) * 255)
    np.save(tmp_path / "0.npy", frames)
    data = load_folder(tmp_path, features="lbp-top")
    np.testing.assert_array_equal(data.X[0], lbp_top(frames.astype(np.float32)))
    assert data.frame_shape is None
    with pytest.raises(ValueError, match="colour must be False with features='lbp-top'"):
        load_folder(tmp_path, features="lbp-top", colour=True)


def test_corrupt_items_stop_or_are_skipped(clips):
    (clips / "b" / "15.avi").write_bytes(b"no video")
    np.save(clips / "b" / "16.npy", np.full((2, 3), np.nan))
    with pytest.raises(ValueError, match="15.avi must be a video or image; got a text. Rename"):
        load_folder(clips)
    with pytest.warns(UserWarning, match="2 items were skipped, the first because: .*15.avi"):
        data = load_folder(clips, on_error="skip")
    assert data.names == ("a/30.mkv", "b/10.mkv", "b/20.mkv")
    assert data.y.tolist() == ["a", "b", "b"]
    assert [name for name, _ in data.skipped] == ["b/15.avi", "b/16.npy"]
    assert "hold finite numbers" in data.skipped[1][1]


def test_items_of_another_size_stop_or_are_skipped(clips):
    write_video(clips / "b" / "15.mkv", make_video(15, size=(6, 6)))
    with pytest.raises(ValueError, match=r"b/15.mkv must have frames of shape \(8, 10\) like a/30"):
        load_folder(clips)
    with pytest.warns(UserWarning, match="1 item was skipped, the first because: b/15.mkv must"):
        data = load_folder(clips, on_error="skip")
    assert data.names == ("a/30.mkv", "b/10.mkv", "b/20.mkv")
    assert start_levels(data) == [30, 10, 20]
    assert data.y.tolist() == ["a", "b", "b"]
    assert [name for name, _ in data.skipped] == ["b/15.mkv"]


def test_nothing_readable(tmp_path):
    (tmp_path / "a.avi").write_bytes(b"no video")
    with pytest.raises(ValueError, match="a.avi must be a video or image; got a text"):
        load_folder(tmp_path, on_error="skip")
    with pytest.raises(FileNotFoundError, match="nothing must be a folder"):
        load_folder(tmp_path / "nothing")
    (tmp_path / "a.avi").rename(tmp_path / "a.doc")
    with pytest.raises(ValueError, match="hold videos, .*got 1 file of the suffix '.doc'. Known"):
        load_folder(tmp_path)
    np.save(tmp_path / "a.npy", np.zeros(4))
    with pytest.raises(ValueError, match=r"got shape \(4,\)"):
        load_folder(tmp_path)
    np.save(tmp_path / "a.npy", np.array(["text"]))
    with pytest.raises(ValueError, match="a.npy must hold numbers"):
        load_folder(tmp_path)


def test_results_do_not_depend_on_threads(clips):
    one, two = (load_folder(clips, n_jobs=n) for n in (1, 2))
    assert one.names == two.names
    for x, y in zip(one.X, two.X, strict=True):
        np.testing.assert_array_equal(x, y)
