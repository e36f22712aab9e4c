"""Items and labels from a manifest."""

import os

import numpy as np
import pytest

from ldslearn.datasets import load_folder
from ldslearn.datasets.labels_from_folders import list_folder
from ldslearn.datasets.labels_from_manifest import is_manifest
from ldslearn.video import write_video

from support.clip_folders import make_video, start_levels, write_images


def test_manifest(clips):
    (clips / "all.csv").write_text(
        "path,label,split,group,note\nb/20.mkv,x,test,anna,?\na/30.mkv,y,train,ben,?\n"
    )
    data = load_folder(clips / "all.csv")
    assert start_levels(data) == [20, 30]
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
    write_images(clips / "images")
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


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("all.csv", b"path,label\n", True),
        ("ALL.CSV", b'\xef\xbb\xbfnote, "x" , path \r\n', True),
        ("all.csv", b"Path\n", True),  # reading it raises with the right spelling
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
    write_video(outside / "1.mkv", make_video(1))
    (clips / "a" / "link.mkv").symlink_to(outside / "1.mkv")
    (clips / "all.csv").write_text("path\na/link.mkv\n")
    with pytest.raises(ValueError, match="below the manifest's folder"):
        load_folder(clips / "all.csv")
