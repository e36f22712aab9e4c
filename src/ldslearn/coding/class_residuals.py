"""Residuals of samples by the atoms of each class."""

import numpy as np

from ldslearn._types import Floats, Indices


def residual_reductions(
    gram: Floats, cross: Floats, codes: Floats, labels: Indices, n_classes: int
) -> Floats:
    """Return k(x, x) - e_c, e_c of Eq. (13), that is 2 z_c'k_c - z_c'K_c z_c, per sample and class.

    Parameters
    ----------
    gram : (n_atoms, n_atoms) array
    cross, codes : (n_samples, n_atoms) arrays
    labels : (n_atoms,) array
        Class of each atom, from 0 to n_classes - 1.
    n_classes : int

    Returns
    -------
    (n_samples, n_classes) array
    """
    reductions = np.empty((len(codes), n_classes))
    for c in range(n_classes):
        own = np.flatnonzero(labels == c)
        z, k = codes[:, own], cross[:, own]
        reductions[:, c] = np.einsum("ij,ij->i", z, 2.0 * k - z @ gram[np.ix_(own, own)])
    return reductions
