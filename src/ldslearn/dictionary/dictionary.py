"""The transformer that learns a dictionary of systems."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ldslearn import _errors
from ldslearn._checks import check_real, check_whole, random_source
from ldslearn._parallel import progress
from ldslearn.coding import sparse_code
from ldslearn.dictionary.algorithm import UPDATES, Group, learn
from ldslearn.dictionary.atoms import PARTS, Atoms, check_given, columns_of, term_weights
from ldslearn.dictionary.centres import best_of_restarts
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.online import Memory, learn_batch
from ldslearn.models import LDS, as_systems

Floats = NDArray[np.float64]


def _state_of(groups: list[Group], objective: float) -> str:
    used = [np.count_nonzero(group.codes) / len(group.data[0]) for group in groups]
    return f"dictionary: objective {objective:.5g}, {np.mean(used):.1f} atoms a code"


class SystemDictionary(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What dictionaries of systems share: Algorithm 1 on the columns that a subclass names.

    A subclass has parameters `n_atoms`, `update`, `sparsity`, `init`, `max_iter`, `tol`,
    `random_state` and `n_jobs`, and says how systems become terms.
    """

    def fit(self, X: LDS, y: Any = None) -> Self:
        """Learn the atoms.

        Parameters
        ----------
        X : LDS
        y : ignored
        """
        systems = as_systems(X, "X")
        self._check(len(systems))
        self.__dict__.pop("_memories", None)  # of an earlier stream
        data = self._terms(systems)
        groups = self._groups(data, self._initial(systems, data))
        self.half_steps_: list[float] = []
        self.stopped_ = f"after max_iter={self.max_iter} iterations"
        try:
            with progress("dictionary", self.max_iter + 1) as advance:
                for pair in learn(groups, self.update, self.max_iter, self.tol, self.n_jobs):
                    self.half_steps_ += pair
                    advance(1, _state_of(groups, pair[0]))
            if len(self.half_steps_) < 2 * (self.max_iter + 1):
                self.stopped_ = f"an iteration lowered the objective by less than tol={self.tol:g}"
        except KeyboardInterrupt:
            self.stopped_ = "by an interrupt"
            raise
        finally:
            self._keep(groups, systems)
        return self

    def partial_fit(self, X: LDS, y: Any = None) -> Self:
        """Learn from one batch of a stream; the first one gives the atoms to start from.

        One stochastic step: batch t enters the averages that the atoms follow by the weight
        ``t ** -0.6``. Atoms that five batches in a row do not use are replaced by the system coded
        worst.

        Parameters
        ----------
        X : LDS
        y : ignored
        """
        first = not hasattr(self, "_memories")
        systems = as_systems(X, "X") if first else self._check_like(X)
        if first:
            self._check(len(systems))
        data = self._terms(systems)
        groups = self._groups(data, self._initial(systems, data) if first else self.atoms_)
        if first:
            self._memories = [Memory.of(group.atoms) for group in groups]
            self.batch_objective_: list[float] = []
        steps = zip(groups, self._memories, strict=True)
        self.batch_objective_.append(
            sum(learn_batch(group, memory, self.n_jobs) for group, memory in steps)
        )
        self.half_steps_, self.stopped_ = [], "between batches"
        self._keep(groups, systems)
        self.n_batches_ = len(self.batch_objective_)
        return self

    def transform(self, X: LDS) -> Floats:
        """Return the codes, (len(X), n_atoms); those of several codes side by side."""
        check_is_fitted(self)
        codes = []
        for group in self._groups(self._terms(self._check_like(X)), self.atoms_):
            gram, cross = group.kernels(self.n_jobs)
            codes.append(sparse_code(gram, cross, self.sparsity, n_jobs=self.n_jobs))
        return np.concatenate(codes, axis=1)

    def fit_transform(self, X: LDS, y: Any = None) -> Floats:
        """Learn the atoms, and return the codes of the same systems."""
        return self.fit(X).transform(X)

    def with_atoms(self, atoms: Atoms, like: LDS) -> Self:
        """Take atoms as they are, as if they had been learned from systems like those given."""
        self.atoms_ = atoms
        self.n_channels_in_, self.n_states_in_ = like.n_channels, like.n_states
        self.delays_in_ = like.delays
        self.half_steps_, self.objective_, self.stopped_ = [], np.empty(0), "nothing was learned"
        return self

    def _groups(self, data: list[dict[str, Columns]], atoms: Atoms) -> list[Group]:
        return [
            Group(
                [data[i][name] for name in term],
                [atoms.terms[i][name].copy() for name in term],
                list(term.values()),
                self.sparsity,
            )
            for i, term in enumerate(self._weights())
        ]

    def _keep(self, groups: list[Group], systems: LDS) -> None:
        terms = [
            dict(zip(term, group.atoms, strict=True))
            for term, group in zip(self._weights(), groups, strict=True)
        ]
        history, stopped = self.half_steps_, self.stopped_
        self.with_atoms(Atoms(terms, systems.delays), systems)
        self.half_steps_, self.stopped_ = history, stopped
        self.objective_ = np.array(history[::2])
        self.n_iter_ = max(len(self.objective_) - 1, 0)

    def _initial(self, systems: LDS, data: list[dict[str, Columns]]) -> Atoms:
        weights, random = self._weights(), random_source(self.random_state)
        if isinstance(self.init, LDS):
            given = as_systems(self.init, "init")
            if given.shape[1:] != systems.shape[1:] or len(given) != self.n_atoms:
                raise _errors.invalid(
                    "init",
                    f"hold n_atoms={self.n_atoms} systems of shape {systems.shape[1:]} like X",
                    f"{len(given)} of shape {given.shape[1:]}",
                    "",
                )
            return Atoms(self._terms(given), systems.delays)
        if isinstance(self.init, str) and self.init == "random":
            chosen = random.choice(len(systems), self.n_atoms, replace=False)
            terms = [{name: x[chosen] for name, x in term.items()} for term in data]
            return Atoms(terms, systems.delays)
        if isinstance(self.init, str) and self.init == "kmeans":
            terms = []
            for term, columns in zip(weights, data, strict=True):
                centres, _, _ = best_of_restarts(
                    list(columns.values()), list(term.values()), self.n_atoms, random,
                    n_init=3, max_iter=10, tol=1e-3, n_jobs=self.n_jobs,
                )  # fmt: skip
                terms.append(dict(zip(term, centres, strict=True)))
            return Atoms(terms, systems.delays)
        return check_given(self.init, weights, self.n_atoms)

    def _check(self, n_systems: int) -> None:
        check_whole("n_atoms", self.n_atoms)
        if self.n_atoms > n_systems and isinstance(self.init, str):
            raise _errors.invalid(
                "n_atoms",
                f"be at most {n_systems}, as many as systems",
                self.n_atoms,
                "Lower n_atoms, or give atoms to start from with init.",
            )
        if self.update not in UPDATES:
            raise _errors.unknown_name("update", self.update, UPDATES)
        check_real("sparsity", self.sparsity, "be a finite number of at least 0", low=0)
        check_whole("max_iter", self.max_iter, least=0)
        check_real("tol", self.tol, "be a finite number of at least 0", low=0)

    def _check_like(self, X: Any) -> LDS:
        systems = as_systems(X, "X")
        for what in ("n_channels", "delays", "n_states"):
            got, expected = getattr(systems, what), getattr(self, f"{what}_in_")
            if got != expected:
                raise _errors.systems_not_as_fitted(
                    what, got, expected, "the model was fitted with"
                )
        return systems

    def _terms(self, systems: LDS) -> list[dict[str, Columns]]:
        """Columns of systems: for each code, its terms by name."""
        raise NotImplementedError

    def _weights(self) -> list[dict[str, float]]:
        """Weights of the terms, likewise."""
        raise NotImplementedError

    @property
    def _n_features_out(self) -> int:
        return len(self.atoms_) * len(self.atoms_.terms)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags


class LDSDictionary(SystemDictionary):
    """Learn a dictionary of two-fold systems, and code systems by it (Sec. 6 and 7, Alg. 1).

    Parameters
    ----------
    n_atoms : int, default=16
    parts : "twofold", "symmetric" or "skew", default="twofold"
        LDS-DL, LDSST-DL of the paper, or the skew-symmetric parts alone.
    update : "joint" or "column", default="joint"
        All columns of an atom at once, or one after the other (Thms. 5 and 6). Both are exact and
        never raise the objective; joint ends lower in less time.
    mix : float or None, default=None
        The paper's beta in [0, 1]: the weight of the parts, 1 - mix that of the covariance of the
        noise (covLDS-DL). None is without covariance.
    sparsity : float, default=0.1
        The paper's lambda; see :func:`ldslearn.sparse_code`.
    init : "kmeans", "random", LDS or Atoms, default="kmeans"
        Centres of k-means; training systems drawn at random; systems or atoms to start from, such
        as ``atoms_`` of an earlier fit.
    shared_codes : bool, default=False
        One code for both parts of two-fold systems, with the mean of their kernels, instead of one
        code each.
    max_iter : int, default=20
        0 keeps the atoms of `init` (covLDS-Rand with ``init="random"``).
    tol : float, default=1e-4
        Stop when an iteration lowers the objective by less than this share of it.
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None
        Threads: codes of different parts run side by side; the result does not depend on it.

    Attributes
    ----------
    atoms_ : Atoms
        ``atoms_.systems()`` are the atoms as an LDS batch; ``atoms_.symmetric`` and
        ``atoms_.skew`` their canonical forms.
    objective_ : (n_iter_ + 1,) array
        After the codes of every iteration; never rises.
    half_steps_ : list of float
        After the codes and after the atoms of every iteration; never rises.
    n_iter_ : int
    stopped_ : str
        Why it stopped.
    batch_objective_ : list of float
        Of `partial_fit`: objective a system of every batch, before it was learned from.

    Notes
    -----
    An atom that no code uses is replaced by the training system that is coded worst. Ctrl-C keeps
    the atoms learned so far, fitted attributes and all, and is passed on.

    Examples
    --------
    >>> from ldslearn import LDSDictionary, LDSEncoder
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> encoder = LDSEncoder(n_states=6)
    >>> dictionary = LDSDictionary(n_atoms=8, random_state=0).fit(encoder.fit_transform(X_train))
    >>> dictionary.transform(encoder.transform(X_test)).shape
    (40, 16)
    >>> dictionary.atoms_.systems()
    LDS(16 systems, n_channels=6, n_states=6, with B, x0)
    """

    def __init__(
        self,
        n_atoms: int = 16,
        *,
        parts: str = "twofold",
        update: str = "joint",
        mix: float | None = None,
        sparsity: float = 0.1,
        init: Any = "kmeans",
        shared_codes: bool = False,
        max_iter: int = 20,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_atoms = n_atoms
        self.parts = parts
        self.update = update
        self.mix = mix
        self.sparsity = sparsity
        self.init = init
        self.shared_codes = shared_codes
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _check(self, n_systems: int) -> None:
        super()._check(n_systems)
        if self.parts not in PARTS:
            raise _errors.unknown_name("parts", self.parts, PARTS)
        if self.mix is not None:
            check_real("mix", self.mix, "lie between 0 and 1, or be None", 0, 1)
        if not isinstance(self.shared_codes, bool | np.bool_):
            raise _errors.invalid_parameter("shared_codes", "be True or False", self.shared_codes)

    def _weights(self) -> list[dict[str, float]]:
        return term_weights(self.parts, self.mix, self.shared_codes)

    def _terms(self, systems: LDS) -> list[dict[str, Columns]]:
        found: dict[str, Columns] = {}
        for term in self._weights():
            for name in term:
                if name not in found:
                    found[name] = columns_of(systems, name)
        return [{name: found[name] for name in term} for term in self._weights()]
