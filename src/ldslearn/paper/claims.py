"""The claims of the paper, by name.

Evidence for a claim comes from the `judge_*` function of the experiment of its figure.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """One empirical claim.

    Attributes
    ----------
    words, where : str
        What the paper says, and its section.
    reason : str
        Why it is not judged, if no collection gives evidence.
    excepted : tuple of str
        Titles of the sets that the paper itself excludes.
    """

    words: str
    where: str
    reason: str = ""
    excepted: tuple[str, ...] = ()


_STABILITY, _ORDERS, _STATES = "Sec. 9.2, Fig. 4", "Sec. 9.2, Figs. 5-10 (a)", "Figs. 5-10 (c)"
_TIMES, _TABLE = "Sec. 9.2, Figs. 5-10 (b)", "Sec. 9.2, Table 4"
_START, _KINDS, _TRAINING = "Sec. 9.3, Fig. 11", "Sec. 9.3, Fig. 12", "Sec. 9.3, Fig. 14"
_CLASSES = "Sec. 9.3, Fig. 15"

CLAIMS = {
    "soft-none": Claim(
        "SN raises accuracy above that of unstable systems (the paper: not on SD and BDH)",
        _STABILITY,
        excepted=("SD", "BDH"),
    ),
    "soft-scale": Claim(
        "SN raises accuracy above that of unstable systems rescaled to a radius of 0.99",
        f"{_STABILITY}, note 9",
    ),
    "soft-not-tactile": Claim(
        "SN does not raise accuracy on SD and BDH (tested: by less than five points)",
        _STABILITY,
        "needs SD or BDH",
    ),
    "soft-dwls": Claim("SN is more accurate than DWLS", _STABILITY),
    "soft-quick": Claim("SN is faster than DWLS", _STABILITY),
    "dwls-error": Claim("DWLS reconstructs states better than SN", _STABILITY),
    "soft-information": Claim(
        "SN preserves the discriminative information of the sequences",
        "Sec. 9.2",
        "a conjecture; its consequences are the claims on accuracy above",
    ),
    "converges": Claim("the accuracy of gLDS-SC tends to that of LDS-SC-Grass as L grows", _ORDERS),
    "order-cost": Claim("the time of gLDS-SC grows with L", _TIMES),
    "cheaper": Claim(
        "gLDS-SC takes longer than LDS-SC-Grass for L > 2 (tactile sets: from L = 8)", _TIMES
    ),
    "tactile-slower": Claim(
        "on tactile sets LDS-SC-Grass is slower than gLDS-SC for L < 8",
        _TIMES,
        "needs a tactile set",
    ),
    "order-factor": Claim(
        "LDS-SC-Grass is about L times as fast as gLDS-SC (tested: at least L / 2 times)", "Sec. 8"
    ),
    "grass-steady": Claim(
        "the accuracy of LDS-SC-Grass is steady for large n", f"Sec. 9.2, {_STATES}"
    ),
    "martin-steady": Claim(
        "the accuracy of LDS-SC-Martin is steady for large n", f"Sec. 9.2, {_STATES}"
    ),
    "grass-nearest": Claim(
        "LDS-SC-Grass is more accurate than LDS-Martin for large n", f"Sec. 9.2, {_STATES}"
    ),
    "martin-nearest": Claim(
        "LDS-SC-Martin is more accurate than LDS-Martin for large n", f"Sec. 9.2, {_STATES}"
    ),
    "grass-martin": Claim(
        "LDS-SC-Grass is more accurate than LDS-SC-Martin (the paper: not on UCSD and UCLA)",
        f"Sec. 9.2, {_STATES}",
        excepted=("UCSD", "UCLA"),
    ),
    "martin-grass": Claim(
        "LDS-SC-Martin is more accurate than LDS-SC-Grass on UCSD and UCLA",
        f"Sec. 9.2, {_STATES}",
        "needs UCSD or UCLA",
    ),
    "sparse-robust": Claim(
        "sparse coding is a robust and powerful method",
        "Sec. 9.2",
        "a summary of the claims around it",
    ),
    "table-best": Claim(
        "the better of LDS-SC-Martin and LDS-SC-Grass is more accurate than LDS-Martin and LDS-SVM,"
        " each at its best n",
        _TABLE,
    ),
    "table-cited": Claim(
        "they are also more accurate than the methods of other authors, on UCSD as good as KL-SVM",
        _TABLE,
        "the paper cites these accuracies; the methods are not part of this library",
    ),
    "covariance-coding": Claim("the covariance raises the accuracy of coding", "Sec. 9.2"),
    "never-rises": Claim(
        "every update lowers the objective of dictionary learning",
        "Sec. 9.3",
        "a property, which tests of this library check for every update",
    ),
    "few-iterations": Claim(
        "LDS-DL converges in a few iterations (tested: 90 % of the decrease of all iterations is"
        " reached after 5)",
        _START,
    ),
    "kmeans-start": Claim(
        "LDS-DL starts at a lower objective from k-means than from random atoms", _START
    ),
    "kmeans-lower": Claim(
        "LDS-DL ends at a lower objective from k-means than from random atoms", _START
    ),
    "kmeans-accuracy": Claim(
        "LDS-DL is more accurate from k-means than from random atoms", "Sec. 9.3"
    ),
    "twofold": Claim("LDS-DL (two-fold) is more accurate than LDSST-DL (symmetric)", _KINDS),
    "covariance-learning": Claim(
        "the covariance raises the accuracy of learned dictionaries", _KINDS
    ),
    "atoms-patterns": Claim(
        "learned measurement matrices capture more spatial patterns, transitions change little",
        "Sec. 9.3, Fig. 13",
        "assessed by viewing pictures, which the page shows",
    ),
    "learned": Claim("a learned dictionary is more accurate than one of random atoms", _TRAINING),
    "infinite-2": Claim("covLDS-DL is more accurate than gLDS-DL, L = 2, for J < 16", _TRAINING),
    "infinite-3": Claim("covLDS-DL is more accurate than gLDS-DL, L = 3, for J < 16", _TRAINING),
    "parity-2": Claim(
        "covLDS-DL and gLDS-DL, L = 2, are within five points of each other for J >= 16", _TRAINING
    ),
    "parity-3": Claim(
        "covLDS-DL and gLDS-DL, L = 3, are within five points of each other for J >= 16", _TRAINING
    ),
    "update-cheaper-2": Claim(
        "an update of gLDS-DL, L = 2, takes longer than one of covLDS-DL", _TRAINING
    ),
    "update-cheaper-3": Claim(
        "an update of gLDS-DL, L = 3, takes longer than one of covLDS-DL", _TRAINING
    ),
    "update-order": Claim("an update of gLDS-DL takes longer for L = 3 than for L = 2", _TRAINING),
    "update-factor": Claim(
        "an update of LDS-DL is about L^2 / 2 times as fast as one of gLDS-DL (tested: at least"
        " L^2 / 4 times)",
        "Sec. 8",
    ),
    "hierarchical-grows": Claim("accuracy grows with the number of atoms per class", _CLASSES),
    "hierarchical-quick": Claim(
        "learning atoms per class is faster than learning as many for all classes", _CLASSES
    ),
    "hierarchical-cited": Claim(
        "32 atoms per class on DynTex++ reach 91.7 %, more than a Grassmannian dictionary (90.3 %)",
        _CLASSES,
        "needs DynTex++, and the paper cites the other method",
    ),
}
