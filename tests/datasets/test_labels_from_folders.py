"""Items of a folder, and labels from the folders above them."""

import os

import numpy as np
import pytest

from ldslearn.datasets import load_folder
from ldslearn.datasets.items import is_item
from ldslearn.datasets.labels_from_folders import list_folder
from ldslearn.video import write_video

from support.clip_folders import list_names, make_video, write_images


def test_a_folder_without_classes(clips):
    data = load_folder(clips / "b")
    assert data.y is None
    assert data.names == ("10.mkv", "20.mkv")


def test_files_beside_class_folders_are_refused(clips):
    write_video(clips / "stray.mkv", make_video(1))
    with pytest.raises(ValueError, match=r"either class folders or files.*2 folders and 1 files"):
        load_folder(clips)


def test_a_picture_in_a_class_folder_does_not_make_it_an_item(clips):
    write_images(clips / "poster")
    (clips / "poster" / "0.png").rename(clips / "b" / "poster.png")
    (clips / "poster" / "1.png").unlink()
    assert not is_item(clips / "b")
    assert list_names(clips) == ["a/30.mkv", "b/10.mkv", "b/20.mkv"]
    assert list_names(clips / "b") == ["10.mkv", "20.mkv"]


def test_folders_of_images_beside_class_folders_are_refused(clips):
    for name in ("s1", "s2", "s3", "s4"):
        write_images(clips / name)
    message = (
        r"either class folders or folders of images without a class; got the classes a, b and the "
        r"images in s1, s2, s3 and 1 more. Move the folders of images into"
    )
    with pytest.raises(ValueError, match=message):
        list_folder(clips)


def test_folders_that_might_be_items_or_classes_are_refused(tmp_path):
    write_images(tmp_path / "waves")
    assert list_names(tmp_path) == ["waves"]
    write_images(tmp_path / "waves" / "clip")
    message = r"waves must hold either the images of one item or the items of a class; got images b"
    with pytest.raises(ValueError, match=message):
        list_folder(tmp_path)


def test_images_beside_an_array_of_a_class_are_refused(clips):
    write_images(clips / "a" / "clip")
    (clips / "a" / "clip" / "times.txt").write_text("1\n2\n")
    assert list_names(clips)[:2] == ["a/30.mkv", "a/clip"]
    (clips / "a" / "clip" / "times.txt").rename(clips / "a" / "clip" / "times.csv")
    with pytest.raises(ValueError, match=r"clip must hold either the images of one item or other"):
        list_folder(clips)


def test_notes_are_no_items(clips):
    for home in (clips, clips / "a"):
        (home / "README.txt").write_text("Filmed in 2015.")
    (clips / "all.csv").write_text("path,label\na/30.mkv,a\n")
    (clips / "table.tsv").write_text("1\t2\n")
    assert list_names(clips) == ["a/30.mkv", "b/10.mkv", "b/20.mkv"]
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
    assert list_names(tmp_path) == ["file.avi", "pipe.avi"]
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


def test_classes_without_items_cause_a_warning(tmp_path):
    for name, file in (("a", "0.npy"), ("b", "0.npy"), ("c", "0.dat"), (".d", "0.dat")):
        (tmp_path / name).mkdir()
        with (tmp_path / name / file).open("wb") as opened:
            np.save(opened, np.eye(3))
    (tmp_path / "empty").mkdir()
    with pytest.warns(UserWarning, match="skipped folders without a video, .*: c"):
        data = load_folder(tmp_path)
    assert data.classes == ["a", "b"]


def test_levels_name_classes_and_groups(people):
    data = load_folder(people, levels="group/class/item")
    assert data.names[0] == "anna/run/1.npy"
    assert data.y.tolist() == ["run", "walk"] * 2
    assert data.groups.tolist() == ["anna", "anna", "ben", "ben"]
    data = load_folder(people, levels="*/class/item")
    assert data.groups is None
    data = load_folder(people, levels="split/class/item")
    assert data.split.tolist() == ["anna", "anna", "ben", "ben"]


def test_notes_above_the_items_are_no_items(people):
    (people / "notes.csv").write_text("anna,30 years\n")
    assert len(list_folder(people, levels="group/class/item")) == 4


@pytest.mark.parametrize("levels", ["", "class", "class/class/item", "kind/item", "item/class"])
def test_bad_levels(people, levels):
    with pytest.raises(ValueError, match=r"levels must name class, group, split or \* once for ea"):
        load_folder(people, levels=levels)


def test_every_item_is_on_its_level(people):
    np.save(people / "anna" / "0.npy", np.ones((2, 9)))
    with pytest.raises(ValueError, match="every item as group/class/item; got anna/0.npy. Move it"):
        load_folder(people, levels="group/class/item")


def test_deep_folders_are_refused_with_a_remedy_that_works(people):
    with pytest.raises(ValueError, match="such as anna/run/1.npy") as caught:
        load_folder(people)
    message = str(caught.value)
    assert "--levels group/class/item if the first is who was recorded" in message
    assert "name that file in place of the folder" in message
    lines = message.split("with the line '")[1].split("', and name that file")[0]
    header, line = lines.split("' and lines such as '")
    (people / "manifest.csv").write_text(f"{header}\n{line}\n")
    data = load_folder(people / "manifest.csv")
    assert data.y.tolist() == ["run"]
    assert data.groups.tolist() == ["anna"]
