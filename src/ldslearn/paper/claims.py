"""The claims of the paper, and what the experiments say of each."""

from collections.abc import Iterable
from typing import Any

from scipy.stats import binom

from ldslearn.paper.evidence import Evidence

_BY_CHANCE = 0.025  # of one collection, on either side
_UNLIKELY = 0.05
# Where the paper itself says otherwise.
_EXCEPTED = {
    ("soft-none", "SD"),
    ("soft-none", "BDH"),
    ("grass-martin", "UCSD"),
    ("grass-martin", "UCLA"),
}

CLAIMS = {
    "soft-none": (
        "SN raises accuracy above that of systems left as they are (the paper: not on SD and BDH)",
        "Sec. 9.2, Fig. 4",
    ),
    "soft-dwls": ("SN is more accurate than DWLS", "Sec. 9.2, Fig. 4"),
    "soft-quick": ("SN is quicker than DWLS", "Sec. 9.2, Fig. 4"),
    "dwls-error": ("DWLS reconstructs states better than SN", "Sec. 9.2, Fig. 4"),
    "converges": (
        "the accuracy of gLDS-SC tends to that of LDS-SC-Grass as L grows",
        "Sec. 9.2, Figs. 5-10 (a)",
    ),
    "cheaper": (
        "LDS-SC-Grass is cheaper than gLDS-SC for L > 2 (the paper's tactile sets: from L = 8)",
        "Sec. 9.2, Figs. 5-10 (b)",
    ),
    "sparse-nearest": (
        "sparse coding beats the nearest neighbour",
        "Sec. 9.2, Figs. 5-10 (c)",
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

    One of many collections is sure by chance now and then: a claim is confirmed (or refuted) if
    more of them say so than chance would let pass once in twenty, and none says the opposite.
    Mixed if they differ; else undecided. Collections of which the paper itself says that a claim
    does not hold are shown and not counted.
    """
    found = list(dict.fromkeys(evidence))
    rows = []
    for name, (words, where) in CLAIMS.items():
        own = [one for one in found if one.claim == name]
        if not own:
            continue
        counted = [one.verdict for one in own if (name, one.collection) not in _EXCEPTED]
        rows.append({
            "claim": name,
            "words": words,
            "where": where,
            "verdict": _verdict(counted),
            "count": {verdict: counted.count(verdict) for verdict in dict.fromkeys(counted)},
            "evidence": [
                {"collection": one.collection, "verdict": one.verdict, "words": one.words}
                for one in own
            ],
        })  # fmt: skip
    return rows


def _verdict(verdicts: list[str]) -> str:
    counts = {verdict: verdicts.count(verdict) for verdict in ("confirmed", "refuted")}
    if all(counts.values()):
        return "mixed"
    for verdict, count in counts.items():
        if count and binom.sf(count - 1, len(verdicts), _BY_CHANCE) < _UNLIKELY:
            return verdict
    return "undecided"
