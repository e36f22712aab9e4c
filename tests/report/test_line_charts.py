import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from ldslearn.drawing.axes import make_linear_axis, make_log_axis
from ldslearn.report.line_charts import Series, draw_lines

from support.markup import HOSTILE


def draw_chart(*series, **options):
    return ElementTree.fromstring(draw_lines(series, "x", "y", **options))


def find_marks(root, number=0):
    """Return the pixels of the marks of a series."""
    found = root.findall(f".//g[@class='series'][@data-series='{number}']/path[@class='mark']")
    return np.array(
        [[float(v) for v in re.findall(r"[-\d.]+", one.get("transform"))[:2]] for one in found]
    )


def check_proportional(values, pixels):
    """Return the slope of the pixels, which are linear in the values up to two decimals."""
    slope, base = np.polyfit(values, pixels, 1)
    assert slope != 0
    np.testing.assert_allclose(pixels, slope * np.asarray(values) + base, atol=0.011)
    return slope


@pytest.mark.parametrize("percent", [False, True])
def test_places_are_linear_in_the_values(percent):
    x, y = [1, 4, 9, 30], [0.1, 0.85, 0.4, 0.93]
    places = find_marks(draw_chart(Series("a", x, y), percent=percent))
    assert check_proportional(x, places[:, 0]) > 0
    assert check_proportional(y, places[:, 1]) < 0  # larger is higher


def test_places_are_linear_in_the_logarithm():
    y = [3e-4, 0.02, 7.0, 55.0]
    places = find_marks(draw_chart(Series("a", [1, 2, 3, 4], y), log_y=True))
    assert check_proportional(np.log10(y), places[:, 1]) < 0


def test_ticks_are_at_their_values():
    root = draw_chart(Series("a", [0, 10], [0.0, 40.0]))
    ticks = [t for t in root.findall("text[@class='tick']") if t.get("text-anchor") == "end"]
    values = [float(t.text) for t in ticks]
    assert values == [0, 10, 20, 30, 40]
    heights = [float(t.get("y")) - 4 for t in ticks]
    both = np.append(heights, find_marks(root)[:, 1])
    check_proportional([*values, 0.0, 40.0], np.round(both, 1))


def test_error_bars_span_the_spread():
    y, spread = [5.0, 6.0, 7.0], [0.5, 0.0, 1.0]
    root = draw_chart(Series("a", [1, 2, 3], y, spread))
    slope = check_proportional(y, find_marks(root)[:, 1])
    bars = root.findall(".//path[@class='spread']")
    assert len(bars) == 2
    for bar, around in zip(bars, [0.5, 1.0], strict=True):
        high, low = map(float, re.match(r"M[\d.]+,([\d.]+)V([\d.]+)", bar.get("d")).groups())
        assert low - high == pytest.approx(2 * around * abs(slope), abs=0.03)


@pytest.mark.parametrize("gap", [None, math.nan])
def test_a_gap_splits_the_line(gap):
    root = draw_chart(Series("a", [1, 2, 3, 4, 5, 6], [1, 2, gap, 4, 5, gap]))
    lines = [one.get("points").split() for one in root.findall(".//polyline")]
    assert [len(one) for one in lines] == [2, 2]
    assert len(find_marks(root)) == 4


def test_values_without_a_logarithm_are_gaps():
    root = draw_chart(Series("a", [1, 2, 3], [1.0, 0.0, 3.0], [2.0, 1.0, 1.0]), log_y=True)
    assert len(find_marks(root)) == 2
    assert root.findall(".//polyline") == []


@pytest.mark.parametrize(
    ("x", "y", "options"),
    [
        ([3], [2.5], {}),
        ([0], [0.0], {}),
        ([0, 1, 2], [7, 7, 7], {}),
        ([1, 2], [1.0, 1.0], {"percent": True}),
        ([1, 2], [0.0, 0.0], {"percent": True}),
        ([5], [1e-9], {"log_y": True}),
        ([1, 2], [-1e12, 3e12], {}),
        ([1, 2], [1e-15, 2e-15], {}),
        ([1], [None], {}),
        ([], [], {"log_y": True}),
    ],
)
def test_odd_values_stay_inside(x, y, options):
    root = draw_chart(Series("a", x, y), **options)
    width, height = (float(root.get(name)) for name in ("width", "height"))
    places = find_marks(root)
    assert len(places) == sum(value is not None for value in y)
    if len(places):
        assert ((places > 0) & (places < [width, height])).all()


def test_points_have_tooltips():
    root = draw_chart(Series(HOSTILE, [10], [0.925], [0.02]), percent=True)
    (tip,) = root.findall(".//g[@class='series']/path/title")
    assert tip.text == f"{HOSTILE}; x 10: 92.5 ± 2.0 %"
    assert "<script" not in draw_lines([Series(HOSTILE, [1], [1])], HOSTILE, HOSTILE, title=HOSTILE)


def test_series_differ_without_colour():
    root = draw_chart(*(Series(str(k), [1, 2], [k, k + 1]) for k in range(12)))
    looks = {
        (group.find("path").get("d"), group.find("polyline").get("stroke-dasharray"))
        for group in root.findall(".//g[@class='series']")
    }
    assert len(looks) == 12


def test_names_stay_inside_and_do_not_overlap():
    root = draw_chart(*(Series(f"a rather long name {k}", [1], [k]) for k in range(9)), width=300)
    keys = root.findall(".//g[@class='key']")
    boxes = [{n: float(k.find("rect").get(n)) for n in ("x", "y", "width")} for k in keys]
    assert len(boxes) == 9
    assert all(box["x"] + box["width"] <= 300 for box in boxes)
    assert max(box["y"] for box in boxes) + 19 <= float(root.get("height"))
    assert len({(box["x"], box["y"]) for box in boxes}) == 9


def test_lengths_must_agree():
    with pytest.raises(ValueError, match=r"series 'a' must have as many x as y.*got \[2, 1\]"):
        Series("a", [1, 2], [1])


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([0, 1], ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ([-3, 12], ["\N{MINUS SIGN}5", "0", "5", "10", "15"]),
        ([0, 2e6], ["0", "500 k", "1000 k", "1500 k", "2000 k"]),
    ],
)
def test_round_numbers(values, words):
    axis = make_linear_axis(values, 0, 100)
    assert list(axis.labels) == words
    assert axis.low <= min(values)
    assert axis.high >= max(values)


def test_powers_of_ten():
    assert make_log_axis([2e-5, 9], 0, 1).labels == (
        "10⁻⁵",
        "10⁻⁴",
        "10⁻³",
        "10⁻²",
        "10⁻¹",
        "10⁰",
        "10¹",
    )
    assert make_log_axis([0.3, 1.4], 0, 1).labels == ("0.2", "0.5", "1", "2")
