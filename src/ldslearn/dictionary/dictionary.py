"""The transformer that learns a dictionary of two-fold systems."""

from typing import Any, Literal

import numpy as np

from ldslearn import _errors
from ldslearn._checks import check_real
from ldslearn.dictionary.base import SystemDictionary
from ldslearn.dictionary.recipe import PARTS, Recipe


class LDSDictionary(SystemDictionary):
    r"""Learn a dictionary of two-fold systems, and code systems by it (Sections 6 and 7).

    Parameters
    ----------
    n_atoms : int, default=16
        Number of atoms per code.
    parts : "twofold", "symmetric" or "skew", default="twofold"
        LDS-DL or LDSST-DL of the paper, or the skew-symmetric parts alone.
    update : "joint" or "column", default="joint"
        All columns of an atom at once, or one after the other (Thms. 5 and 6). Both are exact and
        never raise the objective; joint ends lower in less time.
    mix : float, None or "cv", default=None
        The paper's :math:`\beta` in [0, 1]: the weight of the parts, ``1 - mix`` that of the
        covariance of the noise (covLDS-DL). None, or 1, is without covariance. "cv" is for
        :class:`~ldslearn.DictionaryClassifier`, which chooses it by labels.
    sparsity : float, default=0.1
        The paper's :math:`\lambda`; see :func:`ldslearn.sparse_code`.
    init : "kmeans", "random", LDS or Atoms, default="kmeans"
        Centres of k-means; training systems sampled at random; systems or atoms to start from, such
        as `atoms_` of an earlier fit or `cluster_centers_` of :class:`~ldslearn.LDSKMeans`.
    shared_codes : bool, default=False
        One code for both parts of two-fold systems, with the mean of their kernels, instead of one
        code each.
    max_iter : int, default=20
        Largest number of iterations. 0 keeps the atoms of `init` (covLDS-Rand with
        ``init="random"``).
    tol : float, default=1e-4
        Stop when an iteration lowers the objective by less than this fraction of it.
    random_state : int, RandomState, Generator or None, default=None
        Random seed of `init`.
    n_jobs : int or None, default=None
        Threads; codes of different parts run in parallel. The result does not depend on it.

    Attributes
    ----------
    atoms_ : Atoms
        ``atoms_.systems()`` are the atoms as an LDS batch, symmetric parts first;
        ``atoms_.symmetric`` and ``atoms_.skew`` their canonical forms, ``atoms_.covariance`` their
        noise directions. With separate codes symmetric atom j and skew atom j are unrelated.
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
    With :math:`\Pi(X)` the projection on the observability subspace of :math:`X`, the objective is

    .. math:: \sum_i \Big\| \Pi(X_i) - \sum_j z_{ji} \Pi(D_j) \Big\|_F^2 + \lambda \|z_i\|_1,

    Eq. (14) of [1]_ with the constant. Two-fold systems add the objectives of both parts.
    `partial_fit` follows [2]_.

    An atom that no code uses is replaced by the training system that is coded worst. Ctrl-C keeps
    the atoms learned so far as fitted attributes (during k-means, those of an earlier fit), and
    raises KeyboardInterrupt.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 6 and 7. doi:10.48550/arXiv.1608.01059
    .. [2] J. Mairal, F. Bach, J. Ponce, G. Sapiro, *Online learning for matrix factorization and
       sparse coding*, Journal of Machine Learning Research 11 (2010) 19-60.

    Examples
    --------
    >>> from ldslearn import LDSDictionary, LDSEncoder
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> encoder = LDSEncoder(n_states=4)
    >>> dictionary = LDSDictionary(n_atoms=8, max_iter=5, random_state=0)
    >>> dictionary.fit_transform(encoder.fit_transform(X_train)).shape
    (40, 16)
    >>> bool((dictionary.objective_[1:] <= dictionary.objective_[:-1]).all())
    True
    >>> dictionary.atoms_.systems()
    LDS(16 systems, n_channels=6, n_states=4, with B, x0)
    """

    def __init__(
        self,
        n_atoms: int = 16,
        *,
        parts: str = "twofold",
        update: str = "joint",
        mix: float | Literal["cv"] | None = None,
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

    def _check_parameters(self, n_systems: int) -> None:
        super()._check_parameters(n_systems)
        if self.parts not in PARTS:
            raise _errors.unknown_name("parts", self.parts, PARTS)
        if self.mix == "cv":
            raise _errors.invalid(
                "mix", "be a number between 0 and 1, or None, without labels", "'cv'",
                "DictionaryClassifier chooses it by folds of labelled systems.",
            )  # fmt: skip
        if self.mix is not None:
            check_real("mix", self.mix, "lie between 0 and 1, or be None", 0, 1)
        if not isinstance(self.shared_codes, bool | np.bool_):
            raise _errors.invalid_parameter("shared_codes", "be True or False", self.shared_codes)

    def _make_recipe(self) -> Recipe:
        assert self.mix != "cv"  # fit() has checked, or a classifier has chosen
        return Recipe.twofold(self.parts, self.mix, self.shared_codes)
