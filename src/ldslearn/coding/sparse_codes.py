"""Sparse codes of many samples on a Gram matrix."""

import warnings
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._checks import check_real, check_whole
from ldslearn._types import Floats
from ldslearn.coding.checks import (
    check_gram,
    check_rows,
    describe_uncertified,
    find_excluded,
    find_uncertified,
    kkt_violation,
)
from ldslearn.coding.solver import Coded, solve_samples
from ldslearn.geometry.definiteness import positive_part


@overload
def sparse_code(
    gram: Any, cross: Any, sparsity: float = ..., *, n_nonzero: int | None = ...,
    nonnegative: bool = ..., init: Any = ..., allowed: Any = ..., n_jobs: int | None = ...,
    return_residual: Literal[False] = ...,
) -> Floats: ...  # fmt: skip
@overload
def sparse_code(
    gram: Any, cross: Any, sparsity: float = ..., *, n_nonzero: int | None = ...,
    nonnegative: bool = ..., init: Any = ..., allowed: Any = ..., n_jobs: int | None = ...,
    return_residual: Literal[True],
) -> tuple[Floats, Floats]: ...  # fmt: skip
def sparse_code(
    gram: Any,
    cross: Any,
    sparsity: float = 0.1,
    *,
    n_nonzero: int | None = None,
    nonnegative: bool = False,
    init: Any = None,
    allowed: Any = None,
    n_jobs: int | None = None,
    return_residual: bool = False,
) -> Floats | tuple[Floats, Floats]:
    r"""Return the sparse codes of samples on a Gram matrix of atoms, Equation (9) or (12).

    Parameters
    ----------
    gram : (n_atoms, n_atoms) array
        Kernel :math:`K` of the atoms with each other, symmetric and positive semi-definite. Of
        atoms that depend on each other (duplicates) only independent ones are used. Where K is
        indefinite, a sample for which no optimal code is found is coded on its positive part, with
        a warning.
    cross : (n_samples, n_atoms) array
        Kernels :math:`k` of the samples with the atoms.
    sparsity : float, default=0.1
        The paper's :math:`\lambda`. 0 is the limit of the path: of all best codes that of least
        :math:`\|z\|_1`. From :math:`2 \max|k|` on the code is zero.
    n_nonzero : int or None, default=None
        Instead of the penalty, at most this many coefficients by orthogonal matching pursuit;
        `sparsity` is ignored.
    nonnegative : bool, default=False
        Only coefficients of at least 0.
    init : (n_samples, n_atoms) array or None, default=None
        Codes to start from, such as those for slightly different atoms. Changes the time, not the
        answer where there is only one; not used at sparsity 0.
    allowed : (n_samples, n_atoms) bool array or None, default=None
        Which atoms each sample may use; all when None.
    n_jobs : int or None, default=None
        Threads, as in joblib; the result does not depend on it.
    return_residual : bool, default=False
        Also return the KKT residuals.

    Returns
    -------
    codes : (n_samples, n_atoms) array
    residual : (n_samples,) array, if `return_residual`
        Largest violation of the KKT conditions, computed afresh from the codes; see Notes. Always
        with the K and k given, also where the positive part was used.

    Notes
    -----
    The codes minimise

    .. math:: z^\top K z - 2 z^\top k + \lambda \|z\|_1

    exactly, by the homotopy of [2]_ and [3]_ with Cholesky updates. As in the paper the quadratic
    term has no factor 1/2: `alpha` of ``sklearn.decomposition.sparse_encode`` is ``sparsity / 2``.
    `alpha` of ``sklearn.linear_model.Lasso`` is that divided by the number of rows of its matrix.

    With :math:`\xi = k - Kz`, the KKT residual is
    :math:`|\xi_j - \frac\lambda2 \mathrm{sign}\, z_j|` where :math:`z_j \neq 0`, and
    :math:`|\xi_j| - \frac\lambda2` elsewhere. With `n_nonzero` it is the largest :math:`|\xi_j|`
    where :math:`z_j \neq 0`.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 5. doi:10.48550/arXiv.1608.01059
    .. [2] M. R. Osborne, B. Presnell, B. A. Turlach, *A new approach to variable selection in least
       squares problems*, IMA Journal of Numerical Analysis 20 (2000) 389-403.
       doi:10.1093/imanum/20.3.389
    .. [3] D. L. Donoho, Y. Tsaig, *Fast solution of l1-norm minimization problems when the solution
       may be sparse*, IEEE Transactions on Information Theory 54 (2008) 4789-4812.
       doi:10.1109/TIT.2008.929958

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn import sparse_code
    >>> sparse_code(np.eye(3), [[1.0, -0.5, 0.02]], sparsity=0.1)
    array([[ 0.95, -0.45,  0.  ]])
    """
    K = check_gram(gram)
    k = check_rows("cross", cross, len(K))
    check_real("sparsity", sparsity, "be a finite number of at least 0", low=0)
    if not isinstance(nonnegative, bool | np.bool_):
        raise _errors.invalid_parameter("nonnegative", "be True or False", nonnegative)
    excluded = find_excluded(allowed, k.shape)
    start = None
    if n_nonzero is not None:
        check_whole("n_nonzero", n_nonzero)
        if nonnegative or init is not None:
            raise ValueError(
                f"{'nonnegative' if nonnegative else 'init'} must not be given together with "
                "n_nonzero; got both. Orthogonal matching pursuit has no use for it: leave one of "
                "them out."
            )
    elif init is not None:
        start = check_rows("init", init, len(K))
        if len(start) != len(k):
            raise _errors.invalid("init", f"have {len(k)} rows like cross", len(start), "")
        if sparsity == 0.0:
            start = None  # of many codes that fit equally well it would find another one

    def solve(K: Floats, k: Floats, excluded: NDArray[np.bool_], start: Floats | None) -> Coded:
        return solve_samples(K, k, sparsity, n_nonzero, nonnegative, excluded, start, n_jobs)

    codes, residuals = solve(K, k, excluded, start)
    missed = find_uncertified(k, excluded, residuals)
    if len(missed) and n_nonzero is None and (part := positive_part(K)) is not None:
        rows = excluded if len(excluded) == 1 else excluded[missed]
        codes[missed], inner = solve(part.gram, k[missed] @ part.projector, rows, None)
        warnings.warn(
            (
                f"{part.message} It is not that of any atoms: the codes of sample "
                f"{_errors.list_some(missed.tolist())} are those for its positive part."
            ),
            stacklevel=2,
        )
        for i, row in zip(missed, np.broadcast_to(rows, (len(missed), len(K))), strict=True):
            c = k[i] - K @ codes[i]
            residuals[i] = kkt_violation(c, codes[i], 0.5 * sparsity, row, bool(nonnegative))
        missed = missed[find_uncertified(k[missed], rows, inner)]
    if len(missed):
        worst = float(residuals[missed].max())
        warnings.warn(describe_uncertified(missed.tolist(), worst), stacklevel=2)
    return (codes, residuals) if return_residual else codes
