"""Dictionaries of finite observability matrices."""

from typing import Any

from ldslearn._checks import check_whole
from ldslearn.dictionary.base import SystemDictionary
from ldslearn.dictionary.recipe import Recipe


class FiniteDictionary(SystemDictionary):
    """Learn a dictionary of finite observability subspaces, and code systems by it (gLDS-DL).

    Atoms are n-dimensional subspaces of R^(order n_channels), not systems: the smallest
    eigenvectors of S = sum_i z_ri (sum_j z_ji D_j D_j' - X_i X_i'), found without forming S unless
    it is small.

    Parameters
    ----------
    n_atoms : int, default=16
    order : int, default=5
        Blocks of the observability matrices, the paper's L.
    update : "column" or "joint", default="column"
        Eigenvectors, the best atom for given codes; or steps towards it.
    sparsity, init, max_iter, tol, random_state, n_jobs
        As in :class:`LDSDictionary`.

    Attributes
    ----------
    atoms_ : Atoms
        ``atoms_.subspaces`` are the bases, (n_atoms, order n_channels, n_states).
    objective_, half_steps_, n_iter_, stopped_
        As in :class:`LDSDictionary`.

    Examples
    --------
    >>> from ldslearn import FiniteDictionary, LDSEncoder
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> systems = LDSEncoder(n_states=6).fit_transform(X_train)
    >>> dictionary = FiniteDictionary(n_atoms=8, order=3, random_state=0).fit(systems)
    >>> dictionary.atoms_.subspaces.shape
    (8, 18, 6)
    """

    def __init__(
        self,
        n_atoms: int = 16,
        *,
        order: int = 5,
        update: str = "column",
        sparsity: float = 0.1,
        init: Any = "kmeans",
        max_iter: int = 20,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_atoms = n_atoms
        self.order = order
        self.update = update
        self.sparsity = sparsity
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _check_parameters(self, n_systems: int) -> None:
        super()._check_parameters(n_systems)
        check_whole("order", self.order)

    def _make_recipe(self) -> Recipe:
        return Recipe.finite(self.order)
