"""The paper's methods by their names, and the one that chooses by itself."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

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

ENCODER = ("n_states", "delays", "stabilizer", "scale")  # parameters of all methods but auto


@dataclass(frozen=True)
class Settings:
    """What a method may need; the paper's values, and seconds for "auto" to choose."""

    sparsity: float = 0.1
    atoms: int = 16
    order: int = 5
    budget: float = 30.0
    seed: int = 0
    n_jobs: int | None = None
    mix: float | Literal["cv"] = 0.5
    bandwidth: float | Literal["median"] = 200.0
    per_class: bool = False


@dataclass(frozen=True)
class Method:
    """A classifier of systems under the name it has in the paper.

    Attributes
    ----------
    name, title : str
    build : callable
        ``build(settings)`` returns the classifier.
    uses : tuple of str
        Parameters that matter to it, by their names in :class:`Settings`.
    automatic : bool
        Whether it takes sequences and chooses everything itself.
    """

    name: str
    title: str
    build: Callable[[Settings], Any]
    uses: tuple[str, ...] = ()
    automatic: bool = False

    @property
    def sparse(self) -> bool:
        """Whether `sparsity` matters."""
        return "sparsity" in self.uses

    @property
    def learns_atoms(self) -> bool:
        """Whether it learns a dictionary."""
        return "atoms" in self.uses

    @property
    def parameters(self) -> tuple[str, ...]:
        """All that may be given to it."""
        return self.uses if self.automatic else (*ENCODER, *self.uses)


def _martin(s: Settings) -> dict[str, Any]:
    return {"bandwidth": s.bandwidth}


def _coder(
    kernel: str, parameters: Callable[[Settings], dict[str, Any]] = lambda s: {}
) -> Callable[[Settings], SparseCodingClassifier]:
    return lambda s: SparseCodingClassifier(
        kernel, sparsity=s.sparsity, kernel_params=parameters(s) or None, n_jobs=s.n_jobs
    )


def _dictionary(
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


def _finite_dictionary(s: Settings) -> DictionaryClassifier:
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
            "everything chosen on training data",
            lambda s: AutoLDSClassifier(s.budget, random_state=s.seed, n_jobs=s.n_jobs),
            ("budget",),
            automatic=True,
        ),
        Method(
            "lds-martin",
            "nearest neighbour by Martin distance",
            lambda s: NearestLDSClassifier("martin", n_jobs=s.n_jobs),
        ),
        Method(
            "lds-svm",
            "support vectors, Martin kernel",
            lambda s: LDSSVC(
                "martin", C="cv", kernel_params=_martin(s), random_state=s.seed, n_jobs=s.n_jobs
            ),
            ("bandwidth",),
        ),
        Method(
            "lds-sc-martin",
            "sparse coding, Martin kernel",
            _coder("martin", _martin),
            ("sparsity", "bandwidth"),
        ),
        Method(
            "lds-sc-grass", "sparse coding, projection kernel", _coder("projection"), ("sparsity",)
        ),
        Method(
            "covlds-sc",
            "sparse coding, projection kernel with covariance",
            _coder("hybrid", lambda s: {"mix": s.mix}),
            ("sparsity", "mix"),
        ),
        Method(
            "glds-sc",
            "sparse coding, finite observability",
            _coder("finite", lambda s: {"order": s.order}),
            ("sparsity", "order"),
        ),
        Method("lds-dl", "dictionary of two-fold systems", _dictionary(), _LEARNED),
        Method(
            "covlds-dl",
            "two-fold dictionary with covariance",
            _dictionary(mixed=True),
            (*_LEARNED, "mix"),
        ),
        Method(
            "ldsst-dl",
            "dictionary, symmetric part alone",
            _dictionary(parts="symmetric"),
            _LEARNED,
        ),
        Method(
            "glds-dl",
            "dictionary of finite subspaces",
            _finite_dictionary,
            (*_LEARNED, "order"),
        ),
        Method(
            "lds-dl-src",
            "atoms of each class, smallest residual",
            _dictionary(residual=True),
            ("sparsity", "atoms"),
        ),
        Method(
            "covlds-dl-src",
            "atoms of each class with covariance, smallest residual",
            _dictionary(mixed=True, residual=True),
            ("sparsity", "atoms", "mix"),
        ),
    )
}
DEFAULT_METHOD = "auto"


def find_method(name: str) -> Method:
    """Return a method, or say which ones there are."""
    if name == "kmeans":
        raise _errors.invalid(
            "method", "be a classifier", "'kmeans', which groups without labels",
            "Use `ldslearn cluster` or LDSKMeans; labels, where known, judge the groups.",
        )  # fmt: skip
    if name not in METHODS:
        raise _errors.unknown_name("method", name, METHODS)
    return METHODS[name]
