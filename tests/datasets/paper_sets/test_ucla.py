from dataclasses import replace

import numpy as np
import pytest

from ldslearn.datasets.paper_sets.layouts import SETS
from ldslearn.datasets.paper_sets.ucla import load_ucla
from ldslearn.video import write_video

from support.layouts import (
    coded,
    identity,
    quadrants,
    write_frames,
    write_ucla_patches,
)

TEXTURES = ["boiling", "candle", "fire"]


@pytest.fixture
def few(monkeypatch):
    few = replace(SETS["ucla"], n_parts=len(TEXTURES), n_sequences=4 * len(TEXTURES))
    monkeypatch.setitem(SETS, "ucla", few)


def check(textures):
    """Pixels, label and number of every sequence belong together."""
    assert len(textures) == 12
    for i, sequence in enumerate(textures.X):
        (texture, number, _), frames = identity(sequence)
        assert frames == [0, 1]
        assert textures.y[i] == TEXTURES[texture]
        assert textures.split[i] == str(number)


def test_patches_come_four_by_four(tmp_path):
    textures = load_ucla(write_ucla_patches(tmp_path))
    assert len(textures) == 200
    assert len(textures.classes) == 50
    assert textures.frame_shape == (4, 4)
    assert list(textures.y[:5]) == ["01"] * 4 + ["02"]
    assert list(textures.split) == ["1", "2", "3", "4"] * 50
    for i in range(200):
        np.testing.assert_array_equal(textures.X[i], coded(i).reshape(16, 5))


def test_labels_of_the_file_are_used(tmp_path):
    labels = [f"texture {i % 50}" for i in range(200)]
    textures = load_ucla(write_ucla_patches(tmp_path, labels=labels))
    for number in range(4):
        i = list(zip(textures.y, textures.split, strict=True)).index(("texture 7", str(number + 1)))
        np.testing.assert_array_equal(textures.X[i], coded(50 * number + 7).reshape(16, 5))


def test_numbers_as_labels(tmp_path):
    textures = load_ucla(write_ucla_patches(tmp_path, labels=[i // 4 + 1.0 for i in range(200)]))
    assert list(textures.y[:8]) == ["1"] * 4 + ["2"] * 4


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("name", ["{texture}/{number}.avi", "{texture}_{number}.avi"])
def test_videos(tmp_path, name):
    for t, texture in enumerate(TEXTURES):
        for number in range(1, 5):
            path = tmp_path / name.format(texture=texture, number=number)
            path.parent.mkdir(exist_ok=True)
            write_video(path, quadrants(t, number, 0))
    check(load_ucla(tmp_path, source="frames", n_jobs=2))
    assert load_ucla(tmp_path, source="frames", size=(4, 6)).frame_shape == (4, 6)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("name", ["{texture}/view {letter}", "{texture}-0{number}"])
def test_folders_of_frames(tmp_path, name):
    for t, texture in enumerate(TEXTURES):
        for number in range(1, 5):
            home = name.format(texture=texture, number=number, letter="abcd"[number - 1])
            write_frames(tmp_path / home, quadrants(t, number, 0), ".png")
    check(load_ucla(tmp_path, source="frames"))


@pytest.mark.usefixtures("few")
def test_a_missing_sequence_is_counted_and_leaves_the_numbers(tmp_path):
    for texture in TEXTURES:
        for number in (1, 2, 3, 4) if texture != "candle" else (1, 3, 4):
            write_frames(tmp_path / f"{texture}_{number}", quadrants(0, number, 0), ".png")
    with pytest.raises(FileNotFoundError, match=r"\(candle has 3 of 4 sequences\) is missing"):
        load_ucla(tmp_path)
    textures = load_ucla(tmp_path, source="frames", partial=True)
    assert list(textures.split[textures.y == "candle"]) == ["1", "3", "4"]


def test_missing_textures_are_counted(tmp_path):
    write_ucla_patches(tmp_path, n_clips=198)
    message = r"part of it \(50 has 2 of 4 sequences\) is missing.*partial=True"
    with pytest.raises(FileNotFoundError, match=message):
        load_ucla(tmp_path)
    write_ucla_patches(tmp_path, n_clips=40)
    with pytest.raises(FileNotFoundError, match="10 of 50 textures found"):
        load_ucla(tmp_path)
    assert len(load_ucla(tmp_path, partial=True)) == 40


def test_wrong_folders_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="that folder is missing"):
        load_ucla(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="all of it is missing. Get the UCLA dynamic"):
        load_ucla(tmp_path, partial=True)


def test_damaged_patches_are_refused(tmp_path):
    write_ucla_patches(tmp_path, labels=["a"] * 199)
    with pytest.raises(ValueError, match="got 199 entries, 200 clips"):
        load_ucla(tmp_path)
    with pytest.raises(ValueError, match=r"size must be None with ucla_patches.mat; got \(8, 8\)"):
        load_ucla(tmp_path, size=(8, 8))
    (tmp_path / "ucla_patches.mat").write_bytes(b"damaged")
    with pytest.raises(ValueError, match="ucla_patches.mat"):
        load_ucla(tmp_path)


@pytest.mark.usefixtures("few")
def test_a_damaged_video_is_named_or_skipped(tmp_path):
    for texture in TEXTURES:
        for number in range(1, 5):
            write_video(tmp_path / f"{texture}_{number}.avi", quadrants(0, 0, 0))
    (tmp_path / "fire_2.avi").write_bytes(b"damaged")
    with pytest.raises(ValueError, match="fire_2.avi must be a video or image; got a text"):
        load_ucla(tmp_path, source="frames")
    with pytest.warns(UserWarning, match="1 item was skipped"):
        textures = load_ucla(tmp_path, source="frames", partial=True)
    assert [name for name, _ in textures.skipped] == ["fire_2.avi"]
    assert list(textures.split[textures.y == "fire"]) == ["1", "3", "4"]


def write_raw(root):
    """Clips of 110 x 160 pixels, still but for a flickering square of 48 x 48 pixels."""
    places = {}
    for t, texture in enumerate(TEXTURES):
        for number in range(1, 5):
            top, left = 16 * (t + 1), 16 * (number + 2)
            video = np.full((6, 110, 160), 120.0)
            video[:, top : top + 48, left : left + 48] += 20 * (-1.0) ** np.arange(6)[:, None, None]
            write_frames(root / f"{texture}_{number}", video.astype(np.uint8), ".png")
            places[texture, str(number)] = (top, left)
    return places


@pytest.mark.usefixtures("few")
def test_raw_clips_are_cropped_around_their_motion(tmp_path):
    places = write_raw(tmp_path)
    textures = load_ucla(tmp_path)
    assert textures.frame_shape == (48, 48)
    assert textures.preprocessing["crop"] == "motion"
    for x in textures.X:
        assert x.std(axis=1).min() > 15  # every pixel flickers: not one of the still frame
    whole = load_ucla(tmp_path, source="frames")
    assert whole.frame_shape == (110, 160)
    for x, full, key in zip(
        textures.X, whole.X, zip(textures.y, textures.split, strict=True), strict=True
    ):
        top, left = places[key]
        frames = full.T.reshape(-1, 110, 160)[:, top : top + 48, left : left + 48]
        np.testing.assert_array_equal(x, frames.reshape(6, -1).T)
    assert load_ucla(tmp_path, size=(20, 30)).frame_shape == (20, 30)


@pytest.mark.usefixtures("few")
def test_patches_are_an_option_where_clips_are_there_too(tmp_path):
    write_raw(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"ucla_patches.mat is missing"):
        load_ucla(tmp_path, source="patches")
    write_ucla_patches(tmp_path, n_clips=12)
    assert load_ucla(tmp_path).frame_shape == (4, 4)
    assert load_ucla(tmp_path, source="patches").frame_shape == (4, 4)
    assert load_ucla(tmp_path, source="motion").frame_shape == (48, 48)
    with pytest.raises(ValueError, match="source must be one of 'auto', .*; got 'crops'"):
        load_ucla(tmp_path, source="crops")
