import json
import os

import numpy as np
import pytest
from PIL import Image

from ldslearn.datasets import load_folder
from ldslearn.datasets.items import is_item
from ldslearn.datasets.labels_from_folders import list_folder
from ldslearn.datasets.labels_from_manifest import is_manifest
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.video import lbp_top, write_video
from ldslearn.video.frame_options import FrameOptions
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


def images(folder, n_images=2):
    folder.mkdir(parents=True)
    for number in range(n_images):
        Image.fromarray(np.zeros((8, 10), np.uint8)).save(folder / f"{number}.png")


def names(path):
    return [item.name for item in list_folder(path)]


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
    assert ReadingSettings.from_dict(data.preprocessing) == ReadingSettings()


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
    (tmp_path / "x" / "log.csv").write_text("torque,force\n1,10\n2,20\n3,30\n4,40\n")
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


def test_a_picture_in_a_class_folder_does_not_make_it_an_item(clips):
    images(clips / "poster")
    (clips / "poster" / "0.png").rename(clips / "b" / "poster.png")
    (clips / "poster" / "1.png").unlink()
    assert not is_item(clips / "b")
    assert names(clips) == ["a/30.mkv", "b/10.mkv", "b/20.mkv"]
    assert names(clips / "b") == ["10.mkv", "20.mkv"]


def test_folders_of_images_beside_class_folders_are_refused(clips):
    for name in ("s1", "s2", "s3", "s4"):
        images(clips / name)
    message = (
        r"either class folders or folders of images without a class; got the classes a, b and the "
        r"images in s1, s2, s3 and 1 more. Move the folders of images into"
    )
    with pytest.raises(ValueError, match=message):
        list_folder(clips)


def test_folders_that_might_be_items_or_classes_are_refused(tmp_path):
    images(tmp_path / "waves")
    assert names(tmp_path) == ["waves"]
    images(tmp_path / "waves" / "clip")
    message = r"waves must hold either the images of one item or the items of a class; got images b"
    with pytest.raises(ValueError, match=message):
        list_folder(tmp_path)


def test_images_of_a_class_are_not_passed_over_for_an_array(clips):
    images(clips / "a" / "clip")
    (clips / "a" / "clip" / "times.txt").write_text("1\n2\n")
    assert names(clips)[:2] == ["a/30.mkv", "a/clip"]
    (clips / "a" / "clip" / "times.txt").rename(clips / "a" / "clip" / "times.csv")
    with pytest.raises(ValueError, match=r"clip must hold either the images of one item or other"):
        list_folder(clips)


def test_notes_are_no_items(clips):
    for home in (clips, clips / "a"):
        (home / "README.txt").write_text("Filmed in 2015.")
    (clips / "all.csv").write_text("path,label\na/30.mkv,a\n")
    (clips / "table.tsv").write_text("1\t2\n")
    assert names(clips) == ["a/30.mkv", "b/10.mkv", "b/20.mkv"]
    np.save(clips / "stray.npy", np.zeros((2, 3)))
    with pytest.raises(ValueError, match="2 folders and 1 files such as stray.npy. Move the files"):
        list_folder(clips)


def test_a_text_is_read_when_it_is_named(tmp_path):
    (tmp_path / "log.txt").write_text("1 10\n2 20\n3 30\n")
    with pytest.raises(ValueError, match="got 1 file of the suffix '.txt'. A table in a .txt"):
        list_folder(tmp_path)
    (tmp_path / "all.csv").write_text("path\nlog.txt\n")
    data = load_folder(tmp_path / "all.csv", size="auto")
    np.testing.assert_array_equal(data.X[0], [[1, 2, 3], [10, 20, 30]])


def test_hidden_files_are_no_items_and_pipes_are(tmp_path):
    """A pipe fails when it is read, so that it is not missed."""
    os.mkfifo(tmp_path / "pipe.avi")
    (tmp_path / ".hidden.avi").touch()
    (tmp_path / "file.avi").touch()
    assert names(tmp_path) == ["file.avi", "pipe.avi"]
    assert not is_item(tmp_path / "missing.avi")


@pytest.mark.parametrize("bad", [b"\xff", b"a/\xff.npy", b"a/b/\xff.npy"])
def test_names_must_be_utf8(tmp_path, bad):
    for name in (b"a/b/0.npy", b"a/c/0.npy"):
        path = os.fsencode(tmp_path / "root") + b"/" + name
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb"):
            pass
    target = os.fsencode(tmp_path / "root") + b"/" + bad
    if bad.endswith(b"npy"):
        with open(target, "wb"):
            pass
    else:
        os.rename(os.fsencode(tmp_path / "root" / "a" / "b"), target)
    home = tmp_path / "root" / "a" if b"/" in bad else tmp_path / "root"
    with pytest.raises(
        ValueError, match=r"must hold names in UTF-8; got '\\udcff(\.npy)?'. Rename"
    ):
        list_folder(home)


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
    np.save(tmp_path / "0.npy", video(7))
    (frames,) = ReadingSettings(FrameOptions(colour=True)).read(tmp_path / "0.npy")
    np.testing.assert_array_equal(frames, np.stack([video(7)] * 3, axis=-1))


@pytest.mark.parametrize("n_colours", [2, 5, 50])
@pytest.mark.parametrize("colour", [False, True])
def test_arrays_of_other_colours_are_refused(tmp_path, n_colours, colour):
    np.save(tmp_path / "0.npy", np.zeros((10, 8, 8, n_colours)))
    message = rf"0.npy must hold frames of 1, 3 or 4 colours .*got shape \(10, 8, 8, {n_colours}\)"
    with pytest.raises(ValueError, match=message):
        ReadingSettings(FrameOptions(colour=colour)).read(tmp_path / "0.npy")


def test_frames_of_arrays_are_bounded_like_videos(tmp_path, monkeypatch):
    np.save(tmp_path / "0.npy", video(7))
    monkeypatch.setattr("ldslearn.video.reading.memory_limit", lambda: 4 * 320)
    assert load_folder(tmp_path, length=4).X[0].shape == (80, 4)
    with pytest.raises(ValueError, match="0.npy must take at most .*fewer of them"):
        load_folder(tmp_path, length=4, chunk=True)


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
    write_video(clips / "b" / "15.mkv", video(15, size=(6, 6)))
    with pytest.raises(ValueError, match=r"b/15.mkv must have frames of shape \(8, 10\) like a/30"):
        load_folder(clips)
    with pytest.warns(UserWarning, match="1 item was skipped, the first because: b/15.mkv must"):
        data = load_folder(clips, on_error="skip")
    assert data.names == ("a/30.mkv", "b/10.mkv", "b/20.mkv")
    assert levels(data) == [30, 10, 20]
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


def test_chunks_keep_the_groups_of_a_manifest(clips):
    (clips / "all.csv").write_text("path,group\nb/20.mkv,anna\na/30.mkv,ben\nb/10.mkv,anna\n")
    data = load_folder(clips / "all.csv", length=5, chunk=True)
    assert data.groups.tolist() == ["anna"] * 2 + ["ben"] * 2 + ["anna"] * 2


def test_spaces_around_the_fields_of_a_manifest(clips):
    (clips / "all.csv").write_text(" path, label \n b/20.mkv , waves \nb/10.mkv,waves\n")
    data = load_folder(clips / "all.csv")
    assert data.names == ("b/20.mkv", "b/10.mkv")
    assert data.y.tolist() == ["waves", "waves"]


def test_items_of_a_manifest_in_folders_of_all_kinds(clips):
    (clips / "link").symlink_to("b")
    (clips / "a" / "link.mkv").symlink_to("../b/20.mkv")
    images(clips / "images")
    (clips / "all.csv").write_text("path\na/../link/10.mkv\na/link.mkv\n./images/\n")
    root = clips.resolve()
    sources = [item.source.resolve() for item in list_folder(clips / "all.csv")]
    assert sources == [root / "b" / "10.mkv", root / "b" / "20.mkv", root / "images"]


def test_a_link_in_a_manifest_is_known_by_its_own_suffix(tmp_path):
    (tmp_path / "blobs").mkdir()
    np.save(tmp_path / "blobs" / "ab12.npy", np.eye(3))
    (tmp_path / "blobs" / "ab12.npy").rename(tmp_path / "blobs" / "ab12")
    (tmp_path / "clip.npy").symlink_to("blobs/ab12")
    (tmp_path / "all.csv").write_text("path\nclip.npy\n")
    np.testing.assert_array_equal(load_folder(tmp_path / "all.csv").X[0], np.eye(3))


def test_classes_without_items_are_told(tmp_path):
    for name, file in (("a", "0.npy"), ("b", "0.npy"), ("c", "0.dat"), (".d", "0.dat")):
        (tmp_path / name).mkdir()
        with (tmp_path / name / file).open("wb") as opened:
            np.save(opened, np.eye(3))
    (tmp_path / "empty").mkdir()
    with pytest.warns(UserWarning, match="skipped the folder c: it holds no video"):
        data = load_folder(tmp_path)
    assert data.classes == ["a", "b"]


def test_sequences_have_no_patterns_of_pixels(tmp_path):
    np.save(tmp_path / "0.npy", np.ones((5, 40)))
    with pytest.raises(
        ValueError, match=r"hold frames for features='lbp-top'; got shape \(5, 40\)"
    ):
        load_folder(tmp_path, features="lbp-top")


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("all.csv", b"path,label\n", True),
        ("ALL.CSV", b'\xef\xbb\xbfnote, "x" , path \r\n', True),
        ("all.csv", b"Path\n", True),  # and whoever reads it will say how to spell it
        ("all.csv", b"", False),
        ("all.csv", b"\npath\n", False),
        ("all.csv", b"1,2\n3,4\n", False),
        ("all.csv", b"paths\npath\n", False),
        ("all.csv", b"path,\xff\n", False),
        ("all.csv", b'"path\n', False),
        ("all.csv", b"x" * 2**17 + b",path\n", False),
        ("all.txt", b"path\n", False),
    ],
)
def test_is_manifest(tmp_path, name, content, expected):
    (tmp_path / name).write_bytes(content)
    assert is_manifest(tmp_path / name) is expected


def test_what_is_no_file_is_no_manifest(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    for name in ("pipe.csv", "folder.csv", "missing.csv"):
        assert not is_manifest(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Path,label\na/30.mkv,x\n", "all.csv: column must be 'path'; got 'Path'"),
        ("path,LABEL\na/30.mkv,x\n", "all.csv: column must be 'label'; got 'LABEL'"),
        ("path,la bel\na/30.mkv,x\n", "all.csv: column must be 'label'; got 'la bel'"),
        ("path,label,label\na/30.mkv,x,y\n", "have one column 'label'; got 2 of them"),
        ("path,label\na/30.mkv,x,y\n", "line 2 must have 2 fields, one per column; got 3. Put"),
        (
            "path,split\na/30.mkv,train\nb/10.mkv,test\na/30.mkv,test\n",
            "list each item once; got 'a/30.mkv' in lines 2 and 4. Remove",
        ),
        ("path\na/30.mkv\nb/../a/30.mkv\n", "got 'b/../a/30.mkv' in lines 2 and 3"),
        ("path\na/30.mkv/\na/3\0.mkv\n", "line 2 must name an item that exists"),
        ("path\na/3\0.mkv\n", "line 2 must"),
        ("path\n..\n", "line 2 must name items below"),
        ("label\nx\n", "column 'path'"),
        ("", r"hold numbers; got an empty file \(0 bytes\)"),
        (
            "file,label\na/30.mkv,x\n",
            "column 'path' .* 'file', 'label'. Name the columns",
        ),
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
    reading = ReadingSettings(FrameOptions((3, 4), False, (0, 0, 9, 9), 2, 7), True, "lbp-top")
    assert ReadingSettings.from_dict(reading.as_dict()) == reading
    assert ReadingSettings.from_dict(json.loads(json.dumps(reading.as_dict()))) == reading


def test_results_do_not_depend_on_threads(clips):
    one, two = (load_folder(clips, n_jobs=n) for n in (1, 2))
    assert one.names == two.names
    for x, y in zip(one.X, two.X, strict=True):
        np.testing.assert_array_equal(x, y)
