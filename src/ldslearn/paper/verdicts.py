"""Verdicts on the claims over all collections, their record, and their table in the guide."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import norm

from ldslearn.paper.claims import CLAIMS
from ldslearn.paper.evidence import (
    CONFIRMED,
    MIXED,
    NOT_JUDGED,
    REFUTED,
    UNDECIDED,
    VERDICTS,
    Evidence,
)

START, END = "<!-- claims: begin -->", "<!-- claims: end -->"

_SIGNIFICANCE_LEVEL = 0.05
_LEAST_P = 1e-12  # one collection says no more than this


def decide_claims(
    evidence: Iterable[Evidence], *, everything: bool = False
) -> list[dict[str, Any]]:
    """Return a row for each claim: its words, the verdict, and what every collection says.

    A claim is confirmed (or refuted) if more than half of the collections, and at least two, say
    so, none says the opposite, and the p-value over all collections (Stouffer) is below 0.05 after
    Holm's correction for the number of claims. It is mixed if collections contradict each other,
    else undecided. Sets that the paper itself excludes are listed and not counted.

    Parameters
    ----------
    evidence : iterable of Evidence
    everything : bool
        Also list claims without evidence that have a reason, as "not judged".
    """
    found = list(dict.fromkeys(evidence))
    rows: list[dict[str, Any]] = []
    for name, claim in CLAIMS.items():
        own = [one for one in found if one.claim == name]
        if not own and not (everything and claim.reason):
            continue
        counted = [one for one in own if one.collection not in claim.excepted]
        verdicts = [one.verdict for one in counted]
        rows.append({
            "claim": name,
            "words": claim.words,
            "where": claim.where,
            "p": combine_p_values([one.estimate.p for one in counted]) if counted else None,
            "count": {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)},
            "reason": "" if own else claim.reason,
            "evidence": [
                {"collection": one.collection, "verdict": one.verdict, "words": one.words}
                for one in own
            ],
        })  # fmt: skip
    tested = [row for row in rows if row["p"] is not None]
    adjusted = adjust_p_values([2 * min(row["p"], 1 - row["p"]) for row in tested])
    for row, p in zip(tested, adjusted, strict=True):
        row["adjusted_p"] = p
    for row in rows:
        row["verdict"] = _decide_verdict(row)
    return rows


def combine_p_values(p_values: Sequence[float]) -> float:
    """Return the one-sided p-value of independent one-sided p-values, by Stouffer's method."""
    z = norm.isf(np.clip(p_values, _LEAST_P, 1 - _LEAST_P))
    return float(norm.sf(z.sum() / np.sqrt(len(z))))


def adjust_p_values(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number by Holm's method."""
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    steps = np.maximum.accumulate(np.asarray(p_values, float)[order] * factors)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(steps, 1.0)
    return [float(p) for p in adjusted]


def _decide_verdict(row: dict[str, Any]) -> str:
    if row["p"] is None:
        return NOT_JUDGED
    count = row["count"]
    n_judged = sum(count.values())
    if count.get(CONFIRMED) and count.get(REFUTED):
        return MIXED
    for verdict in (CONFIRMED, REFUTED):
        own = count.get(verdict, 0)
        agrees = (row["p"] < 0.5) == (verdict == CONFIRMED)
        if own >= 2 and 2 * own > n_judged and agrees and row["adjusted_p"] < _SIGNIFICANCE_LEVEL:
            return verdict
    return UNDECIDED


def summarize_claims(record: dict[str, Any]) -> dict[str, Any]:
    """Return the verdicts of a reproduction and what they rest on, without its figures."""
    return {
        "record": "claims",
        "quick": record["quick"],
        "n_runs": record["n_runs"],
        "seconds": round(record["seconds"]),
        "collections": [one["title"] for one in record["collections"].values()],
        "claims": record["claims"],
    }


def format_claims(summary: dict[str, Any]) -> str:
    """Return a summary as Markdown: what it rests on, and a row for each claim."""
    counts = {v: sum(row["verdict"] == v for row in summary["claims"]) for v in VERDICTS}
    command = "ldslearn reproduce all" + " --quick" * summary["quick"]
    lines = [
        f"`{command}`, {summary['n_runs']} runs on {', '.join(summary['collections'])}:",
        ", ".join(f"{number} {verdict}" for verdict, number in counts.items() if number) + ".",
        "",
        "| claim | verdict | collections, or why it is not judged |",
        "|---|---|---|",
    ]
    for row in summary["claims"]:
        found = "; ".join(
            f"{verdict}: " + ", ".join(names)
            for verdict in VERDICTS
            if (names := [o["collection"] for o in row["evidence"] if o["verdict"] == verdict])
        )
        cells = [f"{row['words']} ({row['where']})", row["verdict"], found or row["reason"]]
        lines.append("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |")
    return "\n".join(lines)


def update_page(page: Path, summary: dict[str, Any]) -> None:
    """Replace the table between the marks of a Markdown page."""
    text = page.read_text("utf-8")
    before, rest = text.split(START)
    after = rest.split(END)[1]
    page.write_text(f"{before}{START}\n{format_claims(summary)}\n{END}{after}", "utf-8")
