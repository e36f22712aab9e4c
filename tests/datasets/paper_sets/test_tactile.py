import os

import numpy as np
import pytest
from scipy.io import savemat

from ldslearn.datasets.paper_sets.tactile import load_tactile

from support.layouts import cells

FRAMES = {"sd": (27, 18), "spr": (8, 16), "bdh": (8, 9)}
COUNTS = {"sd": (100, 10), "spr": (97, 10), "bdh": (100, 2)}


def grasp(name, index):
    """(n_sensors, n_timepoints) with a length of its own, every entry different."""
    n_sensors, length = np.prod(FRAMES[name]), 5 + index % 3
    return index * 1e5 + np.arange(n_sensors * length, dtype=float).reshape(n_sensors, length)


def images(name, index):
    """The same as (height, width, n_timepoints)."""
    return grasp(name, index).reshape(*FRAMES[name], -1)


@pytest.mark.parametrize("name", ["sd", "spr", "bdh"])
def test_one_file_with_all_sequences(tmp_path, name):
    n_sequences, n_classes = COUNTS[name]
    grasps = [grasp(name, i) for i in range(n_sequences)]
    labels = np.arange(n_sequences) % n_classes + 1
    savemat(tmp_path / f"{name.upper()}.mat", {"data": cells(grasps), "labels": labels})
    touch = load_tactile(tmp_path, name)
    assert len(touch) == n_sequences
    assert touch.frame_shape is None
    assert touch.split is None
    for i in range(n_sequences):
        assert touch.y[i] == str(i % n_classes + 1)
        np.testing.assert_array_equal(touch.X[i], grasps[i])


def test_labels_may_be_texts_and_sequences_images(tmp_path):
    data = [images("bdh", i) for i in range(100)]
    labels = ["empty" if i < 60 else "full" for i in range(100)]
    savemat(tmp_path / "bdh.mat", {"X": cells(data), "y": cells(labels)})
    touch = load_tactile(tmp_path, "bdh")
    assert touch.frame_shape == (8, 9)
    assert list(touch.y) == labels
    np.testing.assert_array_equal(touch.X[63], grasp("bdh", 63))


WRITERS = {
    "matrix.npy": lambda path, name, i: np.save(path, grasp(name, i)),
    "transposed.npy": lambda path, name, i: np.save(path, grasp(name, i).T),
    "images last.npy": lambda path, name, i: np.save(path, images(name, i)),
    "images first.npy": lambda path, name, i: np.save(path, np.moveaxis(images(name, i), 2, 0)),
    "rows.csv": lambda path, name, i: np.savetxt(path, grasp(name, i).T, delimiter=","),
    "rows.txt": lambda path, name, i: np.savetxt(path, grasp(name, i).T),
    "any.mat": lambda path, name, i: savemat(path, {"grasp": grasp(name, i), "label": 3}),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_a_folder_for_each_class(tmp_path, kind):
    for label in ("empty", "full"):
        (tmp_path / label).mkdir()
    for i in range(100):
        path = tmp_path / ("full" if i % 2 else "empty") / f"{i}.{kind.split('.')[1]}"
        WRITERS[kind](path, "bdh", i)
    touch = load_tactile(tmp_path, "bdh", n_jobs=2)
    assert touch.frame_shape == ((8, 9) if "images" in kind else None)
    for name, label, sequence in zip(touch.names, touch.y, touch.X, strict=True):
        number = int(name.split("/")[1].split(".")[0])
        assert label == ("full" if number % 2 else "empty")
        np.testing.assert_array_equal(sequence, grasp("bdh", number))


def test_what_is_missing_is_named_with_counts(tmp_path):
    for label, count in (("empty", 2), ("full", 1)):
        (tmp_path / label).mkdir()
        for i in range(count):
            np.save(tmp_path / label / f"{i}.npy", grasp("spr", i))
    message = (
        r"SPr must be in .*; part of it \(2 of 10 classes found; 3 of 97 sequences found: 2 in "
        r"empty, 1 in full\) is missing. Ask the authors .*Madry.*partial=True"
    )
    with pytest.raises(FileNotFoundError, match=message):
        load_tactile(tmp_path, "spr")
    assert len(load_tactile(tmp_path, "spr", partial=True)) == 3


def test_wrong_folders_and_names_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="that folder is missing"):
        load_tactile(tmp_path / "nowhere", "sd")
    with pytest.raises(FileNotFoundError, match="SD must be in .*; all of it is missing"):
        load_tactile(tmp_path, "sd", partial=True)
    with pytest.raises(ValueError, match="name must be one of 'sd', 'spr', 'bdh'; got 'sdh'"):
        load_tactile(tmp_path, "sdh")


def test_damaged_files_are_named_or_skipped(tmp_path):
    home = tmp_path / "full"
    home.mkdir()
    np.save(home / "good.npy", grasp("bdh", 0))
    np.save(home / "other hand.npy", grasp("spr", 0))
    (home / "cut.npy").write_bytes(b"\x93NUMPY")
    (home / "words.csv").write_text("no,numbers\n")
    np.save(home / "texts.npy", np.full((72, 5), "text"))
    (home / "letters.npy").write_bytes(b"")
    os.mkfifo(home / "pipe.csv")
    savemat(home / "two.mat", {"a": np.zeros((72, 5)), "b": np.zeros((72, 5))})
    with pytest.warns(UserWarning, match="7 items were skipped"):
        touch = load_tactile(tmp_path, "bdh", partial=True)
    assert touch.names == ("full/good.npy",)
    reasons = {name.removeprefix("full/"): reason for name, reason in touch.skipped}
    assert "must hold 72 sensors or 8 x 9 images over time" in reasons["other hand.npy"]
    assert "got an array of shape (128, 5)" in reasons["other hand.npy"]
    assert "cut.npy must be a complete npy file" in reasons["cut.npy"]
    assert "words.csv must be a table of numbers; got no row of numbers" in reasons["words.csv"]
    assert "texts.npy must hold numbers; got dtype <U4" in reasons["texts.npy"]
    assert "letters.npy must be an .npy array; got an empty file" in reasons["letters.npy"]
    assert "pipe.csv must be a regular file; got a pipe" in reasons["pipe.csv"]
    assert "two.mat must hold one matrix or array; got 2 of them" in reasons["two.mat"]


def test_nothing_readable_is_an_error(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "words.txt").write_text("none")
    with pytest.raises(ValueError, match="words.txt must be a table of numbers"):
        load_tactile(tmp_path, "bdh", partial=True)


def test_damaged_collections_are_refused(tmp_path):
    path = tmp_path / "bdh.mat"
    savemat(path, {"data": cells([grasp("bdh", 0)] * 3), "labels": np.array([1, 2])})
    with pytest.raises(ValueError, match="a label for every sequence; got 2 labels for 3 sequenc"):
        load_tactile(tmp_path, "bdh", partial=True)
    savemat(path, {"data": cells([grasp("bdh", 0)] * 3)})
    with pytest.raises(ValueError, match="bdh.mat must hold data or X .*labels.*; got data"):
        load_tactile(tmp_path, "bdh", partial=True)
