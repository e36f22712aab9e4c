import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

from ldslearn.datasets import Collection, load_basic_motions
from ldslearn.diagnostics.clips import _LEVELS, AtomClip, Clip
from ldslearn.diagnostics.code_examples import AtomName, CodeExample
from ldslearn.diagnostics.diagnostics import Diagnostics, compute_diagnostics
from ldslearn.diagnostics.similarity import Similarity
from ldslearn.drawing.bars import draw_bars
from ldslearn.drawing.marks import estimate_width
from ldslearn.evaluate import Settings, evaluate, parse_protocol
from ldslearn.report import render_evaluation_page
from ldslearn.report.charts import draw_confusion_matrix, draw_map
from ldslearn.report.diagnostic_sections import format_diagnostics
from ldslearn.report.evaluation_page import _format_summary

from support.markup import HOSTILE

X, Y, _, _ = load_basic_motions()


@pytest.fixture(scope="module")
def text():
    y = np.where(Y == "Running", HOSTILE, Y)
    data = Collection(list(X), y, names=[f"{HOSTILE}{i}" for i in range(len(X))])
    rounds, settings = [], Settings(time_budget=1)
    record = evaluate(
        data, "auto", parse_protocol("folds:2"), settings=settings, on_first=rounds.append
    )
    diagnostics = compute_diagnostics(data, rounds[0], settings, record["misclassified"])
    return render_evaluation_page(
        record, f"ldslearn evaluate {HOSTILE}", diagnostics, name=HOSTILE
    ), record


class Checker(HTMLParser):
    """Checks that tags are closed in order, and collects attributes and text."""

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


def test_the_page_is_well_formed_and_self_contained(text):
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
    assert "Hyperparameter search" in words


def test_no_requests_and_no_errors_in_a_browser(text, browse):
    done = browse(text[0], "--dump-dom")
    assert "Confusion matrix" in done.stdout
    assert "CONSOLE" not in done.stderr


def test_a_page_of_many_large_clips_is_small():
    # A thousand clips of noise, 50 x 50 pixels, which packs worst, as compute_diagnostics gives.
    rng = np.random.default_rng(0)
    names = tuple(f"folder/of/clips/number {i}.avi" for i in range(1000))
    labels = tuple(f"class number {i % 40}" for i in range(1000))

    def noise(n):
        return (rng.integers(0, _LEVELS, (n, 50, 50)) * 8).astype(np.uint8)

    diagnostics = Diagnostics(
        Similarity(
            rng.normal(size=(1000, 2)),
            labels,
            names,
            rng.random((400, 400)),
            labels[:400],
            "projection kernel",
            1200,
        ),
        {name: rng.normal(size=360) + 1j * rng.normal(size=360) for name in ("before", "after")},
        tuple(
            CodeExample(names[k], "a", "b", (0.1,) * 8, (AtomName("a", names[k]),) * 8, 30)
            for k in range(6)
        ),
        tuple(Clip(names[k], labels[k], noise(16), noise(16)) for k in range(12)),
        tuple(AtomClip(k, labels[k], 0.5, noise(4), noise(16)) for k in range(12)),
    )
    page = "".join(format_diagnostics(diagnostics))
    assert page.count('class="film"') == 36
    assert "400 of 1200 sequences are shown" in page
    assert "1000 of 1200 sequences are shown" in page
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


def find_tags(text, name):
    checker = Checker()
    checker.feed(text)
    return [attributes for tag, attributes in checker.seen if tag == name]


def read_numbers(marks, name):
    return np.array([float(mark[name]) for mark in marks])


def test_a_matrix_has_rows_of_true_classes():
    chart = draw_confusion_matrix([[5, 3], [0, 2]], ["a", "b"])
    squares = find_tags(chart, "rect")
    titles = re.findall("<title>(.*?)</title>", chart)
    places = zip(titles, read_numbers(squares, "x"), read_numbers(squares, "y"), strict=True)
    place = {title.replace("predicted as", "as"): (x, y) for title, x, y in places}
    assert place["a as a: 5"][1] == place["a as b: 3"][1] < place["b as b: 2"][1]
    assert place["a as a: 5"][0] < place["a as b: 3"][0] == place["b as b: 2"][0]


def test_bars_are_as_long_as_their_values():
    widths = read_numbers(find_tags(draw_bars([0.9, 0.3], ["a", "b"]), "rect"), "width")
    assert widths[0] / widths[1] == pytest.approx(3, rel=1e-2)


def test_points_of_a_map_are_linear_in_the_coordinates():
    points = [(0.0, 3.0), (1.0, 0.0), (4.0, 1.0)]
    chart = draw_map(points, ["a", "a", "a"], ["x", "y", "z"])
    marks = [mark for mark in find_tags(chart, "path") if mark.get("class") == "mark"][:3]
    places = np.array([re.findall(r"[\d.]+", mark["transform"]) for mark in marks], dtype=float)
    for axis in range(2):
        drawn, wanted = places[:, axis], np.array(points)[:, axis]
        shares = (drawn - drawn.min()) / np.ptp(drawn)
        np.testing.assert_allclose(shares, wanted / np.ptp(wanted), atol=1e-2)


def summarize(confusion, n_sequences, rounds=1, protocol="groups", interval=(0.1, 0.6)):
    one = {"n_test": sum(map(sum, confusion)) // rounds}
    record = {
        "confusion": confusion, "rounds": [one] * rounds, "classes": ["a", "b"], "spread": 0.1,
        "accuracy": 0.167, "balanced_accuracy": 0.25, "macro_f1": 0.5, "interval": interval,
        "protocol": protocol, "data": {"n_sequences": n_sequences},
    }  # fmt: skip
    return re.sub("<.*?>", " ", _format_summary(record)).replace("\N{NO-BREAK SPACE}", " ")


def test_the_summary_counts_sequences_once():
    text = summarize([[4, 0], [14, 2]], 20, rounds=2)
    assert "16.7 % accuracy" in re.sub(" +", " ", text)
    assert "25.0 % balanced accuracy" in re.sub(" +", " ", text)
    assert "50.0 % macro F1" in re.sub(" +", " ", text)
    assert "6 of 20 test sequences of 2 classes have the correct label: 30.0 %" in text
    assert "95 % interval 10.0 to 60.0 % (Wilson)" in text
    assert "The standard deviation of the accuracies of 2 rounds is 10.0 points" in text
    assert "±" not in text  # which may exceed 100 %
    assert "Always predicting the most frequent class would give 80.0 %" in text


def test_the_summary_of_repeated_tests_has_no_interval():
    protocol = "shuffle:10:0.1"
    text = summarize([[30, 0], [10, 20]], 60, rounds=10, protocol=protocol, interval=None)
    assert "Mean over 10 rounds with 60 predictions on 60 sequences" in text
    assert "interval" not in text
    assert "standard deviation" not in summarize([[3, 0], [1, 2]], 60)


def test_rounds_and_recalls_are_in_the_page(text):
    page, record = text
    for one in record["rounds"]:
        measures = (one["accuracy"], one["balanced_accuracy"], one["macro_f1"])
        cells = [*(f"{100 * value:.1f}" for value in measures), one["n_train"], one["n_test"]]
        assert "".join(f"<td>{cell}</td>" for cell in cells) in page
    recalls = [row[k] / sum(row) for k, row in enumerate(record["confusion"])]
    bars = page.split("Recall of each class")[0].rsplit("<svg", 1)[1]
    assert re.findall(r">([\d.]+)</text>", bars) == [f"{100 * share:.1f}" for share in recalls]


def test_charts_of_one_and_of_many():
    assert draw_confusion_matrix([[3]], ["a"]).count("<rect") == 1
    many = [str(i) for i in range(60)]
    assert draw_confusion_matrix(np.eye(60).tolist(), many).count("<rect") == 60
    assert draw_map([(0.0, 0.0)], ["a"], ["x"]).count("<title>") == 1
    assert "100.0" in draw_bars([1.0, 0.0], ["a", "b"])


LONG = "reaching for the top shelf with the left hand"


@pytest.mark.parametrize("n", [2, 26])
def test_a_confusion_matrix_fills_its_card(n):
    names = [f"{LONG}, number {k}" for k in range(n)]
    counts = [[(i == j) * 30 + (i == 0) * 2 for j in range(n)] for i in range(n)]
    root = ElementTree.fromstring(draw_confusion_matrix(counts, names))
    assert root.get("class") == "fill"
    width = float(root.get("width"))
    squares = root.findall("g/rect")
    right = max(float(one.get("x")) + float(one.get("width")) for one in squares)
    assert right > 0.95 * width
    assert float(squares[0].get("width")) >= 20
    sizes = [re.search(r"font-size:([\d.]+)px", one.get("style")).group(1)
             for one in root.findall("g/text")]  # fmt: skip
    assert len(sizes) == n + n - 1  # the diagonal, and a row
    assert min(map(float, sizes)) >= 9
    # Names keep both ends, stay inside, and have tooltips.
    beside = [one for one in root.findall("text") if one.get("text-anchor") == "end"]
    assert [one.text for one in beside[:2]] == [f"reaching for…d, number {k}" for k in range(2)]
    assert [one.find("title").text for one in beside] == names
    assert all(float(one.get("x")) - estimate_width(one.text) >= 0 for one in beside)


def test_names_in_the_legend_of_a_map_do_not_overlap():
    names = [f"{LONG}, number {k}" for k in range(24)]
    chart = draw_map([(float(k), k % 5) for k in range(24)], names, names)
    root = ElementTree.fromstring(chart)
    boxes = [
        tuple(float(key.find("rect").get(name)) for name in ("x", "y", "width"))
        for key in root.findall(".//g[@class='key']")
    ]
    assert len({box[:2] for box in boxes}) == 24
    assert all(x + wide <= float(root.get("width")) for x, _, wide in boxes)
    texts = root.findall(".//g[@class='key']/text")
    assert [one.find("title").text for one in texts] == sorted(names)
    for text, (x, _, wide) in zip(texts, boxes, strict=True):
        assert float(text.get("x")) + estimate_width(text.text) <= x + wide + 0.1


FRAME = """<!doctype html><body><iframe width="390" height="800"></iframe><script>
const frame = document.querySelector('iframe');
frame.onload = () => {
  const page = frame.contentDocument.documentElement;
  const wide = [...page.querySelectorAll('.wide')].filter(one => one.scrollWidth > one.clientWidth);
  document.body.dataset.sizes = [frame.contentWindow.innerWidth, page.scrollWidth, wide.length];
};
frame.srcdoc = %s;
</script></body>"""


def test_a_phone_scrolls_tables_and_not_the_page(browse):
    y = [f"{LONG}, number {k % 12}" for k in range(48)]
    names = [f"a/folder/with/a/rather/long/name/file_{k:04}.csv" for k in range(48)]
    rng = np.random.default_rng(0)
    data = Collection([rng.normal(size=(3, 30)) for _ in y], y, names=names)
    first = []
    record = evaluate(
        data,
        "lds-sc-grass",
        parse_protocol("folds:2"),
        n_states=3,
        sparsity=0.1,
        on_first=first.append,
    )
    diagnostics = compute_diagnostics(data, first[0], misclassified=record["misclassified"])
    page = render_evaluation_page(
        record, "ldslearn evaluate " + "long-" * 40, diagnostics, name=LONG
    )
    page = page.replace("<details>", "<details open>")
    done = browse(FRAME % json.dumps(page).replace("</", "<\\/"), "--dump-dom")
    inner, whole, scrolling = re.search(r'data-sizes="([^"]*)"', done.stdout).group(1).split(",")
    assert int(whole) <= int(inner) == 390
    assert int(scrolling) >= 3  # rounds, matrix, list of mistakes
