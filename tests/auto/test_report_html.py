from dataclasses import replace
from math import nan

import numpy as np
import pytest
from scipy.stats import t

from ldslearn import AutoLDSClassifier
from ldslearn.auto import Report
from ldslearn.auto.candidates import QUICK_RULES, Encoding
from ldslearn.auto.expectation import measure_standard_error
from ldslearn.auto.trials import Trial
from ldslearn.datasets import load_basic_motions

from support.markup import HOSTILE, read_card

CHOSEN = {
    "n_states": 5, "delays": 2, "windows": [1, 4], "scaled": True, "center": False,
    "weights": {"projection": 1.0, "mean": 0.5}, "classifier": "ridge regression", "penalty": 0.1,
}  # fmt: skip
MEMBERS = [
    {"weight": 0.1, "accuracy": 0.96 - k / 200, "standard_error": 0.03, "loss": 0.1 + k / 10,
     "kind": "fitted systems", **CHOSEN}
    for k in range(8)
]  # fmt: skip
RANDOM = {"weight": 0.2, "accuracy": 0.91, "standard_error": 0.02, "loss": 0.3,
          "kind": "random systems", "classifier": "ridge regression", "seed": 7}  # fmt: skip
REPORT = Report(
    chosen={**CHOSEN, "kernel": {"projection": 0.123456789}, "kernel_params": {}},
    members=[*MEMBERS, RANDOM],
    alone={
        "fitted systems": {"expected_accuracy": 0.94, "standard_error": 0.03},
        "random systems": {"expected_accuracy": 0.91, "standard_error": 0.02},
    },
    expected_accuracy=0.953,
    standard_error=0.021,
    why="mean of the 8 best of fitted systems and of 1 bank of random systems",
    tried=[*MEMBERS, RANDOM] * 12,
    n_descriptions=14,
    n_trained=40,
    seconds=23.04,
    time_budget=60.0,
    stopped="nothing better was left to try",
)


def test_a_report():
    card = read_card(REPORT)
    assert card.title == "Automatic search: expected accuracy 95.3 ± 2.1 %"
    assert card.rows == {
        "chosen": REPORT.why,
        "fitted systems alone": "94.0 ± 3.0 %",
        "random systems alone": "91.0 ± 2.0 %",
        "tried": "108 settings of 14 encodings in 23.0 of 60 s; nothing better was left to try",
        "trained on": "40 sequences",
    }
    texts = [one.text for one in card.svg.findall("text")]
    assert texts[1::2] == [*(f"{96 - k / 2:.1f} ± 3.0" for k in range(8)), "91.0 ± 2.0"]
    assert len(card.svg.findall("path[@class='spread']")) == 9
    assert card.find_texts("figcaption") == [
        "Accuracy (%) of each member alone, ± one standard error."
    ]


def test_the_repr_is_short_and_print_is_long():
    assert repr(REPORT) == "Report(expected accuracy 95.3 ± 2.1 %, 9 members of 108 tried)"
    lines = str(REPORT).splitlines()
    assert len(lines) == 15
    assert lines[0] == "expected accuracy 95.3 ± 2.1 % (folds of the training sequences)"
    assert lines[1] == "  fitted systems alone: 94.0 ± 3.0 %"
    assert lines[6] == (
        "  0.100   96.0 %  5 states, 2 delays, 1+4 windows, scaled, not centred, "
        "ridge regression, penalty=0.1; projection + 0.5 mean"
    )
    assert lines[-1] == "  0.200   91.0 %  random systems, seed 7"


def test_nothing_could_be_held_out():
    unknown = {"accuracy": nan, "standard_error": nan, "loss": nan}
    report = replace(
        REPORT, expected_accuracy=nan, standard_error=nan, tried=[], n_descriptions=0, alone={},
        members=[{**MEMBERS[0], **unknown}],
    )  # fmt: skip
    card = read_card(report)
    assert card.title == "Automatic search: expected accuracy unknown"
    assert card.svg is None


@pytest.mark.parametrize("accuracy", [None, "high", nan, float("inf")])
def test_candidates_without_an_accuracy_are_not_drawn(accuracy):
    first, *rest = REPORT.members
    without = {name: value for name, value in first.items() if name != "accuracy"}
    for one in (without, {**without, "accuracy": accuracy}):
        card = read_card(replace(REPORT, members=[one, *rest]))
        assert [text.text for text in card.svg.findall("text")][1] == "95.5 ± 3.0"
        assert read_card(replace(REPORT, members=[one])).svg is None
        assert "nan" not in card.text


@pytest.mark.parametrize("error", [None, "small", nan])
def test_errors_that_are_no_numbers_are_not_drawn(error):
    members = [{**one, "standard_error": error} for one in REPORT.members]
    card = read_card(replace(REPORT, members=members, standard_error=error))
    assert card.title == "Automatic search: expected accuracy 95.3 %"
    assert [text.text for text in card.svg.findall("text")][1] == "96.0"
    assert card.find_texts("figcaption") == ["Accuracy (%) of each member alone."]
    assert "nan" not in card.text


def test_texts_are_escaped_and_shortened():
    chosen = {**CHOSEN, "classifier": HOSTILE * 99, "weights": {HOSTILE * 99: 1.0}}
    members = [{**one, **chosen} for one in REPORT.members]
    report = replace(REPORT, members=members, why=HOSTILE * 99, stopped=HOSTILE * 99)
    assert read_card(report).text.count("&lt;script") >= 3


def test_errors_of_candidates():
    truth = np.repeat([0, 1], [6, 4])
    logs = np.log(np.tile([0.6, 0.4], (1, 10, 1)))  # the first class, always
    trial = Trial(Encoding(2, 1), QUICK_RULES[0], logs, truth, 1.0)
    rate = 7 / 12
    assert measure_standard_error(trial, None) == pytest.approx(np.sqrt(rate * (1 - rate) / 10))
    groups = np.repeat(["a", "b"], [6, 4])  # right and wrong together
    spread = np.sqrt(2 * 2 * 2.4**2) / 10
    expected = spread * t.ppf(0.975, 1) / 1.96
    assert measure_standard_error(trial, groups) == pytest.approx(expected)


def test_a_search_keeps_the_errors_of_candidates():
    X, y, _, _ = load_basic_motions()
    model = AutoLDSClassifier(2, random_state=0).fit(X[::2], y[::2])
    assert all(0 < one["standard_error"] < 0.2 for one in model.report_.tried)
    assert "±" in read_card(model.report_).svg.findall("text")[1].text
