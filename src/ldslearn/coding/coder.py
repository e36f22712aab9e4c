"""The transformer from systems to sparse codes."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ldslearn import _errors
from ldslearn._tags import NonTabularMixin
from ldslearn._types import Floats, Indices
from ldslearn.coding.sparse_codes import sparse_code
from ldslearn.geometry.fitted_kernels import FittedKernel, check_same_layout
from ldslearn.geometry.registry import Kernel
from ldslearn.models.blocks import apply_by_blocks
from ldslearn.models.lds import LDS, as_systems


class SparseCoder(
    NonTabularMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    r"""Code every system as a sparse combination of atoms in the space of a kernel (Section 5).

    Parameters
    ----------
    kernel : str, callable or mapping of str to float, default="projection"
        As in :func:`ldslearn.geometry.pairwise_kernel`.
    atoms : LDS or None, default=None
        The dictionary; by default the systems given to `fit`.
    sparsity : float, default=0.1
        The paper's :math:`\lambda`; see :func:`ldslearn.sparse_code`, also for the next two.
    n_nonzero : int or None, default=None
        Largest number of coefficients, instead of `sparsity`.
    nonnegative : bool, default=False
        Only coefficients of at least 0.
    kernel_params : mapping or None, default=None
        Parameters of the kernel, such as ``{"order": 3}``. ``bandwidth="median"`` is that of the
        atoms.
    n_jobs : int or None, default=None
        Threads, as in joblib; the result does not depend on it.

    Attributes
    ----------
    kernel_ : FittedKernel
        The atoms (``kernel_.systems``) and their kernel matrix (``kernel_.gram``).

    Notes
    -----
    The code :math:`z` of a system :math:`x` minimises
    :math:`\|\phi(x) - \sum_j z_j \phi(d_j)\|^2 + \lambda \|z\|_1`, where :math:`\phi` maps to the
    space of the kernel and :math:`d_j` are the atoms.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 5. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from ldslearn import LDSEncoder, SparseCoder
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> encoder = LDSEncoder(n_states=10, delays=5)
    >>> coder = SparseCoder(sparsity=1.0).fit(encoder.fit_transform(X_train))
    >>> codes = coder.transform(encoder.transform(X_test))
    >>> codes.shape
    (40, 40)
    >>> round(float((codes != 0).mean()), 1)  # fraction of nonzero coefficients
    0.3
    """

    def __init__(
        self,
        kernel: Kernel = "projection",
        *,
        atoms: LDS | None = None,
        sparsity: float = 0.1,
        n_nonzero: int | None = None,
        nonnegative: bool = False,
        kernel_params: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.atoms = atoms
        self.sparsity = sparsity
        self.n_nonzero = n_nonzero
        self.nonnegative = nonnegative
        self.kernel_params = kernel_params
        self.n_jobs = n_jobs

    def fit(self, X: LDS, y: Any = None) -> Self:
        """Use X, or the atoms given, as the dictionary, and compute its kernel matrix.

        Parameters
        ----------
        X : LDS
        y : ignored

        Returns
        -------
        self
        """
        atoms = as_systems(X, "X") if self.atoms is None else as_systems(self.atoms, "atoms")
        check_same_layout(X, atoms, "the atoms have")
        self.kernel_ = FittedKernel.fit(atoms, self.kernel, self.kernel_params, self.n_jobs)
        return self

    @apply_by_blocks
    def transform(self, X: LDS) -> Floats:
        """Return the codes, (len(X), n_atoms).

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X), n_atoms) array
        """
        codes = self.code(X)[0]
        self.warn_of_zeros(np.flatnonzero(~codes.any(axis=1)), stacklevel=5)
        return codes

    def fit_transform(self, X: LDS, y: Any = None) -> Floats:
        """Fit, and return the codes of the same systems, each coded *by the others*.

        A system that may use itself needs no other, and its code says nothing about new systems.
        Therefore ``fit_transform(X)`` differs from ``fit(X).transform(X)``, unless `atoms` are
        given.

        Parameters
        ----------
        X : LDS
        y : ignored

        Returns
        -------
        (len(X), n_atoms) array
        """
        self.fit(X)
        if self.atoms is not None:
            return self.transform(X)
        gram = self.kernel_.gram
        codes = self._code(gram, allowed=~np.eye(len(gram), dtype=bool))
        self.warn_of_zeros(np.flatnonzero(~codes.any(axis=1)))
        return codes

    def code(self, X: LDS) -> tuple[Floats, Floats]:
        """Return the codes and the kernels with the atoms they were found from.

        Parameters
        ----------
        X : LDS

        Returns
        -------
        codes, cross : (len(X), n_atoms) arrays
        """
        check_is_fitted(self)
        cross = self.kernel_.cross(self.kernel_.check(X), self.n_jobs)
        return self._code(cross), cross

    def _code(self, cross: Floats, allowed: NDArray[np.bool_] | None = None) -> Floats:
        return sparse_code(
            self.kernel_.gram,
            cross,
            self.sparsity,
            n_nonzero=self.n_nonzero,
            nonnegative=self.nonnegative,
            allowed=allowed,
            n_jobs=self.n_jobs,
        )

    def warn_of_zeros(self, empty: Indices, stacklevel: int = 3) -> None:
        """Warn that some systems have codes of zeros, if there are any.

        Parameters
        ----------
        empty : (n_empty,) array of int
            Indices of these systems.
        stacklevel : int, default=3
            As in :func:`warnings.warn`.
        """
        if len(empty):
            sparsity = self.sparsity if self.n_nonzero is None else None
            warnings.warn(describe_zero_codes(empty.tolist(), sparsity), stacklevel=stacklevel)

    @property
    def _n_features_out(self) -> int:
        return len(self.kernel_.systems)


def describe_zero_codes(indices: Sequence[int], sparsity: float | None) -> str:
    """Return the text of the warning about samples that no atom explains.

    `sparsity` is None for a pursuit, which has none.
    """
    who = f"the code of system {_errors.list_some(indices)} is zero"
    if sparsity is None:
        return f"{who}: it has nothing in common with any atom. Use other atoms, or another kernel."
    return f"{who} with sparsity={sparsity:g}: it says nothing about the system. Lower sparsity."
