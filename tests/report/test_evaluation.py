import re
from html.parser import HTMLParser

import numpy as np
import pytest

from ldslearn.datasets import Collection, load_basic_motions
from ldslearn.evaluate import Exhibits, Settings, evaluate, exhibit, parse
from ldslearn.evaluate.clips import _LEVELS, AtomClip, Clip
from ldslearn.evaluate.examples import AtomName, CodeExample
from ldslearn.evaluate.similarity import Similarity
from ldslearn.report import evaluation_page
from ldslearn.report.charts import bars_chart, map_chart, matrix_chart
from ldslearn.report.evaluation import _summary, wilson_interval
from ldslearn.report.exhibits import exhibited

X, Y, _, _ = load_basic_motions()
HOSTILE = '<script>alert("x")</script> & "quotes"'


@pytest.fixture(scope="module")
def text():
    y = np.where(Y == "Running", HOSTILE, Y)
    data = Collection(list(X), y, names=[f"{HOSTILE}{i}" for i in range(len(X))])
    rounds, settings = [], Settings(budget=1)
    record = evaluate(data, "auto", parse("folds:2"), settings=settings, on_first=rounds.append)
    shown = exhibit(data, rounds[0], settings)
    return evaluation_page(record, f"ldslearn evaluate {HOSTILE}", shown, name=HOSTILE), record


class Checker(HTMLParser):
    """Tags are closed in order; collects attributes and text."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.words = [], [], []

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        if tag not in ("meta", "br", "img"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_the_page_is_whole_and_alone(text):
    page, record = text
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    tags = {tag for tag, _ in checker.seen}
    assert [tag for tag, _ in checker.seen].count("script") == 1
    assert not tags & {"link", "iframe", "img", "object", "embed"}
    assert not re.search(r"https?://|url\(|@import", page.replace("http://www.w3.org", ""))
    assert not any(name.startswith("on") for _, found in checker.seen for name in found)
    words = " ".join(checker.words)
    assert HOSTILE in words
    assert f"{100 * record['accuracy']:.1f}" in words
    assert record["data"]["fingerprint"][:16] in words
    assert "What was tried in the first round" in words


def test_no_requests_and_no_errors_in_a_browser(text, browse):
    done = browse(text[0], "--dump-dom")
    assert "What is taken for what" in done.stdout
    assert "CONSOLE" not in done.stderr


def test_a_page_of_many_large_clips_is_small():
    # A thousand clips of 50 x 50 pixels of noise, which packs worst, as exhibit() would show them.
    rng = np.random.default_rng(0)
    names = tuple(f"folder/of/clips/number {i}.avi" for i in range(1000))
    labels = tuple(f"class number {i % 40}" for i in range(1000))

    def noise(n):
        return (rng.integers(0, _LEVELS, (n, 50, 50)) * 8).astype(np.uint8)

    shown = Exhibits(
        Similarity(rng.normal(size=(1000, 2)), labels, names, rng.random((400, 400)), labels[:400]),
        {name: rng.normal(size=360) + 1j * rng.normal(size=360) for name in ("before", "after")},
        tuple(
            CodeExample(names[k], "a", "b", (0.1,) * 8, (AtomName("a", names[k]),) * 8, 30)
            for k in range(6)
        ),
        tuple(Clip(names[k], labels[k], noise(16), noise(16)) for k in range(12)),
        tuple(AtomClip(k, labels[k], 0.5, noise(4), noise(16)) for k in range(12)),
    )
    page = "".join(exhibited(shown))
    assert page.count('class="film"') == 36
    assert len(page) < 1_900_000
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    pictures = [found for tag, found in checker.seen if tag in ("img", "image")]
    assert len(pictures) == 36 + 12 * 4 + 2
    addresses = [
        value
        for _, found in checker.seen
        for name, value in found.items()
        if name in ("src", "href")
    ]
    assert all(address.startswith("data:image/png;base64,") for address in addresses)


@pytest.mark.parametrize(("share", "n"), [(0.0, 10), (0.5, 40), (0.95, 60), (1.0, 7)])
def test_wilson_interval(share, n):
    low, high = wilson_interval(share, n)
    assert 0 <= low <= share <= high <= 1
    for end in (low, high):  # Wilson: where |share - p| is 1.96 standard errors under p
        if 0 < end < 1:
            assert abs(share - end) == pytest.approx(1.96 * np.sqrt(end * (1 - end) / n))


def tags(text, name):
    checker = Checker()
    checker.feed(text)
    return [attributes for tag, attributes in checker.seen if tag == name]


def numbers(marks, name):
    return np.array([float(mark[name]) for mark in marks])


def test_a_matrix_has_rows_of_true_classes():
    chart = matrix_chart([[5, 3], [0, 2]], ["a", "b"])
    squares = tags(chart, "rect")
    titles = re.findall("<title>(.*?)</title>", chart)
    place = {
        title: (x, y)
        for title, x, y in zip(titles, numbers(squares, "x"), numbers(squares, "y"), strict=True)
    }
    assert place["a as a: 5"][1] == place["a as b: 3"][1] < place["b as b: 2"][1]
    assert place["a as a: 5"][0] < place["a as b: 3"][0] == place["b as b: 2"][0]


def test_bars_are_as_long_as_their_values():
    widths = numbers(tags(bars_chart([0.9, 0.3], ["a", "b"]), "rect"), "width")
    assert widths[0] / widths[1] == pytest.approx(3, rel=1e-2)


def test_points_of_a_map_are_where_they_belong():
    points = [(0.0, 3.0), (1.0, 0.0), (4.0, 1.0)]
    chart = map_chart(points, ["a", "a", "a"], ["x", "y", "z"])
    marks = [mark for mark in tags(chart, "path") if mark.get("class") == "mark"][:3]
    places = np.array([re.findall(r"[\d.]+", mark["transform"]) for mark in marks], dtype=float)
    for axis in range(2):
        drawn, wanted = places[:, axis], np.array(points)[:, axis]
        shares = (drawn - drawn.min()) / np.ptp(drawn)
        np.testing.assert_allclose(shares, wanted / np.ptp(wanted), atol=1e-2)


def summary_of(confusion, n_sequences, rounds=1, protocol="groups"):
    one = {"n_test": sum(map(sum, confusion)) // rounds}
    record = {
        "confusion": confusion, "rounds": [one] * rounds, "classes": ["a", "b"], "spread": 0.1,
        "accuracy": 0.167, "protocol": protocol, "data": {"n_sequences": n_sequences},
    }  # fmt: skip
    return re.sub("<.*?>", " ", _summary(record))


def test_the_summary_counts_sequences_once():
    text = summary_of([[4, 0], [14, 2]], 20, rounds=2)
    assert "16.7 ± 10.0 %" in text
    assert "6 of 20 test sequences of 2 classes labelled rightly: 30.0 %, 95 % interval" in text
    low, high = wilson_interval(0.3, 20)
    assert f"interval {100 * low:.1f} to {100 * high:.1f} %" in text
    assert "Always naming the class most often tested would give 80.0 %" in text


def test_the_summary_of_repeated_tests_has_no_interval():
    text = summary_of([[30, 0], [10, 20]], 60, rounds=10, protocol="shuffle:10:0.1")
    assert "Mean and spread of 10 rounds, which test 60 times some of 60 sequences" in text
    assert "interval" not in text
    assert "interval" in summary_of([[3, 0], [1, 2]], 60, protocol="shuffle:1:0.1")


def test_rounds_and_shares_of_classes_are_in_the_page(text):
    page, record = text
    for one in record["rounds"]:
        assert re.search(f"<td>{one['n_train']}</td><td>{one['n_test']}</td>", page)
    recalls = [row[k] / sum(row) for k, row in enumerate(record["confusion"])]
    bars = page.split("Share of each class labelled rightly")[0].rsplit("<svg", 1)[1]
    assert re.findall(r">([\d.]+)</text>", bars) == [f"{100 * share:.1f}" for share in recalls]


def test_charts_of_one_and_of_many():
    assert matrix_chart([[3]], ["a"]).count("<rect") == 1
    many = [str(i) for i in range(60)]
    assert matrix_chart(np.eye(60).tolist(), many).count("<rect") == 60
    assert map_chart([(0.0, 0.0)], ["a"], ["x"]).count("<title>") == 1
    assert "100.0" in bars_chart([1.0, 0.0], ["a", "b"])
