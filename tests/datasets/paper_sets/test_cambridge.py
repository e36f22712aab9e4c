import shutil
from dataclasses import replace

import numpy as np
import pytest

from ldslearn.datasets.paper_sets.cambridge import load_cambridge
from ldslearn.datasets.paper_sets.layouts import SETS
from ldslearn.datasets.reading_settings import ReadingSettings

from support.layouts import identity, quadrants, write_cambridge, write_frames


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return write_cambridge(tmp_path_factory.mktemp("cambridge") / "gestures")


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setitem(SETS, "cambridge", replace(SETS["cambridge"], n_sequences=9 * 5 * 2))


@pytest.mark.usefixtures("few")
def test_pixels_labels_sets_and_split_belong_together(whole):
    gestures = load_cambridge(whole, size=None, n_jobs=2)
    assert len(gestures) == 9 * 5 * 2
    assert gestures.frame_shape == (16, 16)
    for i, sequence in enumerate(gestures.X):
        (part, label, number), frames = identity(sequence)
        assert frames == [0, 1]
        assert gestures.names[i] == f"Set{part + 1}/{label:04d}/{number:04d}"
        assert gestures.y[i] == f"{label:04d}"
        assert gestures.groups[i] == f"Set{part + 1}"
        assert gestures.split[i] == ("train" if part == 4 else "test")
        # Class by class, the first four fifths of each for testing.
        assert i == 10 * label + 2 * part + number


@pytest.mark.usefixtures("few")
def test_the_paper_s_split_is_80_to_20(whole):
    gestures = load_cambridge(whole)
    for label in gestures.classes:
        split = list(gestures.split[gestures.y == label])
        assert split == ["test"] * 8 + ["train"] * 2


def test_frames_are_resized_to_20_by_20(tmp_path):
    write_frames(tmp_path / "Set2/0003/0000", np.full((3, 24, 32), 77, np.uint8))
    gestures = load_cambridge(tmp_path, partial=True)
    assert gestures.X[0].shape == (400, 3)
    assert gestures.frame_shape == (20, 20)
    np.testing.assert_allclose(gestures.X[0], 77, atol=1)
    assert ReadingSettings.from_dict(gestures.preprocessing).frames.size == (20, 20)


def test_numbers_of_jobs_give_the_same(whole):
    one, two = (load_cambridge(whole, partial=True, n_jobs=n) for n in (1, 2))
    for a, b in zip(one.X, two.X, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.usefixtures("few")
def test_lower_case_sets_hidden_folders_and_other_files_are_accepted(whole, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(whole, copy)
    (copy / "Set1").rename(copy / "set1")
    (copy / "Set2" / "0000" / "Thumbs.db").write_bytes(b"x")
    (copy / "Set2" / "0000" / ".cache").mkdir()
    assert load_cambridge(copy).names == load_cambridge(whole).names


def test_what_is_missing_is_named_with_counts(tmp_path):
    for number in range(18):
        write_frames(tmp_path / f"Set2/0003/{number:04d}", quadrants(1, 3, number, n_frames=1))
    (tmp_path / "Set2/0003/0018").mkdir()  # no frames: no sequence
    with pytest.raises(FileNotFoundError) as caught:
        load_cambridge(tmp_path)
    message = str(caught.value)
    assert message.startswith(f"the Cambridge hand gestures must be in {tmp_path}; part of it (")
    assert "Set1/0000 has 0 of 20 sequences" in message
    assert "; and 40 more) is missing" in message
    assert "Set1/0000/0000/frame-0000.jpg" in message
    assert "partial=True" in message
    assert len(load_cambridge(tmp_path, partial=True)) == 18


@pytest.mark.usefixtures("few")
def test_one_short_class_is_named(whole, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(whole, copy)
    shutil.rmtree(copy / "Set5" / "0008" / "0001")
    with pytest.raises(FileNotFoundError, match=r"part of it \(Set5/0008 has 1 of 2 sequences\)"):
        load_cambridge(copy)
    gestures = load_cambridge(copy, partial=True)
    assert list(gestures.split[gestures.y == "0008"]) == ["test"] * 8 + ["train"]


def test_wrong_folders_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="that folder is missing. Get the Cambridge"):
        load_cambridge(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="all of it is missing"):
        load_cambridge(tmp_path, partial=True)


def test_a_damaged_frame_is_named_or_skipped(tmp_path):
    for number in range(2):
        write_frames(tmp_path / f"Set1/0000/{number:04d}", quadrants(0, 0, number))
    bad = tmp_path / "Set1/0000/0001/frame-0001.jpg"
    bad.write_bytes(b"not a picture")
    with pytest.warns(UserWarning, match="1 item was skipped.*frame-0001.jpg"):
        gestures = load_cambridge(tmp_path, partial=True)
    assert gestures.names == ("Set1/0000/0000",)
    assert [name for name, _ in gestures.skipped] == ["Set1/0000/0001"]


@pytest.mark.usefixtures("few")
def test_a_damaged_frame_stops_a_whole_load(whole, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(whole, copy)
    (copy / "Set3/0004/0001/frame-0000.jpg").write_bytes(b"not a picture")
    with pytest.raises(ValueError, match="Set3/0004/0001/frame-0000.jpg must be a video or im"):
        load_cambridge(copy)


def test_frames_of_other_sizes_need_size(tmp_path):
    write_frames(tmp_path / "Set1/0000/0000", quadrants(0, 0, 0))
    write_frames(tmp_path / "Set1/0000/0001", np.zeros((2, 8, 8), np.uint8))
    with pytest.warns(UserWarning, match=r"Set1/0000/0001 must have frames of shape \(16, 16\)"):
        assert len(load_cambridge(tmp_path, size=None, partial=True)) == 1
