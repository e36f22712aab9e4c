"""Errors of left-out examples in closed form, for the choice of penalties and length scales."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ldslearn._types import Floats
from ldslearn.classify.ridge_path import RidgePath

PENALTIES = np.logspace(-7, 2, 37)  # relative to the variance of the kernel
_LEAST_NOISE = 1e-10  # variance of the noise, of targets with the variance 1


@dataclass(frozen=True)
class Choice:
    """A penalty per output, and how well left-out examples are predicted with it.

    Attributes
    ----------
    penalties : (n_outputs,) array
    losses : (n_outputs,) array
        Mean squared errors, or minus the mean logarithm of the densities.
    left_out : (N, n_outputs) array
        Predictions of left-out examples.
    noise : (n_outputs,) array
        Variances of the noise of a Gaussian process.
    """

    penalties: Floats
    losses: Floats
    left_out: Floats
    noise: Floats


def choose_penalties(
    path: RidgePath, targets: Floats, penalties: Sequence[float] | Floats, by_density: bool
) -> Choice:
    r"""Return the best penalty of each output.

    With :math:`I - H` the matrix from targets to residuals of a ridge regression with an
    intercept, an example that is left out has the error :math:`e_i = r_i / (1 - H_{ii})`. The same
    regression is the mean of a Gaussian process with an unknown constant mean, the kernel
    :math:`(\sigma^2 / a) k` and noise of the variance :math:`\sigma^2`; the left-out target then
    has the variance :math:`\sigma^2 / (1 - H_{ii})`. The likelihood of all left-out targets is
    largest for :math:`\sigma^2 = \frac{1}{N} \sum_i e_i^2 (1 - H_{ii})` (Rasmussen and Williams,
    *Gaussian Processes for Machine Learning*, 2006, Sec. 5.4.2).

    Parameters
    ----------
    path : RidgePath
    targets : (N, n_outputs) array
    penalties : sequence of float
        To choose from.
    by_density : bool
        Whether the likelihood of left-out targets is compared; else their squared errors.
    """
    found = []
    for penalty in penalties:
        left_out = path.predict_left_out(targets, penalty)
        squared = np.square(left_out - targets)
        free = path.measure_freedom(penalty)[:, None]  # 1 - H_ii
        noise = np.maximum((squared * free).mean(axis=0), _LEAST_NOISE)
        if by_density:
            variances = noise / free
            losses = 0.5 * (np.log(2 * np.pi * variances) + squared / variances).mean(axis=0)
        else:
            losses = squared.mean(axis=0)
        found.append((losses, left_out, noise))
    best = np.argmin([losses for losses, _, _ in found], axis=0)  # (n_outputs,)
    columns = np.arange(targets.shape[1])
    losses, left_out, noise = (np.stack(parts) for parts in zip(*found, strict=True))
    return Choice(
        np.asarray(penalties, dtype=np.float64)[best],
        losses[best, columns],
        left_out[best, :, columns].T,
        noise[best, columns],
    )
