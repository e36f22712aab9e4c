from dataclasses import replace

import numpy as np
import pytest
from scipy.io import savemat

from ldslearn.datasets.paper_sets.layouts import SETS
from ldslearn.datasets.paper_sets.ucsd import load_ucsd

from support.layouts import (
    TRAFFIC,
    cells,
    clip_name,
    coded,
    identity,
    write_trafficdb,
    write_trafficdb_mat,
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return write_trafficdb(tmp_path_factory.mktemp("ucsd") / "trafficdb")


@pytest.fixture(scope="module")
def videos(tmp_path_factory):
    return write_trafficdb(tmp_path_factory.mktemp("ucsd") / "trafficdb", n_clips=8, video=True)


def test_patches_reach_their_clips(whole):
    traffic = load_ucsd(whole)
    assert len(traffic) == 254
    assert traffic.frame_shape == (4, 4)
    for i, sequence in enumerate(traffic.X, start=1):
        np.testing.assert_array_equal(sequence, coded(i).reshape(16, 5))
        assert traffic.names[i - 1] == clip_name(i)
        assert traffic.y[i - 1] == TRAFFIC[i % 3]


@pytest.mark.parametrize("trial", [1, 2, 3, 4])
def test_each_trial_has_its_split(whole, trial):
    split = load_ucsd(whole, trial=trial).split
    expected = ["test" if i % 4 == trial % 4 else "train" for i in range(1, 255)]
    assert list(split) == expected


def test_text_and_mat_files_say_the_same(whole, tmp_path):
    text, mat = load_ucsd(whole, trial=3), load_ucsd(write_trafficdb_mat(tmp_path / "db"), trial=3)
    assert text.names == mat.names
    np.testing.assert_array_equal(text.y, mat.y)
    np.testing.assert_array_equal(text.split, mat.split)


def test_indices_of_imagemaster_count_not_lines(tmp_path):
    root = write_trafficdb(tmp_path)
    header, *lines = (root / "ImageMaster").read_text().splitlines()
    (root / "ImageMaster").write_text("\n".join([header, *reversed(lines)]))
    assert load_ucsd(root).names[0] == clip_name(1)


def test_clips_that_no_part_lists_are_unused(tmp_path):
    root = write_trafficdb(tmp_path)
    path = root / "EvalSet_train"
    path.write_text(path.read_text().replace("2,3,4,", "2,4,", 1))
    split = load_ucsd(root, trial=1).split
    assert list(split[:5]) == ["test", "train", "unused", "train", "test"]


def test_the_second_file_of_patches(tmp_path):
    root = write_trafficdb(tmp_path)
    patches = cells([-coded(i) for i in range(1, 255)])
    savemat(root / "traffic_patches_reg.mat", {"imgdb": patches})
    traffic = load_ucsd(root, source="patches_reg")
    np.testing.assert_array_equal(traffic.X[7], -coded(8).reshape(16, 5))


def test_videos_reach_their_clips(videos, monkeypatch):
    monkeypatch.setitem(SETS, "ucsd", replace(SETS["ucsd"], n_sequences=8))
    traffic = load_ucsd(videos, source="video", size=None, n_jobs=2)
    for i, sequence in enumerate(traffic.X, start=1):
        assert identity(sequence) == ((i % 24, i % 3, i % 4), [0, 1, 2])
        assert traffic.names[i - 1] == clip_name(i)
    assert load_ucsd(videos, source="video").X[0].shape == (48 * 48, 3)


def test_missing_clips_are_counted_and_named(videos, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"part of it \(ImageMaster lists 8 of 254 clips\)"):
        load_ucsd(videos, source="video")
    monkeypatch.setitem(SETS, "ucsd", replace(SETS["ucsd"], n_sequences=8))
    clip = videos / "video" / f"{clip_name(3)}.avi"
    hidden = clip.rename(clip.with_suffix(".off"))
    try:
        message = rf"video has 7 of 8 clips; no video/{clip_name(3)}.avi\) is missing.*partial=True"
        with pytest.raises(FileNotFoundError, match=message):
            load_ucsd(videos, source="video")
        traffic = load_ucsd(videos, source="video", partial=True)
    finally:
        hidden.rename(clip)
    assert traffic.names == tuple(clip_name(i) for i in range(1, 9) if i != 3)
    assert list(traffic.split[:4]) == ["test", "train", "train", "test"]


@pytest.mark.parametrize(
    "name", ["ImageMaster", "EvalSet_train", "EvalSet_test", "traffic_patches.mat"]
)
def test_missing_files_are_named(tmp_path, name):
    root = write_trafficdb(tmp_path, 4)
    (root / name).unlink()
    with pytest.raises(FileNotFoundError, match=f"; {name} is missing. Get trafficdb from"):
        load_ucsd(root, partial=True)


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="that folder is missing"):
        load_ucsd(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("ImageMaster", "1\tclip\n", "ImageMaster must list index, clip and class in every line"),
        ("ImageMaster", "one clip light\n", "got 'one clip light' in line 1"),
        ("ImageMaster", "1 clip busy\n", "a class of light, medium, heavy; got 'busy' for clip 1"),
        ("ImageMaster", "1 a light\n1 b heavy\n", "must number every clip differently"),
        ("EvalSet_train", "1,2\n3,4\n", "EvalSet_train must hold 4 trials; got 2 rows"),
        ("EvalSet_train", "1\n2\nthree\n4\n", "list numbers of clips; got line 3 with other text"),
        ("EvalSet_test", "9\n1\n1\n1\n", "must list clips of ImageMaster; got 9 in trial 1"),
        ("EvalSet_test", "2\n1\n1\n1\n", "got clip 2 in both in trial 1"),
    ],
)
def test_damaged_lists_are_refused(tmp_path, name, text, message):
    root = write_trafficdb(tmp_path, 4)
    (root / name).write_text(text)
    with pytest.raises(ValueError, match=message):
        load_ucsd(root, partial=True)


def test_patches_must_match_the_list(tmp_path):
    root = write_trafficdb(tmp_path, 4)
    path = root / "traffic_patches.mat"
    savemat(path, {"imgdb": cells([coded(1)] * 3)})
    with pytest.raises(ValueError, match="must hold 4 clips in imgdb, as ImageMaster lists; got 3"):
        load_ucsd(root, partial=True)
    savemat(path, {"clips": 1})
    with pytest.raises(ValueError, match="must hold imgdb; got clips"):
        load_ucsd(root, partial=True)
    path.write_bytes(b"MATLAB")
    with pytest.raises(ValueError, match="traffic_patches.mat"):
        load_ucsd(root, partial=True)


def test_damaged_mat_lists_are_refused(tmp_path):
    root = write_trafficdb_mat(tmp_path, 4)
    savemat(root / "ImageMaster.mat", {"imagemaster": cells([{"root": "a"}, {"root": "b"}])})
    with pytest.raises(ValueError, match="must give root and class in imagemaster"):
        load_ucsd(root, partial=True)


def test_a_patch_of_another_shape_is_named(tmp_path):
    root = write_trafficdb(tmp_path, 4)
    patches = [coded(1), coded(2), np.zeros((4, 4)), coded(4)]
    savemat(root / "traffic_patches.mat", {"imgdb": cells(patches)})
    with pytest.warns(UserWarning, match=f"{clip_name(3)} must have shape .* got shape .4, 4."):
        traffic = load_ucsd(root, partial=True)
    assert traffic.names == (clip_name(1), clip_name(2), clip_name(4))


def test_parameters_are_checked(tmp_path):
    with pytest.raises(ValueError, match="trial must be 1, 2, 3 or 4; got 5"):
        load_ucsd(tmp_path, trial=5)
    with pytest.raises(ValueError, match="source must be one of 'patches'.*; got 'avi'"):
        load_ucsd(tmp_path, source="avi")
