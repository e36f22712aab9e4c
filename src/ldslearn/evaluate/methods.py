"""The paper's methods by their names, and the one that chooses by itself."""

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


@dataclass(frozen=True)
class Settings:
    """What a method may need; the paper's values, and seconds for "auto" to choose."""

    sparsity: float = 0.1
    atoms: int = 16
    order: int = 5
    budget: float = 30.0
    seed: int = 0
    n_jobs: int | None = None


@dataclass(frozen=True)
class Method:
    """A classifier of systems under the name it has in the paper.

    Attributes
    ----------
    name, title : str
    build : callable
        ``build(settings)`` returns the classifier.
    sparse : bool
        Whether `sparsity` matters.
    automatic : bool
        Whether it takes sequences and chooses everything itself.
    """

    name: str
    title: str
    build: Callable[[Settings], Any]
    sparse: bool = False
    automatic: bool = False


def _coder(kernel: str) -> Callable[[Settings], SparseCodingClassifier]:
    return lambda s: SparseCodingClassifier(kernel, sparsity=s.sparsity, n_jobs=s.n_jobs)


def _dictionary(**options: Any) -> Callable[[Settings], DictionaryClassifier]:
    def build(s: Settings) -> DictionaryClassifier:
        dictionary = LDSDictionary(
            s.atoms, sparsity=s.sparsity, random_state=s.seed, n_jobs=s.n_jobs, **options
        )
        return DictionaryClassifier(dictionary, LinearSVC(C=10))

    return build


def _finite_coder(s: Settings) -> SparseCodingClassifier:
    return SparseCodingClassifier(
        "finite", sparsity=s.sparsity, kernel_params={"order": s.order}, n_jobs=s.n_jobs
    )


def _finite_dictionary(s: Settings) -> DictionaryClassifier:
    dictionary = FiniteDictionary(
        s.atoms, order=s.order, sparsity=s.sparsity, random_state=s.seed, n_jobs=s.n_jobs
    )
    return DictionaryClassifier(dictionary, LinearSVC(C=10))


METHODS = {
    method.name: method
    for method in (
        Method(
            "auto",
            "everything chosen on training data",
            lambda s: AutoLDSClassifier(s.budget, random_state=s.seed, n_jobs=s.n_jobs),
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
            lambda s: LDSSVC("martin", C="cv", random_state=s.seed, n_jobs=s.n_jobs),
        ),
        Method("lds-sc-martin", "sparse coding, Martin kernel", _coder("martin"), True),
        Method("lds-sc-grass", "sparse coding, projection kernel", _coder("projection"), True),
        Method("glds-sc", "sparse coding, finite observability", _finite_coder, True),
        Method("lds-dl", "dictionary of two-fold systems", _dictionary(), True),
        Method("covlds-dl", "two-fold dictionary with covariance", _dictionary(mix=0.5), True),
        Method(
            "ldsst-dl", "dictionary, symmetric part alone", _dictionary(parts="symmetric"), True
        ),
        Method("glds-dl", "dictionary of finite subspaces", _finite_dictionary, True),
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
