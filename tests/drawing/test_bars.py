import re
from xml.etree import ElementTree

import numpy as np
import pytest

from ldslearn.drawing.bars import draw_bars
from ldslearn.drawing.class_counts import draw_class_counts

from support.markup import HOSTILE


def read_bars(text):
    """Return left edges and lengths of bars, and their names and numbers."""
    root = ElementTree.fromstring(text)
    edges, lengths = (
        np.array([float(rect.get(name)) for rect in root.findall("rect")])
        for name in ("x", "width")
    )
    words = [one.text for one in root.findall("text")]
    return edges, lengths, words[::2], words[1::2]


def test_bars_with_texts_and_errors():
    values, spreads = [0.5, 0.8, 0.95, 0.1], [0.1, 0.0, 0.2, 0.3]
    text = draw_bars(values, ["a", HOSTILE, "b", "c"], texts=["1", HOSTILE, "3", "4"],
                     spreads=spreads)  # fmt: skip
    edges, lengths, names, texts = read_bars(text)
    unit = lengths[0] / values[0]
    np.testing.assert_allclose(lengths / unit, values, atol=1e-3)
    assert names[0] == "a"
    assert texts == ["1", HOSTILE, "3", "4"]
    paths = [path.get("d") for path in ElementTree.fromstring(text).findall("path")]
    ends = [re.match(r"M([\d.]+),[\d.]+H([\d.]+)", path).groups() for path in paths]
    found = [[(float(end) - edges[0]) / unit for end in pair] for pair in ends]
    np.testing.assert_allclose(found, [[0.4, 0.6], [0.75, 1.0], [0.0, 0.4]], atol=2e-3)


def test_counts_of_classes():
    drawing, caption = draw_class_counts({"a": 30, HOSTILE: 10, "c": 0})
    _, lengths, _, texts = read_bars(drawing)
    assert texts == ["30", "10", "0"]
    assert lengths[0] == pytest.approx(3 * lengths[1], abs=0.2)
    assert caption == "Sequences per class."
    assert draw_class_counts({}) == ("", "")
    drawing, caption = draw_class_counts({f"class {k}": k for k in range(5000)})
    _, _, names, texts = read_bars(drawing)
    assert (names[0], texts[0]) == ("class 4999", "4,999")
    assert len(names) == 12
    assert caption == "Sequences per class: the 12 largest, and 4,988 more."
