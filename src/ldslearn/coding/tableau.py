"""Tableau of a quadratic problem: what joining and leaving of atoms do to their Gram matrix."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from ldslearn._types import Floats, Indices
from ldslearn.coding.cholesky import DEPENDENT as NEGLIGIBLE_PIVOT


@dataclass
class Tableau:
    r"""Gram matrix K of atoms after some of them became active, and changes of it to come.

    With active atoms A, others B and the lengths D, the diagonal of K, it is the symmetric matrix

    .. math:: \begin{pmatrix} 2 D_A - D_A K_{AA}^{-1} D_A & D_A K_{AA}^{-1} K_{AB} \\
              K_{BA} K_{AA}^{-1} D_A & K_{BB} - K_{BA} K_{AA}^{-1} K_{AB} \end{pmatrix}.

    An atom that joins or leaves subtracts or adds one outer product: the tableau is
    ``matrix - rows.T @ diag(signs) @ rows``. Rows are added to the matrix many at a time, by a
    product of matrices, which takes a fraction of the time of one after another.

    Attributes
    ----------
    matrix : (J, J) array
        Its upper triangle holds the tableau without the rows.
    lengths : (J,) array
    rows : (n, J) array
    signs : (n,) array
        1 if an atom joined, -1 if it left.

    References
    ----------
    .. [1] R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*, SIAM (2009),
       Sec. 2.3. doi:10.1137/1.9780898719000
    """

    matrix: Floats
    lengths: Floats
    rows: Floats
    signs: Floats

    def absorb_rows(self) -> None:
        """Apply the rows to the matrix, in place, and drop them."""
        joined = self.signs > 0.0
        for factor, which in ((-1.0, joined), (1.0, ~joined)):
            if which.any():
                rows = self.rows if which.all() else self.rows[which]
                # In the order of Fortran the lower triangle is the upper one.
                self.matrix = blas.dsyrk(
                    factor, rows.T, beta=1.0, c=self.matrix.T, lower=1, overwrite_c=1
                ).T
        self.rows, self.signs = self.rows[:0], self.signs[:0]

    def solve(self, changes: Floats, is_active: NDArray[np.bool_]) -> Floats:
        """Return the rates of a path on which k changes; there must be no rows."""
        own = np.zeros_like(changes)
        np.divide(changes, self.lengths, out=own, where=is_active)
        rates = np.where(is_active, 2.0 * changes, changes)
        return np.asarray(rates - blas.dsymv(1.0, self.matrix.T, own, lower=1))

    def append(self, between: Floats, new: Floats, is_active: NDArray[np.bool_]) -> None:
        """Append atoms that are not active; there must be no rows.

        Parameters
        ----------
        between : (J, n) array
            K of the atoms with the new ones.
        new : (n, n) array
            K of the new ones.
        is_active : (J,) bool array
        """
        n_old, n_new = between.shape
        larger = np.empty((n_old + n_new, n_old + n_new))
        larger[n_old:, n_old:] = new
        if n_old:
            own = np.zeros_like(between)
            np.divide(between, self.lengths[:, None], out=own, where=is_active[:, None])
            block = np.where(is_active, 2.0, 1.0)[:, None] * between
            block -= blas.dsymm(1.0, self.matrix.T, own, lower=1)
            larger[:n_old, :n_old] = self.matrix
            larger[:n_old, n_old:] = block
            larger[n_old:, n_old:] -= own.T @ block
        self.matrix, self.rows = larger, larger[:0]
        self.lengths = np.append(self.lengths, new.diagonal())


def start_tableau(K: Floats, active: Indices) -> Tableau | None:
    """Return a tableau with active atoms, which overwrites K; None if they are dependent.

    Its rows V are L^-1 (K[active] - D[active]) with the Cholesky factor L L' = K[active, active].
    """
    rows, n = K[active], len(active)
    if n:
        within = rows[:, active]
        lengths = within.diagonal().copy()
        factor, failure = lapack.dpotrf(within.T, lower=1, overwrite_a=1)
        if failure or (factor.diagonal() ** 2 <= NEGLIGIBLE_PIVOT * n * lengths).any():
            return None
        rows[np.arange(n), active] -= lengths
        # V' L' = rows', in the order of Fortran and in place.
        blas.dtrsm(1.0, factor, rows.T, side=1, lower=1, trans_a=1, overwrite_b=1)
    return Tableau(K, K.diagonal().copy(), rows, np.ones(n))
