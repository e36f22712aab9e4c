"""Noise of fitted systems as errors of prediction, so that intervals are wide enough.

The noise that maximises a likelihood is that of the samples of the fit. New samples are predicted
worse, since the parameters are fitted, too, and a prior that keeps the states from predicting too
much adds to the noise what it keeps them from.
"""

import numpy as np

from ldslearn._types import Floats
from ldslearn.models.expectation_maximization import MaximumLikelihood, Problem

_LEAST_LEFT = 1e-3  # share of a sample that its own state leaves unexplained
_MOST_PARAMETERS = 1 / 3  # of the samples


def final_prediction_error(variances: Floats, n_samples: Floats, n_parameters: int) -> Floats:
    r"""Return variances of residuals as those of predictions, Akaike's final prediction error.

    Parameters
    ----------
    variances : array
        Mean squares, or covariances, of the residuals of a regression.
    n_samples : array
        Of the regression.
    n_parameters : int
        That were fitted, per output; at most a third of the samples count.

    Notes
    -----
    :math:`\sigma^2 (N + k) / (N - k)` with N samples and k parameters: the residuals are too small
    by :math:`1 - k / N`, and the errors of the parameters add :math:`k / N`.

    References
    ----------
    .. [1] H. Akaike, "Fitting autoregressive models for prediction", Annals of the Institute of
       Statistical Mathematics 21, 1969. https://doi.org/10.1007/BF02532251
    """
    k = np.minimum(n_parameters, _MOST_PARAMETERS * n_samples)
    return np.asarray(variances * (n_samples + k) / (n_samples - k), dtype=np.float64)


def estimate_channel_noise(found: MaximumLikelihood, problem: Problem) -> Floats:
    r"""Return the variances of the measurement noise, (N, m), from errors of leaving samples out.

    Parameters
    ----------
    found : MaximumLikelihood
    problem : Problem

    Notes
    -----
    A sample with residual e has the share h = c'Pc / r in its own smoothed value, where P is the
    covariance of the state. Without it the error is e / (1 - h), whose variance is r / (1 - h). The
    mean of e^2, divided by 1 less the mean of h, therefore is r, whatever r the states were
    smoothed with, if h is small or samples are precise. It is taken per channel, and corrected for
    the fitted row of C. Few samples do not show their noise, since the row fits them: their
    variance is at least that of the fit, which has a prior.
    """
    model, observed, estimates = found.model, problem.observed, found.estimates
    n_sequences, _, n = model.C.shape
    expected = found.mean[:, :, None] + model.C @ estimates.states.transpose(0, 2, 1)
    residuals = observed * (problem.samples - expected)
    counts = np.maximum(observed.sum(axis=2), 1.0)
    squares = np.einsum("aij,aij->ai", residuals, residuals) / counts
    flat = estimates.covariances.reshape(n_sequences, -1, n * n)
    sums = (observed @ flat).reshape(n_sequences, -1, n, n)
    explained = np.einsum("aij,aijk,aik->ai", model.C, sums, model.C, optimize=True)
    left = np.maximum(1 - explained / (counts * model.variances), _LEAST_LEFT)
    noise = final_prediction_error(squares / left, counts, n + 1)
    are_few = _MOST_PARAMETERS * counts < n + 1
    return np.maximum(noise, np.where(are_few, model.variances, problem.bounds.channels))
