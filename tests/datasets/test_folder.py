import json

import numpy as np
import pytest
from PIL import Image

from ldslearn.datasets import load_folder
from ldslearn.datasets.items import Reading
from ldslearn.video import lbp_top, write_video
from ldslearn.video.reading import FrameOptions
from ldslearn.video.resizing import resize

RANDOM = np.random.default_rng(0)


def video(level, n_frames=12, size=(8, 10)):
    return np.full((n_frames, *size), float(level)) + np.arange(n_frames)[:, None, None]


@pytest.fixture
def clips(tmp_path):
    """Two classes; a clip is told by its level."""
    for label, level in (("b", 10), ("b", 20), ("a", 30)):
        (tmp_path / label).mkdir(exist_ok=True)
        write_video(tmp_path / label / f"{level}.mkv", video(level))
    return tmp_path


def levels(data):
    return [round(float(x[0, 0])) for x in data.X]


def test_class_folders(clips):
    (clips / "a" / "notes.md").write_text("not an item")
    (clips / "empty").mkdir()
    data = load_folder(clips)
    assert data.names == ("a/30.mkv", "b/10.mkv", "b/20.mkv")
    assert data.y.tolist() == ["a", "b", "b"]
    assert levels(data) == [30, 10, 20]
    assert data.frame_shape == (8, 10)
    assert data.groups is data.split is None
    assert Reading.from_dict(data.preprocessing) == Reading()


def test_every_kind_of_item(tmp_path):
    home = tmp_path / "a"
    (home / "images").mkdir(parents=True)
    for i, frame in enumerate(video(40)):
        Image.fromarray(frame.astype(np.uint8)).save(home / "images" / f"{i}.png")
    write_video(home / "film.mkv", video(41))
    np.save(home / "frames.npy", video(42))
    np.save(home / "coloured.npy", np.stack([video(43)] * 3, axis=-1).astype(np.uint8))
    np.save(home / "sequence.npy", video(44).reshape(12, -1).T)
    with pytest.raises(ValueError, match=r"have frames of shape \(8, 10\).*got 80 channels"):
        load_folder(tmp_path)
    (home / "sequence.npy").unlink()
    data = load_folder(tmp_path, n_jobs=2)
    assert data.names == ("a/coloured.npy", "a/film.mkv", "a/frames.npy", "a/images")
    assert levels(data) == [43, 41, 42, 40]
    assert {x.shape for x in data.X} == {(80, 12)}


def test_tables_and_arrays_of_sensors(tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "log.csv").write_text("time,force\n1,10\n2,20\n3,30\n4,40\n")
    np.save(tmp_path / "x" / "m.npy", np.arange(8).reshape(2, 4))
    data = load_folder(tmp_path, size="auto", stride=2)
    np.testing.assert_array_equal(data.X[0], [[1, 3], [10, 30]])
    np.testing.assert_array_equal(data.X[1], [[0, 2], [4, 6]])
    assert data.frame_shape is None


def test_a_folder_without_classes(clips):
    data = load_folder(clips / "b")
    assert data.y is None
    assert data.names == ("10.mkv", "20.mkv")


def test_files_beside_class_folders_are_refused(clips):
    write_video(clips / "stray.mkv", video(1))
    with pytest.raises(ValueError, match=r"either class folders or files.*2 folders and 1 files"):
        load_folder(clips)


def test_automatic_size(tmp_path):
    np.save(tmp_path / "small.npy", video(1))
    assert load_folder(tmp_path, size="auto").frame_shape == (8, 10)
    write_video(tmp_path / "0.mkv", video(1, size=(60, 96)))
    write_video(tmp_path / "1.mkv", video(1, size=(96, 60)))
    (tmp_path / "small.npy").unlink()
    data = load_folder(tmp_path, size="auto")
    assert data.frame_shape == (30, 48)
    assert data.preprocessing["size"] == (30, 48)


def test_chunks_form_groups(clips):
    data = load_folder(clips, length=5, chunk=True)
    assert data.names[:2] == ("a/30.mkv#0", "a/30.mkv#1")
    assert data.groups.tolist() == ["a/30.mkv"] * 2 + ["b/10.mkv"] * 2 + ["b/20.mkv"] * 2
    assert [x.shape[1] for x in data.X] == [5] * 6
    assert levels(data) == [30, 35, 10, 15, 20, 25]
    with pytest.raises(ValueError, match="length must be given with chunk=True"):
        load_folder(clips, chunk=True)


@pytest.mark.parametrize(("length", "chunk"), [(None, False), (5, False), (5, True)])
def test_arrays_are_cut_and_resized_like_videos(tmp_path, length, chunk):
    frames = np.rint(RANDOM.random((13, 9, 7)) * 255)
    write_video(tmp_path / "0.mkv", frames)
    np.save(tmp_path / "1.npy", frames)
    np.save(tmp_path / "2.npy", frames.reshape(13, -1).T)
    reading = Reading(FrameOptions((4, 3), stride=2, length=length), chunk)
    film, array = (reading.read(tmp_path / name) for name in ("0.mkv", "1.npy"))
    assert [clip.shape for clip in film] == [clip.shape for clip in array]
    for one, other in zip(film, array, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-3)
    np.testing.assert_allclose(film[0][1], resize(frames[2], (4, 3)), atol=1e-3)
    lengths = [part.shape[1] for part in reading.read(tmp_path / "2.npy")]
    assert lengths == [len(clip) for clip in film]


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
    with pytest.raises(ValueError, match="15.avi must be a whole video"):
        load_folder(clips)
    with pytest.warns(UserWarning, match="2 items were skipped, the first because: .*15.avi"):
        data = load_folder(clips, on_error="skip")
    assert data.names == ("a/30.mkv", "b/10.mkv", "b/20.mkv")
    assert data.y.tolist() == ["a", "b", "b"]
    assert [name for name, _ in data.skipped] == ["b/15.avi", "b/16.npy"]
    assert "hold finite numbers" in data.skipped[1][1]


def test_nothing_readable(tmp_path):
    (tmp_path / "a.avi").write_bytes(b"no video")
    with pytest.raises(ValueError, match="a.avi must be readable"):
        load_folder(tmp_path, on_error="skip")
    with pytest.raises(FileNotFoundError, match="nothing must be a folder"):
        load_folder(tmp_path / "nothing")
    (tmp_path / "a.avi").rename(tmp_path / "a.doc")
    with pytest.raises(ValueError, match="hold videos, folders of images or arrays.*none among 1"):
        load_folder(tmp_path)
    np.save(tmp_path / "a.npy", np.zeros(4))
    with pytest.raises(ValueError, match=r"got shape \(4,\)"):
        load_folder(tmp_path)
    np.save(tmp_path / "a.npy", np.array(["text"]))
    with pytest.raises(ValueError, match="a.npy must hold numbers"):
        load_folder(tmp_path)


def test_manifest(clips):
    (clips / "all.csv").write_text(
        "path,label,split,group,note\nb/20.mkv,x,test,anna,?\na/30.mkv,y,train,ben,?\n"
    )
    data = load_folder(clips / "all.csv")
    assert levels(data) == [20, 30]
    assert data.y.tolist() == ["x", "y"]
    assert data.split.tolist() == ["test", "train"]
    assert data.groups.tolist() == ["anna", "ben"]
    assert data.names == ("b/20.mkv", "a/30.mkv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("label\nx\n", "column 'path'"),
        ("", "column 'path'"),
        ("path\n", "list at least one item"),
        ("path\n../secret.avi\n", "line 2 must name items below the manifest's folder"),
        ("path\na/../../secret.avi\n", "line 2 must name items below"),
        ("path\n/etc/passwd\n", "line 2 must name items below"),
        ("path\n.\n", "line 2 must name items below"),
        ("path\na/31.mkv\n", "line 2 must name an item that exists; got 'a/31.mkv'"),
        (
            "path,label\na/30.mkv,x\nb/10.mkv,\n",
            "label in every line, or in none; got line 3",
        ),
        ("path\n\n,\n", "line 3 must give a path"),
        (b"path\n\xff\xfe.avi\n", "be a manifest"),
        ('path\n"a/30.mkv\n', "be a manifest"),
        ("path\n" + "x" * 5000 + "\n", "line 2 must"),
    ],
)
def test_bad_manifests(clips, text, message):
    (clips / "all.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=message):
        load_folder(clips / "all.csv")


def test_a_link_out_of_the_folder_is_refused(clips, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    write_video(outside / "1.mkv", video(1))
    (clips / "a" / "link.mkv").symlink_to(outside / "1.mkv")
    (clips / "all.csv").write_text("path\na/link.mkv\n")
    with pytest.raises(ValueError, match="below the manifest's folder"):
        load_folder(clips / "all.csv")


def test_reading_survives_json():
    reading = Reading(FrameOptions((3, 4), False, (0, 0, 9, 9), 2, 7), True, "lbp-top")
    assert Reading.from_dict(reading.as_dict()) == reading
    assert Reading.from_dict(json.loads(json.dumps(reading.as_dict()))) == reading


def test_results_do_not_depend_on_threads(clips):
    one, two = (load_folder(clips, n_jobs=n) for n in (1, 2))
    assert one.names == two.names
    for x, y in zip(one.X, two.X, strict=True):
        np.testing.assert_array_equal(x, y)
