from dataclasses import replace

import numpy as np
import pytest
from scipy.io import savemat

from ldslearn.datasets.paper_sets.dyntexpp import load_dyntexpp
from ldslearn.datasets.paper_sets.layouts import SETS
from ldslearn.video import lbp_top, write_video

from support.layouts import cells, coded, identity, quadrants, write_dyntexpp_info

N_CLASSES, PER_CLASS = 11, 3


@pytest.fixture
def few(monkeypatch):
    few = replace(SETS["dyntexpp"], n_parts=N_CLASSES, n_sequences=N_CLASSES * PER_CLASS)
    monkeypatch.setitem(SETS, "dyntexpp", few)


@pytest.fixture(scope="module")
def listed(tmp_path_factory):
    home = tmp_path_factory.mktemp("dyntex") / "DynTex++"
    return write_dyntexpp_info(home, N_CLASSES, PER_CLASS)


@pytest.mark.usefixtures("few")
def test_the_info_file_names_files_and_classes(listed):
    videos = load_dyntexpp(listed, features="pixels")
    assert len(videos) == 33
    assert videos.frame_shape == (6, 6)
    assert videos.split is None
    for number in range(33):
        assert videos.names[number] == f"files/{number + 1:04d}.mat"
        assert videos.y[number] == f"texture {number % N_CLASSES + 1}"
        np.testing.assert_array_equal(videos.X[number], coded(number, (6, 6), 12).reshape(36, 12))


@pytest.mark.usefixtures("few")
def test_features_are_lbp_top_of_eight_frames_with_six_in_common(listed):
    videos = load_dyntexpp(listed, n_jobs=2)
    video = np.moveaxis(coded(20, (6, 6), 12), 2, 0)
    np.testing.assert_array_equal(videos.X[20], lbp_top(video, window=8, step=2))
    assert videos.X[0].shape == (177, 3)
    assert videos.frame_shape is None
    assert videos.preprocessing["features"] == "lbp-top"


@pytest.mark.usefixtures("few")
def test_nine_are_the_first_nine_classes(listed):
    videos = load_dyntexpp(listed, classes="nine", features="pixels")
    assert set(videos.y) == {f"texture {number}" for number in range(1, 10)}
    assert len(videos) == 9 * PER_CLASS
    np.testing.assert_array_equal(videos.X[9], coded(11, (6, 6), 12).reshape(36, 12))


@pytest.mark.usefixtures("few")
def test_nine_classes_alone_suffice_for_nine(tmp_path):
    for number in range(9 * PER_CLASS):
        savemat(tmp_path / f"{number + 1:04d}.mat", {"subv": coded(number)})
    assert len(load_dyntexpp(tmp_path, classes="nine", features="pixels")) == 27
    with pytest.raises(FileNotFoundError, match="9 of 11 classes found"):
        load_dyntexpp(tmp_path)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("suffix", [".mat", ".avi"])
def test_a_folder_for_each_class(tmp_path, suffix):
    for c in range(N_CLASSES):
        (tmp_path / f"class{c}").mkdir()
        for number in range(PER_CLASS):
            path = tmp_path / f"class{c}" / f"{number}{suffix}"
            frames = quadrants(c, number, 0)
            if suffix == ".mat":
                savemat(path, {"anything": np.moveaxis(frames, 0, 2)})
            else:
                write_video(path, frames)
    videos = load_dyntexpp(tmp_path, features="pixels")
    for i, sequence in enumerate(videos.X):
        (c, number, _), frames = identity(sequence)
        assert frames == [0, 1]
        assert videos.y[i] == f"class{c}"
        assert i == PER_CLASS * c + number  # class10 after class9
    nine = load_dyntexpp(tmp_path, features="pixels", classes="nine")
    assert set(nine.y) == {f"class{c}" for c in range(9)}


@pytest.mark.usefixtures("few")
def test_numbered_files_are_classes_in_order(tmp_path):
    for number in range(N_CLASSES * PER_CLASS):
        if number != 4:
            savemat(tmp_path / f"{number + 1:04d}.mat", {"subv": coded(number)})
    with pytest.raises(FileNotFoundError, match=r"\(class 02 has 2 of 3 videos\) is missing"):
        load_dyntexpp(tmp_path)
    videos = load_dyntexpp(tmp_path, features="pixels", partial=True)
    # A gap shifts nothing: file 0007 still opens class 03.
    assert dict(zip(videos.names, videos.y, strict=True))["0007.mat"] == "03"
    np.testing.assert_array_equal(videos.X[5], coded(6).reshape(16, 5))


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    ("filepath", "label"),
    [("all/{c}/{n}.mat", "c1"), ("{c}/{n}.mat", "c1"), ("all/{c}{n}.mat", "02")],
)
def test_classes_without_labels_come_from_folders_or_order(tmp_path, filepath, label):
    entries = []
    for i in range(N_CLASSES * PER_CLASS):
        c, n = divmod(i, PER_CLASS)
        path = filepath.format(c=f"c{c}", n=n)
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        savemat(tmp_path / path, {"subv": coded(i)})
        entries.append({"filepath": path.replace("/", "\\")})
    savemat(tmp_path / "dyntex++_info.mat", {"imagemaster": cells(entries)})
    videos = load_dyntexpp(tmp_path, features="pixels")
    assert videos.y[4] == label
    np.testing.assert_array_equal(videos.X[4], coded(4).reshape(16, 5))


def test_the_real_set_has_36_classes_of_100(tmp_path):
    (tmp_path / "sea").mkdir()
    savemat(tmp_path / "sea" / "1.mat", {"subv": coded(0)})
    message = r"\(1 of 36 classes found; class sea has 1 of 100 videos\) is missing.*partial=True"
    with pytest.raises(FileNotFoundError, match=message):
        load_dyntexpp(tmp_path)


def test_files_that_the_info_names_must_be_there(tmp_path):
    home = write_dyntexpp_info(tmp_path / "set", 2, 2)
    (home / "files" / "0003.mat").unlink()
    with pytest.raises(FileNotFoundError, match="class texture 1 has 1 of 100 videos"):
        load_dyntexpp(home)
    assert len(load_dyntexpp(home, partial=True)) == 3


def test_wrong_folders_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="that folder is missing"):
        load_dyntexpp(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="all of it is missing. Get the DynTex"):
        load_dyntexpp(tmp_path, partial=True)


def test_damaged_files_are_named_or_skipped(tmp_path):
    home = write_dyntexpp_info(tmp_path / "set", 2, 2)
    (home / "files" / "0001.mat").write_bytes(b"damaged")
    savemat(home / "files" / "0002.mat", {"subv": np.zeros((3, 3))})
    with pytest.warns(UserWarning, match="2 items were skipped.*0001.mat"):
        videos = load_dyntexpp(home, partial=True, features="pixels")
    assert videos.names == ("files/0003.mat", "files/0004.mat")
    reasons = dict(videos.skipped)
    assert "0002.mat must hold subv, an array of shape" in reasons["files/0002.mat"]


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ({"other": 1}, "info.mat must hold imagemaster; got other"),
        ({"imagemaster": cells([{"class": "sea"}])}, "give filepath.*; got entry 1 without"),
        ({"imagemaster": cells([{"filepath": "../x.mat"}])}, "must name files within its folder"),
    ],
)
def test_damaged_info_is_refused(tmp_path, contents, message):
    savemat(tmp_path / "dyntex++_info.mat", contents)
    with pytest.raises(ValueError, match=message):
        load_dyntexpp(tmp_path, partial=True)


def test_parameters_are_checked(tmp_path):
    with pytest.raises(ValueError, match="features must be one of 'lbp-top', 'pixels'; got 'hog'"):
        load_dyntexpp(tmp_path, features="hog")
    with pytest.raises(ValueError, match="classes must be None or 'nine'; got 'ten'"):
        load_dyntexpp(tmp_path, classes="ten")
