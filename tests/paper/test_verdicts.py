import html
import json
import subprocess
import sys
from pathlib import Path

import pytest
from scipy import stats

from ldslearn.paper.claims import CLAIMS
from ldslearn.paper.evidence import VERDICTS, Estimate, Evidence
from ldslearn.paper.verdicts import (
    END,
    START,
    adjust_p_values,
    combine_p_values,
    decide_claims,
    format_claims,
    summarize_claims,
)

DOCS = Path(__file__).parents[2] / "docs"


def evidence(claim, *signs):
    """One collection per sign, sure but for zeros."""
    return [
        Evidence(claim, f"set {i}", Estimate(sign, 0.1 if sign else 1.0, 20), "words")
        for i, sign in enumerate(signs)
    ]


@pytest.mark.parametrize(
    ("signs", "verdict"),
    [
        ((1, 1), "confirmed"),
        ((1, 1, 0), "confirmed"),
        ((1,), "undecided"),  # one collection is not enough
        ((1, 0), "undecided"),  # one of two is no majority
        ((1, 1, 0, 0), "undecided"),
        ((-1, -1, 0), "refuted"),
        ((-1, 0), "undecided"),
        ((1, -1), "mixed"),
        ((1, 1, 1, 1, -1), "mixed"),
        ((0, 0), "undecided"),
    ],
)
def test_a_verdict_needs_a_majority_of_at_least_two_and_none_opposite(signs, verdict):
    (row,) = decide_claims(evidence("learned", *signs))
    assert (row["claim"], row["verdict"]) == ("learned", verdict)
    assert [one["collection"] for one in row["evidence"]] == [f"set {i}" for i in range(len(signs))]
    assert sum(row["count"].values()) == len(signs)


def test_many_claims_need_smaller_p_values():
    barely = [Evidence("learned", f"set {i}", Estimate(2.1, 1.0, 1000), "") for i in range(2)]
    assert decide_claims(barely)[0]["verdict"] == "confirmed"
    others = [one for name in list(CLAIMS)[:25] for one in evidence(name, 0, 0)]
    row = decide_claims(barely + others)[-1]
    assert (row["claim"], row["count"], row["verdict"]) == (
        "learned",
        {"confirmed": 2},
        "undecided",
    )
    assert row["adjusted_p"] > 0.05 > 2 * row["p"]


def test_p_values_are_combined_by_stouffer_and_corrected_by_holm():
    p = [0.01, 0.2, 0.6]
    assert combine_p_values(p) == pytest.approx(stats.combine_pvalues(p, method="stouffer").pvalue)
    assert adjust_p_values([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert adjust_p_values([0.9, 0.8]) == [1.0, 1.0]
    assert adjust_p_values([]) == []


def test_collections_of_which_the_paper_says_otherwise_are_listed_and_not_counted():
    sure = Estimate(1, 0.1, 20)
    found = [
        Evidence("grass-martin", "UCLA", Estimate(-1, 0.1, 20), ""),
        Evidence("grass-martin", "Cambridge", sure, ""),
        Evidence("grass-martin", "SPr", sure, ""),
    ]
    (row,) = decide_claims(found)
    assert row["verdict"] == "confirmed"
    assert row["count"] == {"confirmed": 2}
    assert len(row["evidence"]) == 3


def test_claims_come_in_the_papers_order_and_once():
    found = evidence("learned", 1) + evidence("soft-none", 1)
    rows = decide_claims(found + found)
    assert [row["claim"] for row in rows] == ["soft-none", "learned"]
    assert [len(row["evidence"]) for row in rows] == [1, 1]
    assert decide_claims([]) == []


def test_claims_without_evidence_say_why():
    rows = {row["claim"]: row for row in decide_claims(evidence("learned", 1, 1), everything=True)}
    assert rows["martin-grass"]["verdict"] == "not judged"
    assert rows["martin-grass"]["reason"] == "needs UCSD or UCLA"
    assert rows["learned"]["verdict"] == "confirmed"
    assert not rows["learned"]["reason"]


def record():
    claims = decide_claims(evidence("learned", 1, 1) + evidence("twofold", 0), everything=True)
    collections = {"a": {"title": "set 0"}, "b": {"title": "set 1"}}
    return {
        "quick": True, "n_runs": 3, "seconds": 1.4, "collections": collections, "claims": claims
    }  # fmt: skip


def test_the_table_of_a_page_is_written_from_the_record(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{START}\nold\n{END}\nafter\n")
    summary = summarize_claims(record())
    (tmp_path / "claims.json").write_text(json.dumps(summary))
    command = [sys.executable, "-W", "error", "-m", "ldslearn.paper"]
    subprocess.run([*command, tmp_path / "claims.json", page], check=True)
    text = page.read_text()
    assert text == f"before\n{START}\n{format_claims(summary)}\n{END}\nafter\n"
    assert "`ldslearn reproduce all --quick`, 3 runs on set 0, set 1:\n1 confirmed, 1" in text
    words = CLAIMS["learned"].words
    assert f"| {words} (Sec. 9.3, Fig. 14) | confirmed | confirmed: set 0, set 1 |" in text


def test_the_guide_has_the_verdicts_of_the_record_and_no_others():
    summary = json.loads((DOCS / "evidence" / "claims.json").read_text())
    page = (DOCS / "reproduction.md").read_text()
    assert f"{START}\n{format_claims(summary)}\n{END}" in page
    assert {row["claim"] for row in summary["claims"]} == set(CLAIMS)
    assert {row["verdict"] for row in summary["claims"]} <= set(VERDICTS)
    shown = html.unescape((DOCS / "evidence" / "report.html").read_text())
    for row in summary["claims"]:
        assert row["words"] in shown
        for one in row["evidence"]:
            assert one["words"] in shown
    accuracy = (DOCS / "accuracy.md").read_text()
    assert "confirmed" not in accuracy
    assert "refuted" not in accuracy
