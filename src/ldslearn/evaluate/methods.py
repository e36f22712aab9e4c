"""The paper's methods by their names, and the automatic method."""

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

# Seconds. Less than the 60 of AutoLDSClassifier: a command fits one model per split. Recorded
# results depend on it.
COMMAND_BUDGET = 30.0
ENCODER = ("n_states", "delays", "stabilizer", "scale")  # parameters of all methods but auto


@dataclass(frozen=True)
class Settings:
    """Settings of all methods: the paper's values, and the time budget of "auto" in seconds."""

    sparsity: float = 0.1
    atoms: int = 16
    order: int = 5
    budget: float = COMMAND_BUDGET
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
        Its own parameters, by their names in :class:`Settings`.
    automatic : bool
        Whether it accepts sequences and chooses all parameters itself.
    """

    name: str
    title: str
    build: Callable[[Settings], Any]
    uses: tuple[str, ...] = ()
    automatic: bool = False

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
        return self.uses if self.automatic else (*ENCODER, *self.uses)


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
DEFAULT_METHOD = "auto"


def find_method(name: str) -> Method:
    """Return a method by its name."""
    if name == "kmeans":
        raise _errors.invalid(
            "method", "be a classifier", "'kmeans', which groups without labels",
            "Use `ldslearn cluster` or LDSKMeans; labels are then compared with the clusters.",
        )  # fmt: skip
    if name not in METHODS:
        raise _errors.unknown_name("method", name, METHODS)
    return METHODS[name]
