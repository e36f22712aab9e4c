"""One sequence with gaps to one system: low-rank completion, then expectation-maximisation."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats, Indices
from ldslearn.models.completion import complete_low_rank
from ldslearn.models.expectation_maximization import (
    MaximumLikelihood,
    Prior,
    Problem,
    choose_bounds,
    maximize_likelihood,
    raise_eigenvalues,
)
from ldslearn.models.identification import (
    Factors,
    largest_entry_signs,
    least_squares_transition,
    principal_factors,
)
from ldslearn.models.measurements import StateModel, group_by_length, pad
from ldslearn.models.moments import Moments, solve_transition, sum_moments
from ldslearn.models.prediction_error import estimate_channel_noise
from ldslearn.sequences.delays import hankel
from ldslearn.sequences.gaps import bridge_gaps, interpolate_gaps


@dataclass(frozen=True)
class GapSettings:
    """How gaps are smoothed.

    Attributes
    ----------
    max_iter : int
        Iterations of expectation-maximisation at most.
    tol : float
        Stop when the log-likelihood per sample rises by less.
    means, variances : (n_channels,) arrays
        Of the training data; used for channels without a sample in a sequence.
    factors : (n_channels, r) array or None
        Of :func:`ldslearn.models.pooled_channels.pooled_factors`, to fill long gaps by the other
        channels.
    weight : float
        Of what these say, in long gaps, from 0 to 1.
    prior : float, default=3.0
        Pseudo-samples of the prior, see :mod:`ldslearn.models.expectation_maximization`. On six
        collections with 30 % of the samples removed, 1 to 10 filled gaps about equally well, and 0
        worse, by up to half.
    """

    max_iter: int
    tol: float
    means: Floats
    variances: Floats
    factors: Floats | None = None
    weight: float = 0.0
    prior: float = 3.0

    def guess(self, sequence: NDArray[Any]) -> Floats:
        """Return a sequence with gaps interpolated, and channels without samples at their mean."""
        values = interpolate_gaps(sequence)
        absent = np.isnan(values[:, 0])
        values[absent] = self.means[absent, None]
        return values


_NEGLIGIBLE = 1e-7  # of the largest singular value of C: a state without influence on samples


@dataclass(frozen=True)
class GapFit:
    """A system fitted to a sequence with gaps, in the coordinates of its principal components.

    Attributes
    ----------
    C : (m, n) array
        With orthonormal columns; rows of channels without samples are zero.
    A : (n, n) array
        Not stabilized.
    states : (n, tau) array
        Smoothed.
    moments : Moments
        Of the states.
    mean, variances : (m,) arrays
        Of the channels, and of their measurement noise.
    rank : int
        States that are not idle.
    squares : (m,) array
        Mean square of the observed samples less their mean.
    n_iter : int
    log_likelihood : float
        Of the stacked samples.
    """

    C: Floats
    A: Floats
    states: Floats
    moments: Moments
    mean: Floats
    variances: Floats
    rank: int
    squares: Floats
    n_iter: int
    log_likelihood: float

    def fill(self, sequence: NDArray[Any], delays: int) -> Floats:
        """Return the sequence with its gaps filled.

        By the expected samples, and by what the system leaves in neighbours of a gap, where that is
        correlated over time.
        """
        stacked = self.C @ self.states + self.mean[:, None]
        n_rows = len(stacked) // delays
        first = stacked[:-n_rows, 0].reshape(delays - 1, n_rows).T
        expected = np.concatenate([first, stacked[-n_rows:]], axis=1)
        filled = expected + bridge_gaps(sequence - expected)
        return np.where(np.isnan(sequence), filled, sequence)


def fit_with_gaps(
    sequences: Sequence[NDArray[Any]],
    n_states: int,
    delays: int,
    center: bool,
    settings: GapSettings,
) -> list[GapFit]:
    """Return the system of each sequence with gaps.

    With ``max_iter=0`` and without gaps it is that of the complete sequence.

    Parameters
    ----------
    sequences : sequence of (n_channels, n_timepoints) arrays
        NaN where no sample is observed.
    n_states, delays : int
    center : bool
    settings : GapSettings
    """
    lengths = [x.shape[1] - delays + 1 for x in sequences]
    fits: dict[int, GapFit] = {}
    for group in group_by_length(lengths, len(sequences[0]) * delays if sequences else 1):
        starts = [_guess_system(sequences[i], n_states, delays, center, settings) for i in group]
        problem = _make_problem(starts, np.array([lengths[i] for i in group]), settings)
        found = maximize_likelihood(
            problem, center=center, max_iter=settings.max_iter, tol=settings.tol
        )
        moments, noise = sum_moments(found.estimates), estimate_channel_noise(found, problem)
        for row, (index, start) in enumerate(zip(group, starts, strict=True)):
            fit = _describe_fit(start, found, row, moments[row], noise[row])
            fits[index] = _describe_channels(fit, start, delays, center, settings)
    return [fits[index] for index in range(len(sequences))]


@dataclass(frozen=True)
class _Start:
    """First guess of a system; Y is centred, completed in the gaps, and of delayed samples."""

    samples: Floats
    missing: NDArray[np.bool_]
    Y: Floats
    mean: Floats
    factors: Factors
    variances: Floats
    usual: Floats

    @property
    def counts(self) -> Indices:
        """Observed samples of each channel."""
        return (~self.missing).sum(axis=1)


def _guess_system(
    sequence: NDArray[Any], n_states: int, delays: int, center: bool, settings: GapSettings
) -> _Start:
    samples = hankel(np.asarray(sequence, dtype=np.float64), delays)
    missing = np.isnan(samples)
    Y = np.array(hankel(settings.guess(sequence), delays))
    mean = complete_low_rank(Y, missing, n_states, center)
    factors = principal_factors(Y, n_states)
    residuals = np.where(missing, 0.0, Y - factors.U @ factors.states)
    counts = np.maximum((~missing).sum(axis=1), 1)
    variances = np.einsum("ij,ij->i", residuals, residuals) / counts
    usual = np.tile(settings.variances, delays)
    return _Start(samples, missing, Y, mean, factors, variances, usual)


def _make_problem(starts: list[_Start], lengths: Indices, settings: GapSettings) -> Problem:
    """Return first models of sequences, with bounds and prior."""
    longest = int(lengths.max())
    observed = pad([~one.missing for one in starts], longest)
    centred = pad([one.Y for one in starts], longest)
    n_states = len(starts[0].factors.s)
    bounds = choose_bounds(centred * observed, observed, n_states)
    states = np.stack([np.square(one.factors.s) / one.Y.shape[1] for one in starts])
    known = [_moments_of(one.factors.states) for one in starts]
    names = [each.name for each in fields(Moments)]
    moments = Moments(*(np.stack([getattr(one, name) for one in known]) for name in names))
    # Components that are but rounding would have any A; the prior and the bound keep it small.
    damping = settings.prior * states + bounds.process[:, None]
    damped = moments.before + damping[:, :, None] * np.eye(n_states)
    A = solve_transition(damped, moments.lagged)
    process = raise_eigenvalues(moments.residual_covariance(A), bounds.process)
    # A channel with few samples hardly shows its noise, which is at most its variance.
    counts = np.stack([one.counts for one in starts])
    uncertain = np.square(settings.prior / np.maximum(counts + settings.prior, 1.0))
    uncertain = uncertain * np.stack([one.usual for one in starts])
    variances = np.stack([one.variances for one in starts]) + uncertain
    variances = np.maximum(variances, bounds.channels)
    first = np.stack([one.factors.states[:, 0] for one in starts])
    C = np.stack([one.factors.U for one in starts])
    model = StateModel(A, C, process, variances, first, process)
    mean = np.stack([one.mean for one in starts])
    return Problem(
        model, mean, centred + mean[:, :, None], observed, lengths, bounds,
        Prior(settings.prior, states, process, variances),
    )  # fmt: skip


def _describe_fit(
    start: _Start, found: MaximumLikelihood, row: int, moments: Moments, noise: Floats
) -> GapFit:
    """Return one of the systems in principal coordinates; without iterations the first guess."""
    n_iter = len(found.histories[row]) - 1
    log_likelihood = float(found.estimates.log_likelihood[row])
    if n_iter == 0:
        A = least_squares_transition(start.factors)
        return GapFit(
            start.factors.U, A, start.factors.states, _moments_of(start.factors.states),
            start.mean, start.variances, start.factors.rank, start.variances, 0, log_likelihood,
        )  # fmt: skip
    means = found.estimates.states[row, : start.Y.shape[1]]
    C, states, rank, T = _choose_coordinates(found.model.C[row], means)
    moments = moments.change_basis(T)
    # By least squares, as for complete sequences. The prior helps to find the states; an A that it
    # shrinks would forget them too soon.
    A = moments.lagged @ np.linalg.pinv(moments.before, rcond=_NEGLIGIBLE**2, hermitian=True)
    return GapFit(
        C, A, states, moments, found.mean[row], noise, rank, noise, n_iter, log_likelihood
    )


def _describe_channels(
    fit: GapFit, start: _Start, delays: int, center: bool, settings: GapSettings
) -> GapFit:
    """Return a fit with the mean squares of its channels; those without samples have the usual."""
    counts, mean, variances = np.maximum(start.counts, 1), fit.mean, fit.variances
    level = mean if center else np.nansum(start.samples, axis=1) / counts
    distances = np.where(start.missing, 0.0, start.samples - level[:, None])
    squares = np.einsum("ij,ij->i", distances, distances) / counts
    absent = start.missing.all(axis=1)
    if absent.any():
        usual_mean = np.tile(settings.means, delays)
        mean = np.where(absent, usual_mean if center else 0.0, mean)
        # Without centring, the mean of an absent channel is part of what is unknown.
        usual = start.usual + (0.0 if center else np.square(usual_mean))
        variances, squares = (np.where(absent, usual, one) for one in (variances, squares))
    return replace(fit, mean=mean, variances=variances, squares=squares)


def _moments_of(states: Floats) -> Moments:
    """Return the moments of states that are known."""
    before, after = states[:, :-1], states[:, 1:]
    nothing = np.zeros((len(states), len(states)))
    # One time point less: the first state is x0, without a deviation.
    n_timepoints = np.full((1, 1), states.shape[1] - 1.0)
    return Moments(before @ before.T, after @ after.T, after @ before.T, nothing, n_timepoints)


def _choose_coordinates(C: Floats, means: Floats) -> tuple[Floats, Floats, int, Floats]:
    """Return C with orthonormal columns, states, rank, and T, by which the old states change.

    The states are uncorrelated, the largest first, as those of principal components.
    """
    U, s, Vt = np.linalg.svd(C, full_matrices=False)
    rank = int((s > _NEGLIGIBLE * s[0]).sum())
    T = s[:, None] * Vt  # C x = U (T x)
    T[rank:] = 0.0
    X = T[:rank] @ means.T
    vectors = np.linalg.eigh(X @ X.T)[1][:, ::-1]
    vectors = vectors * largest_entry_signs(vectors.T @ X).T
    rotation = np.eye(len(T))
    rotation[:rank, :rank] = vectors
    T = rotation.T @ T
    return U @ rotation, T @ means.T, rank, T
