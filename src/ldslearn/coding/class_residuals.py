"""Residuals of samples by the atoms of each class."""

import numpy as np

from ldslearn._types import Floats, Indices


def residual_reductions(
    gram: Floats, cross: Floats, codes: Floats, labels: Indices, n_classes: int
) -> Floats:
    r"""Return how much each class reduces the residual of every sample, Equation (13).

    Parameters
    ----------
    gram : (n_atoms, n_atoms) array
        Kernel matrix :math:`K` of the atoms.
    cross : (n_samples, n_atoms) array
        Kernels :math:`k` of the samples with the atoms.
    codes : (n_samples, n_atoms) array
        Codes :math:`z` of the samples.
    labels : (n_atoms,) array
        Class of each atom, from 0 to ``n_classes - 1``.
    n_classes : int

    Returns
    -------
    (n_samples, n_classes) array

    Notes
    -----
    For residuals :math:`e_c` of a sample :math:`x` by the atoms of class :math:`c`,

    .. math:: k(x, x) - e_c = 2 z_c^\top k_c - z_c^\top K_c z_c.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 5.3. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn.coding import residual_reductions, sparse_code
    >>> gram, cross = np.eye(3), np.array([[0.9, 0.3, 0.2]])
    >>> codes = sparse_code(gram, cross, sparsity=0.1)
    >>> residual_reductions(gram, cross, codes, labels=np.array([0, 0, 1]), n_classes=2).round(3)
    array([[0.895, 0.038]])
    """
    reductions = np.empty((len(codes), n_classes))
    for c in range(n_classes):
        own = np.flatnonzero(labels == c)
        z, k = codes[:, own], cross[:, own]
        reductions[:, c] = np.einsum("ij,ij->i", z, 2.0 * k - z @ gram[np.ix_(own, own)])
    return reductions
