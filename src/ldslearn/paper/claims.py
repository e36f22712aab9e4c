"""The claims of the paper, and what the experiments say of each."""

from collections.abc import Iterable
from typing import Any

from ldslearn.paper.evidence import Evidence

CLAIMS = {
    "soft-none": ("SN raises accuracy above that of systems left as they are", "Sec. 9.2, Fig. 4"),
    "soft-dwls": ("SN is more accurate than DWLS", "Sec. 9.2, Fig. 4"),
    "soft-quick": ("SN is quicker than DWLS", "Sec. 9.2, Fig. 4"),
    "dwls-error": ("DWLS reconstructs states better than SN", "Sec. 9.2, Fig. 4"),
    "converges": (
        "the accuracy of gLDS-SC tends to that of LDS-SC-Grass as L grows",
        "Sec. 9.2, Figs. 5-10 (a)",
    ),
    "cheaper": ("LDS-SC-Grass is cheaper than gLDS-SC for L > 2", "Sec. 9.2, Figs. 5-10 (b)"),
    "sparse-nearest": (
        "sparse coding beats the nearest neighbour",
        "Sec. 9.2, Figs. 5-10 (c), Table 4",
    ),
    "grass-martin": (
        "LDS-SC-Grass beats LDS-SC-Martin (the paper: on all sets but UCSD and UCLA)",
        "Sec. 9.2, Figs. 5-10 (c)",
    ),
    "covariance-coding": ("the covariance raises the accuracy of coding", "Sec. 9.2"),
    "kmeans-lower": (
        "from k-means LDS-DL ends at a lower objective than from random atoms",
        "Sec. 9.3, Fig. 11",
    ),
    "twofold": ("two-fold systems beat symmetric ones", "Sec. 9.3, Fig. 12"),
    "covariance-learning": (
        "the covariance raises the accuracy of learned dictionaries",
        "Sec. 9.3, Fig. 12",
    ),
    "learned": ("a learned dictionary beats atoms drawn at random", "Sec. 9.3, Fig. 14"),
    "infinite-learning": ("covLDS-DL beats gLDS-DL for J < 16", "Sec. 9.3, Fig. 14"),
    "learning-cheaper": (
        "an update of covLDS-DL is cheaper than one of gLDS-DL",
        "Sec. 9.3, Fig. 14",
    ),
    "hierarchical-grows": ("accuracy grows with the atoms a class", "Sec. 9.3, Fig. 15"),
    "hierarchical-quick": (
        "learning class by class is quicker than learning as many atoms together",
        "Sec. 9.3, Fig. 15",
    ),
}


def judge(evidence: Iterable[Evidence]) -> list[dict[str, Any]]:
    """Return a row for each claim: its words, the verdict, and what every collection says.

    Confirmed if a collection confirms it and none refutes it; refuted the other way round; mixed
    if collections differ; undecided where no interval is clear of zero.
    """
    found = list(dict.fromkeys(evidence))
    rows = []
    for name, (words, where) in CLAIMS.items():
        own = [one for one in found if one.claim == name]
        if not own:
            continue
        verdicts = {one.verdict for one in own}
        if {"confirmed", "refuted"} <= verdicts:
            verdict = "mixed"
        else:
            verdict = next((v for v in ("confirmed", "refuted") if v in verdicts), "undecided")
        rows.append({
            "claim": name,
            "words": words,
            "where": where,
            "verdict": verdict,
            "evidence": [
                {"collection": one.collection, "verdict": one.verdict, "words": one.words}
                for one in own
            ],
        })  # fmt: skip
    return rows
