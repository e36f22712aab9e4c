"""Dictionaries of finite observability matrices."""

from typing import Any

from ldslearn._checks import check_whole
from ldslearn.dictionary.base import SystemDictionary
from ldslearn.dictionary.recipe import Recipe


class FiniteDictionary(SystemDictionary):
    r"""Learn a dictionary of finite observability subspaces, and code systems by it (gLDS-DL).

    Parameters
    ----------
    n_atoms : int, default=16
        Number of atoms.
    order : int, default=5
        Blocks of the observability matrices, the paper's :math:`L`.
    update : "column" or "joint", default="column"
        Eigenvectors, the best atom for given codes; or steps towards it.
    sparsity : float, default=0.1
        This and the following parameters are as in :class:`~ldslearn.LDSDictionary`.
    init : "kmeans", "random", LDS or Atoms, default="kmeans"
    max_iter : int, default=20
    tol : float, default=1e-4
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None

    Attributes
    ----------
    atoms_ : Atoms
        ``atoms_.subspaces`` are the bases, (n_atoms, order * n_channels, n_states).
    objective_ : 1-D array
        After the codes of every iteration, from iteration 0; never rises.
    half_steps_ : list of float
        After the codes and after the atoms of every iteration; never rises.
    n_iter_ : int
        Number of iterations.
    stopped_ : str
        The reason why the last fit stopped, in words.
    batch_objective_ : list of float
        Objective per system of each batch of `partial_fit`, before it was learned from.
    n_batches_ : int
        Number of batches that `partial_fit` has learned from.
    recipe_ : Recipe
        Weights of the kernels of each code (``recipe_.codes``).

    Notes
    -----
    Atoms are n-dimensional subspaces of the space of ``order * n_channels`` dimensions, not
    systems. Atom :math:`r` is spanned by the eigenvectors of the smallest eigenvalues of

    .. math:: S = \sum_i z_{ri} \Big( \sum_{j \neq r} z_{ji} D_j D_j^\top - X_i X_i^\top \Big),

    found without forming :math:`S` unless it is small.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 6.1 and 9.3. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from ldslearn import FiniteDictionary, LDSEncoder
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> systems = LDSEncoder(n_states=4).fit_transform(X_train)
    >>> dictionary = FiniteDictionary(n_atoms=8, order=3, max_iter=5, random_state=0).fit(systems)
    >>> dictionary.atoms_.subspaces.shape
    (8, 18, 4)
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
