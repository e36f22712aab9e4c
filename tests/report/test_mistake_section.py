import re
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np

from ldslearn.diagnostics.mistakes import Mistake
from ldslearn.report.mistake_section import format_mistakes

from support.markup import HOSTILE


def make_entry(k, **options):
    usual = {"round": 1, "index": k, "name": f"file {k}", "label": "a", "predicted": HOSTILE}
    return {**usual, "probability": None, "margin": None, **options}


def format_section(entries, mistakes=()):
    record = {"misclassified": entries, "rounds": [{"n_test": 40}]}
    return format_mistakes(record, SimpleNamespace(mistakes=tuple(mistakes)))


def test_misclassified_sequences_are_drawn_and_listed():
    frames = np.zeros((3, 4, 4), np.uint8)
    lines = np.array([[0.0, 1.0, 0.0], [2.0, -2.0, 2.0]])
    film = Mistake("f", "a", HOSTILE, 0.75, None, frames, None, None, 16, 3)
    wave = Mistake("w", "a", HOSTILE, 0.5, None, None, np.arange(3.0), lines, 7, 3)
    text = format_section(
        [make_entry(0, probability=0.75), make_entry(1, probability=0.5)], [film, wave]
    )
    assert text.count('class="film"') == 1
    chart = ElementTree.fromstring(re.search("<svg.*?</svg>", text).group(0))
    places = [
        [tuple(map(float, point.split(","))) for point in line.get("points").split()]
        for line in chart.findall("polyline")
    ]
    assert len(places) == 2
    for values, line in zip(lines, places, strict=True):
        heights = [y for _, y in line]
        slope, base = np.polyfit(values, heights, 1)
        assert slope < 0
        np.testing.assert_allclose(heights, slope * values + base, atol=0.06)
    words = re.sub("<.*?>", " ", text)
    assert "Wrong predictions: 2 of 40." in words
    assert "(probability 0.75)" in words
    assert "probability is that of the predicted class" in words
    assert "<td>file 1</td><td>a</td>" in text
    assert "<script" not in text


def test_margins_are_named_margins():
    words = re.sub("<.*?>", "|", format_section([make_entry(0, margin=0.123456)]))
    assert "0.123|" in words
    assert "The margin is" in words
    assert "probability" not in words
    words = re.sub("<.*?>", "|", format_section([make_entry(0)]))
    assert "margin" not in words
    assert "probability" not in words
    assert "None." in format_section([])
    assert "1 more are in the record" in format_section([make_entry(k) for k in range(501)])


def test_shares_are_not_named_probabilities():
    one = Mistake("f", "a", "b", None, None, None, None, None, 3, 9, share=0.4)
    words = re.sub("<.*?>", "|", format_section([make_entry(0, share=0.4)], [one]))
    assert "(share 0.40)" in words
    assert "The share is" in words
    assert "probability" not in words
