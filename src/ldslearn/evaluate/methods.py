"""The paper's methods by their names, the automatic method, and random systems."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.svm import LinearSVC

from ldslearn import _errors
from ldslearn.auto import AutoLDSClassifier
from ldslearn.classify import (
    LDSSVC,
    DictionaryClassifier,
    NearestLDSClassifier,
    SparseCodingClassifier,
)
from ldslearn.dictionary import FiniteDictionary, LDSDictionary
from ldslearn.evaluate.settings import Settings
from ldslearn.novelty import LDSNovelty
from ldslearn.random_systems import RandomSystemsClassifier

ENCODER = (
    "n_states",
    "delays",
    "stabilizer",
    "scale",
)  # parameters of methods that encode


@dataclass(frozen=True)
class Method:
    """A classifier of systems under the name it has in the paper.

    Attributes
    ----------
    name : str
    title : str
        What it is, in words.
    build : callable
        ``build(settings)`` returns the classifier.
    uses : tuple of str, default=()
        Its own parameters, by their names in :class:`~ldslearn.evaluate.Settings`.
    automatic : bool, default=False
        Whether it accepts sequences and chooses all parameters itself.
    encodes : bool, default=True
        Whether sequences are encoded as systems for it; else it accepts sequences.
    detects : bool, default=False
        Whether it detects novelty, without labels, and is no classifier.

    Examples
    --------
    >>> from ldslearn.evaluate import METHODS
    >>> method = METHODS["lds-sc-grass"]
    >>> method.title
    'sparse coding, projection kernel'
    >>> method.parameters
    ('n_states', 'delays', 'stabilizer', 'scale', 'sparsity')
    """

    name: str
    title: str
    build: Callable[[Settings], Any]
    uses: tuple[str, ...] = ()
    automatic: bool = False
    encodes: bool = True
    detects: bool = False

    @property
    def uses_sparsity(self) -> bool:
        """Whether `sparsity` is one of its parameters."""
        return "sparsity" in self.uses

    @property
    def learns_atoms(self) -> bool:
        """Whether it learns a dictionary."""
        return "atoms" in self.uses

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of all its parameters."""
        encoded = self.encodes and not self.automatic
        return (*ENCODER, *self.uses) if encoded else self.uses


def _martin_options(s: Settings) -> dict[str, Any]:
    return {"bandwidth": s.bandwidth}


def _make_coder(
    kernel: str, parameters: Callable[[Settings], dict[str, Any]] = lambda s: {}
) -> Callable[[Settings], SparseCodingClassifier]:
    return lambda s: SparseCodingClassifier(
        kernel, sparsity=s.sparsity, kernel_params=parameters(s) or None, n_jobs=s.n_jobs
    )


def _make_dictionary(
    *, mixed: bool = False, residual: bool = False, **options: Any
) -> Callable[[Settings], DictionaryClassifier]:
    def build(s: Settings) -> DictionaryClassifier:
        dictionary = LDSDictionary(
            s.atoms, sparsity=s.sparsity, random_state=s.seed, n_jobs=s.n_jobs,
            mix=s.mix if mixed else None, **options,
        )  # fmt: skip
        if residual:
            return DictionaryClassifier(dictionary, "residual", per_class=True)
        return DictionaryClassifier(
            dictionary, LinearSVC(C=10, random_state=s.seed), per_class=s.per_class
        )

    return build


def _build_finite_dictionary(s: Settings) -> DictionaryClassifier:
    dictionary = FiniteDictionary(
        s.atoms, order=s.order, sparsity=s.sparsity, random_state=s.seed, n_jobs=s.n_jobs
    )
    return DictionaryClassifier(
        dictionary, LinearSVC(C=10, random_state=s.seed), per_class=s.per_class
    )


_LEARNED = ("sparsity", "atoms", "per_class")

METHODS = {
    method.name: method
    for method in (
        Method(
            "auto",
            "all parameters chosen on training data",
            lambda s: AutoLDSClassifier(s.time_budget, random_state=s.seed, n_jobs=s.n_jobs),
            ("time_budget",),
            automatic=True,
        ),
        Method(
            "random-systems",
            "random systems and ridge regression",
            lambda s: RandomSystemsClassifier(random_state=s.seed, n_jobs=s.n_jobs),
            encodes=False,
        ),
        Method(
            "lds-martin",
            "nearest neighbour by Martin distance",
            lambda s: NearestLDSClassifier("martin", n_jobs=s.n_jobs),
        ),
        Method(
            "lds-svm",
            "support vector machine, Martin kernel",
            lambda s: LDSSVC(
                "martin",
                C="cv",
                kernel_params=_martin_options(s),
                random_state=s.seed,
                n_jobs=s.n_jobs,
            ),
            ("bandwidth",),
        ),
        Method(
            "lds-sc-martin",
            "sparse coding, Martin kernel",
            _make_coder("martin", _martin_options),
            ("sparsity", "bandwidth"),
        ),
        Method(
            "lds-sc-grass",
            "sparse coding, projection kernel",
            _make_coder("projection"),
            ("sparsity",),
        ),
        Method(
            "covlds-sc",
            "sparse coding, projection kernel with covariance",
            _make_coder("hybrid", lambda s: {"mix": s.mix}),
            ("sparsity", "mix"),
        ),
        Method(
            "glds-sc",
            "sparse coding, finite observability",
            _make_coder("finite", lambda s: {"order": s.order}),
            ("sparsity", "order"),
        ),
        Method("lds-dl", "dictionary of two-fold systems", _make_dictionary(), _LEARNED),
        Method(
            "covlds-dl",
            "two-fold dictionary with covariance",
            _make_dictionary(mixed=True),
            (*_LEARNED, "mix"),
        ),
        Method(
            "ldsst-dl",
            "dictionary, symmetric part only",
            _make_dictionary(parts="symmetric"),
            _LEARNED,
        ),
        Method(
            "glds-dl",
            "dictionary of finite subspaces",
            _build_finite_dictionary,
            (*_LEARNED, "order"),
        ),
        Method(
            "lds-dl-src",
            "atoms of each class, smallest residual",
            _make_dictionary(residual=True),
            ("sparsity", "atoms"),
        ),
        Method(
            "covlds-dl-src",
            "atoms of each class with covariance, smallest residual",
            _make_dictionary(mixed=True, residual=True),
            ("sparsity", "atoms", "mix"),
        ),
    )
}
NOVELTY = Method(
    "novelty",
    "distance to normal sequences, which need no labels",
    lambda s: LDSNovelty(contamination=s.contamination, n_jobs=s.n_jobs),
    ("contamination",),
    detects=True,
)
DEFAULT_METHOD = "auto"


def find_method(name: str, *, detectors: bool = False) -> Method:
    """Return a method by its name.

    Parameters
    ----------
    name : str
        A name of :data:`~ldslearn.evaluate.METHODS`.
    detectors : bool, default=False
        Whether the method may be "novelty", which is no classifier.

    Returns
    -------
    Method

    Raises
    ------
    ValueError
        If there is no such method. The message names similar ones.

    Examples
    --------
    >>> from ldslearn.evaluate import find_method
    >>> find_method("lds-martin").title
    'nearest neighbour by Martin distance'
    """
    if name == "kmeans":
        raise _errors.invalid(
            "method", "be a classifier", "'kmeans', which groups without labels",
            "Use `ldslearn cluster` or LDSKMeans; labels are then compared with the clusters.",
        )  # fmt: skip
    if name == NOVELTY.name:
        if detectors:
            return NOVELTY
        raise _errors.invalid(
            "method", "be a classifier", "'novelty', which has no classes",
            "Use `ldslearn train --method novelty` and `ldslearn watch`, or LDSNovelty.",
        )  # fmt: skip
    if name not in METHODS:
        raise _errors.unknown_name("method", name, METHODS)
    return METHODS[name]
