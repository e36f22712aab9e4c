import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldslearn.video.lbp import lbp_top

from support.lbp import lbp_top_by_loop


def random_video(shape, levels=256, seed=0):
    """Few levels make ties between a pixel and neighbours interpolated around it."""
    return np.random.default_rng(seed).integers(0, levels, shape, dtype=np.uint8)


@st.composite
def cases(draw, multiple=1):
    """A video, and arguments that suit it."""
    radii = draw(st.tuples(*[st.integers(1, 3)] * 3))
    n_neighbours = draw(st.tuples(*[st.integers(-(-2 // multiple), 8 // multiple)] * 3))
    window = 2 * radii[2] + draw(st.integers(1, 4))
    shape = (
        window + draw(st.integers(0, 6)),
        2 * radii[1] + draw(st.integers(1, 5)),
        2 * radii[0] + draw(st.integers(1, 5)),
    )
    video = random_video(shape, draw(st.sampled_from([2, 4, 256])), draw(st.integers(0, 10**6)))
    arguments = {
        "n_neighbours": tuple(multiple * P for P in n_neighbours),
        "radii": radii,
        "uniform": draw(st.booleans()),
        "window": window,
        "step": draw(st.integers(1, 4)),
    }
    return video, arguments


def planes(histograms, n_neighbours, uniform):
    """The rows of XY, XT and YT."""
    sizes = [P * (P - 1) + 3 if uniform else 2**P for P in n_neighbours]
    assert len(histograms) == sum(sizes)
    return np.split(histograms, np.cumsum(sizes)[:-1])


def renumbered(P, new_number):
    """For each code the code with bit p as bit new_number(p), modulo P."""
    codes = np.arange(2**P)
    return sum((codes >> p & 1) << new_number(p) % P for p in range(P))


# One pixel with all its neighbours; rows are y, columns are x.
ONE_PIXEL = np.array(
    [
        [[0, 5, 0], [5, 5, 5], [0, 8, 0]],
        [[9, 7, 12], [4, 5, 8], [5, 2, 1]],
        [[0, 5, 0], [9, 5, 2], [0, 11, 0]],
    ]
)


def test_one_pixel_by_hand():
    """A neighbour on the diagonal differs by c (1 - c) (d1 + d2) + c^2 d12 from the centre.

    With c = cos(pi / 4), d1 and d2 the differences of the two pixels beside it and d12 that of the
    one at the corner; c (1 - c) = 0.2071 and c^2 = 0.5. The centre is 5.

    XY: the differences to the right +3, below -3, left -1, above +2; at the corners -4 (right
    below), 0 (left below), +4 (left above), +7 (right above).
      p = 0      1      2      3      4      5      6      7
         +3   -2.00    -3   -0.83    -1   +2.21    +2   +4.54     bits 1 0 0 0 0 1 1 1
      The code is 1 + 32 + 64 + 128 = 225, with two changes.
    XT: right +3, later 0, left -1, earlier 0; corners -3 (right later), +4 (left later), 0, 0.
         +3   -0.88     0   +1.79    -1   -0.21     0   +0.62     bits 1 0 1 1 0 0 1 1
      The code is 1 + 4 + 8 + 64 + 128 = 205, with four changes.
    YT: below -3, later 0, above +2, earlier 0; corners +6 (below later), 0, 0, +3 (below earlier).
         -3   +2.38     0   +0.41    +2   +0.41     0   +0.88     bits 0 1 1 1 1 1 1 1
      The code is 254, with two changes.
    """
    histogram = lbp_top(ONE_PIXEL, uniform=False, window=3)
    assert histogram.shape == (3 * 256, 1)
    assert np.flatnonzero(histogram).tolist() == [225, 256 + 205, 512 + 254]
    assert histogram.sum() == 3

    # The 58 uniform codes end with 255, 254, 253, 252, 251, 249, 248, 247, 243, 241, 240, 239, 231,
    # 227, 225: bins 57 and 56 are those of 255 and 254, bin 43 that of 225; 58 holds all others.
    histogram = lbp_top(ONE_PIXEL, window=3)
    assert histogram.shape == (3 * 59, 1)
    assert np.flatnonzero(histogram).tolist() == [43, 59 + 58, 118 + 56]

    # With four neighbours the corners do not matter: 1001, 1101 and 0111, first bit first.
    histogram = lbp_top(ONE_PIXEL, n_neighbours=4, uniform=False, window=3)
    assert np.flatnonzero(histogram).tolist() == [1 + 8, 16 + 1 + 2 + 8, 32 + 2 + 4 + 8]


@pytest.mark.parametrize("uniform", [True, False])
@pytest.mark.parametrize("levels", [3, 256])
@pytest.mark.parametrize(
    ("shape", "n_neighbours", "radii"),
    [
        ((13, 6, 7), (8, 8, 8), (1, 1, 1)),
        ((10, 5, 8), (4, 4, 4), (1, 1, 1)),
        ((9, 7, 9), (8, 4, 8), (3, 2, 1)),
        ((10, 9, 6), (4, 6, 3), (1, 3, 2)),
        ((8, 5, 6), (5, 2, 12), (2, 1, 3)),
    ],
)
def test_histograms_are_those_of_the_loop(shape, n_neighbours, radii, levels, uniform):
    video = random_video(shape, levels)
    expected = lbp_top_by_loop(video, n_neighbours, radii, uniform)
    actual = lbp_top(video, n_neighbours=n_neighbours, radii=radii, uniform=uniform)
    np.testing.assert_allclose(actual, expected, rtol=1e-14)


def test_sixteen_neighbours():
    video = random_video((8, 7, 7))
    expected = lbp_top_by_loop(video, (16, 16, 16), (2, 2, 2))
    assert expected.shape == (3 * 243, 1)
    np.testing.assert_allclose(lbp_top(video, n_neighbours=16, radii=2), expected, rtol=1e-14)


@given(case=cases())
def test_law_histograms_are_those_of_the_loop(case):
    video, arguments = case
    expected = lbp_top_by_loop(video, **arguments)
    np.testing.assert_allclose(lbp_top(video, **arguments), expected, rtol=1e-14)


@given(case=cases())
def test_law_each_plane_sums_to_one(case):
    video, arguments = case
    histograms = lbp_top(video, **arguments)
    assert histograms.dtype == np.float64
    assert histograms.min() >= 0
    n_windows = (len(video) - arguments["window"]) // arguments["step"] + 1
    for plane in planes(histograms, arguments["n_neighbours"], arguments["uniform"]):
        assert plane.shape[1] == n_windows
        np.testing.assert_allclose(plane.sum(axis=0), 1, rtol=1e-14)


@given(case=cases())
def test_law_a_sub_video_stands_by_itself(case):
    video, arguments = case
    histograms = lbp_top(video, **arguments)
    for w, histogram in enumerate(histograms.T):
        start = w * arguments["step"]
        alone = lbp_top(video[start : start + arguments["window"]], **arguments)
        np.testing.assert_array_equal(alone, histogram[:, None])


@given(case=cases(), gain=st.floats(0.1, 100), offset=st.floats(-1000, 1000))
def test_law_gain_and_offset_do_not_matter(case, gain, offset):
    video, arguments = case
    np.testing.assert_array_equal(
        lbp_top(gain * video + offset, **arguments), lbp_top(video, **arguments)
    )


@given(case=cases())
def test_law_neighbours_on_pixels_only_see_the_order_of_grey_values(case):
    video, arguments = case
    arguments["n_neighbours"] = 4
    np.testing.assert_array_equal(lbp_top(np.sqrt(video), **arguments), lbp_top(video, **arguments))


@given(case=cases(multiple=4))
def test_law_transposed_frames_swap_xt_and_yt(case):
    """And bit p of XY, at the angle of p, comes to lie at a right angle minus that."""
    video, arguments = case
    arguments["uniform"] = False
    P_xy, P_xt, P_yt = arguments["n_neighbours"]
    radius_x, radius_y, radius_t = arguments["radii"]
    xy, xt, yt = planes(lbp_top(video, **arguments), (P_xy, P_xt, P_yt), False)
    arguments.update(n_neighbours=(P_xy, P_yt, P_xt), radii=(radius_y, radius_x, radius_t))
    turned = lbp_top(video.transpose(0, 2, 1), **arguments)
    xy_turned, xt_turned, yt_turned = planes(turned, (P_xy, P_yt, P_xt), False)
    np.testing.assert_array_equal(xt_turned, yt)
    np.testing.assert_array_equal(yt_turned, xt)
    np.testing.assert_array_equal(xy_turned[renumbered(P_xy, lambda p: P_xy // 4 - p)], xy)


@given(case=cases())
def test_law_backwards_in_time_the_bits_of_xt_and_yt_run_backwards(case):
    video, arguments = case
    arguments.update(uniform=False, step=1)
    sizes = arguments["n_neighbours"]
    xy, xt, yt = planes(lbp_top(video, **arguments), sizes, False)
    back = lbp_top(video[::-1], **arguments)[:, ::-1]
    xy_back, xt_back, yt_back = planes(back, sizes, False)
    np.testing.assert_array_equal(xy_back, xy)
    np.testing.assert_array_equal(xt_back[renumbered(sizes[1], lambda p: -p)], xt)
    np.testing.assert_array_equal(yt_back[renumbered(sizes[2], lambda p: -p)], yt)


@given(case=cases())
def test_law_uniform_bins_are_those_of_all_codes_with_the_rest_in_one(case):
    video, arguments = case
    sizes = arguments["n_neighbours"]
    uniform, full = (
        planes(lbp_top(video, **(arguments | {"uniform": kind})), sizes, kind)
        for kind in (True, False)
    )
    for P, few, many in zip(sizes, uniform, full, strict=True):
        codes = np.arange(2**P)
        # Bit p against bit p + 1, the last against the first.
        changed = codes ^ (codes >> 1 | (codes & 1) << (P - 1))
        smooth = np.array([int(code).bit_count() <= 2 for code in changed])
        np.testing.assert_array_equal(few[:-1], many[smooth])
        np.testing.assert_allclose(few[-1], many[~smooth].sum(axis=0), atol=1e-14)


@pytest.mark.parametrize("grey", [0, 0.1, 1e-3 / 3, -1e9 / 7])
def test_on_a_constant_video_no_neighbour_is_darker(grey):
    histograms = lbp_top(np.full((9, 9, 9), grey), n_neighbours=(5, 7, 12), radii=2, uniform=False)
    assert np.flatnonzero(histograms).tolist() == [31, 32 + 127, 32 + 128 + 4095]


@pytest.mark.parametrize("slope", [1, 0.1, -1 / 3])
def test_rounding_decides_no_tie(slope):
    """On a plane x + y the neighbours at (x - c, y + c) and (x + c, y - c) are as grey as x, y."""
    y, x = np.mgrid[:12, :13]
    histograms = lbp_top(np.stack([slope * (x + y)] * 8), uniform=False)[:256]
    assert np.flatnonzero(histograms).tolist() == [0b10001111 if slope > 0 else 0b11111000]


def test_default_is_eight_frames_of_which_six_overlap():
    histograms = lbp_top(random_video((50, 9, 8)))
    assert histograms.shape == (177, 22)
    np.testing.assert_array_equal(histograms[:, 3:], lbp_top(random_video((50, 9, 8))[6:]))


@pytest.mark.parametrize("convert", [np.float32, np.float64, np.int16, np.ndarray.tolist])
def test_any_real_numbers_are_accepted(convert):
    video = random_video((9, 6, 7))
    given = convert(video)
    np.testing.assert_array_equal(lbp_top(given), lbp_top(video))
    np.testing.assert_array_equal(given, random_video((9, 6, 7)))


def test_any_order_in_memory_is_accepted():
    video = random_video((9, 6, 7))
    for same in (np.asfortranarray(video), np.repeat(video, 2, axis=2)[:, :, ::2]):
        np.testing.assert_array_equal(lbp_top(same), lbp_top(video))


def test_one_number_stands_for_three():
    video = random_video((9, 6, 7))
    np.testing.assert_array_equal(
        lbp_top(video, n_neighbours=4, radii=2),
        lbp_top(video, n_neighbours=(4,) * 3, radii=[2] * 3),
    )


def test_wrong_videos_are_named():
    with pytest.raises(ValueError, match=r"must have shape .*; got shape \(9, 8, 7, 3\). Make col"):
        lbp_top(np.zeros((9, 8, 7, 3)))
    with pytest.raises(ValueError, match=r"\(n_frames, height, width\); got shape \(9, 8\)\.$"):
        lbp_top(np.zeros((9, 8)))
    with pytest.raises(TypeError, match="video must hold real numbers; got dtype complex128"):
        lbp_top(np.zeros((9, 8, 7), dtype=complex))
    with pytest.raises(ValueError, match="have at least 8 frames, as many as window; got 7. Lower"):
        lbp_top(np.zeros((7, 8, 7)))
    with pytest.raises(ValueError, match="at least 5 high and 3 wide .*; got 4 x 9. Lower radii"):
        lbp_top(np.zeros((9, 4, 9)), radii=(1, 2, 1))
    with pytest.raises(ValueError, match="at least 3 high and 7 wide .*; got 9 x 6. Lower radii"):
        lbp_top(np.zeros((9, 9, 6)), radii=(3, 1, 1))
    broken = np.zeros((9, 8, 7))
    broken[1, 2, 3], broken[4, 4, 4] = np.nan, -np.inf
    with pytest.raises(ValueError, match="be finite; got 2 NaN or infinite of 504 values. Interp"):
        lbp_top(broken)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_neighbours": 1}, "n_neighbours must be an integer of at least 2; got 1"),
        ({"n_neighbours": (8, 8, 17)}, r"n_neighbours must be at most 16; got \(8, 8, 17\)"),
        ({"n_neighbours": (8, 8)}, r"n_neighbours must be one integer or three; got \(8, 8\)"),
        ({"radii": (1, 1, 0)}, "radii must be an integer of at least 1; got 0"),
        ({"radii": 1.5}, "radii must be an integer of at least 1; got 1.5"),
        ({"window": 4, "radii": (1, 1, 2)}, "window must be an integer of at least 5; got 4"),
        ({"step": 0}, "step must be an integer of at least 1; got 0"),
    ],
)
def test_wrong_parameters_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        lbp_top(np.zeros((9, 8, 7)), **arguments)
