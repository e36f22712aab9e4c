import io
import re
from base64 import b64decode
from xml.etree import ElementTree

import matplotlib.image
import numpy as np
import pytest

from ldslearn.report.charts import draw_code
from ldslearn.report.images import encode_png, format_film, format_image
from ldslearn.report.matrices import draw_matrix

from support.markup import HOSTILE

RNG = np.random.default_rng(0)


def decode_png(file):
    """Return the pixels as matplotlib reads them."""
    return np.rint(255 * matplotlib.image.imread(io.BytesIO(file))).astype(np.uint8)


def decode_images(text):
    return [
        decode_png(b64decode(one)) for one in re.findall(r"data:image/png;base64,([\w+/=]+)", text)
    ]


@pytest.mark.parametrize("shape", [(1, 1), (5, 7), (1, 300), (40, 30), (5, 7, 3), (1, 1, 3)])
@pytest.mark.parametrize("smooth", [False, True])
def test_png_keeps_pixels(shape, smooth):
    pixels = RNG.integers(0, 256, shape, dtype=np.uint8)
    if smooth:
        pixels = (np.indices(shape).sum(axis=0) % 256).astype(np.uint8)
    np.testing.assert_array_equal(decode_png(encode_png(pixels)), pixels)


def test_png_of_a_palette():
    palette = RNG.integers(0, 256, (16, 3), dtype=np.uint8)
    numbers = RNG.integers(0, 16, (9, 4), dtype=np.uint8)
    np.testing.assert_array_equal(
        decode_png(encode_png(numbers, palette))[..., :3], palette[numbers]
    )


def test_smooth_images_compress():
    smooth = (np.indices((200, 200)).sum(axis=0) // 2).astype(np.uint8)
    assert len(encode_png(smooth)) < 0.02 * smooth.size


@pytest.mark.parametrize(
    "bad", [np.zeros((2, 2)), np.zeros((2, 2, 4), np.uint8), np.zeros((0, 3), np.uint8)]
)
def test_png_of_other_arrays_is_an_error(bad):
    with pytest.raises(ValueError, match="pixels must be a .* array of uint8; got"):
        encode_png(bad)


def test_a_picture_is_escaped_and_sized():
    pixels = RNG.integers(0, 256, (6, 4), dtype=np.uint8)
    text = format_image(pixels, HOSTILE, 3)
    np.testing.assert_array_equal(decode_images(text)[0], pixels)
    assert 'width="12" height="18"' in text
    assert "<script" not in text


def test_a_film_is_its_frames_side_by_side():
    frames = RNG.normal(size=(5, 6, 4))
    text = format_film(frames, HOSTILE, rate=10, side=60)
    (strip,) = decode_images(text)
    assert strip.shape == (6, 20)
    expected = 255 * (frames - frames.min()) / np.ptp(frames)
    for k in range(5):
        assert np.abs(strip[:, 4 * k : 4 * k + 4] - expected[k]).max() <= 1
    assert "steps(5,jump-none)" in text
    assert "animation-duration:0.5s" in text
    assert "--wide:40px;height:60px" in text
    assert 'width="200"' in text
    assert "<script" not in text


def test_films_of_bytes_of_one_frame_and_of_equal_frames():
    frames = RNG.integers(40, 90, (3, 5, 5), dtype=np.uint8)
    np.testing.assert_array_equal(decode_images(format_film(frames, ""))[0], np.hstack(frames))
    assert "animation:none" in format_film(frames[:1], "")
    assert np.ptp(decode_images(format_film(np.ones((2, 3, 3)), ""))[0]) == 0
    with pytest.raises(ValueError, match=r"frames must be a .* array; got shape \(3, 3\)"):
        format_film(np.zeros((3, 3)), "")


def test_a_matrix_is_ordered_by_class():
    labels = ["b", HOSTILE, "a", "b", "a"]
    order = [1, 2, 4, 0, 3]
    matrix = RNG.random((5, 5))
    text = draw_matrix(matrix, labels)
    pixels, scale = (one[..., :3].astype(int) for one in decode_images(text))
    assert pixels.shape == (5, 5, 3)
    ramp = scale[0]  # the n-th colour stands for the n-th share
    found = np.array([[np.abs(ramp - p).sum(axis=1).argmin() for p in row] for row in pixels])
    low, high = np.percentile(matrix[~np.eye(5, dtype=bool)], [5, 95])
    shares = ((matrix - low) / (high - low)).clip(0, 1)[np.ix_(order, order)]
    assert np.abs(found / (len(ramp) - 1) - shares).max() < 0.02
    root = ElementTree.fromstring(text)
    names = [one.text for one in root.findall(".//g[@class='tick']/text")]
    assert names.count("a") == names.count("b") == 2
    titles = [one.text for one in root.findall(".//path/title")]
    assert titles == [f"{HOSTILE}: 1 rows", "a: 2 rows", "b: 2 rows"]
    texts = [one.text for one in root.findall("text")]
    assert texts == [f"≤ {low:.3g}", "kernel", f"≥ {high:.3g}"]


def test_matrices_of_one_and_of_many():
    assert "<image" in draw_matrix(np.ones((1, 1)), ["a"])
    many = draw_matrix(RNG.random((90, 90)), [f"class {k}" for k in range(90)])
    assert many.count("<title>") == 90
    assert "class 7</text>" not in many  # too narrow
    with pytest.raises(ValueError, match="matrix must be square, a row for each of 2 labels"):
        draw_matrix(np.ones((2, 3)), ["a", "b"])


def test_bars_of_codes_are_as_long_as_coefficients():
    values = [0.8, -0.4, 0.2]
    text = draw_code(values, ["a", HOSTILE, "b"], ["a", HOSTILE, "b"], [True, False, True])
    rects = ElementTree.fromstring(text).findall(".//rect")
    lengths = np.array([float(rect.get("width")) for rect in rects])
    np.testing.assert_allclose(lengths / lengths[0], [1, 0.5, 0.25], atol=2e-3)
    ends = [float(rect.get("x")) for rect in rects]
    assert ends[0] == ends[2] == pytest.approx(ends[1] + lengths[1], abs=0.11)
    assert [rect.get("class") for rect in rects] == ["own", "other", "own"]
    assert "<script" not in text
    assert draw_code([], [], [], [])
