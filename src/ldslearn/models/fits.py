"""Fit systems to all sequences of a collection, over threads or on a cluster."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldslearn._parallel import current_engine, cut_by_bytes, for_each_block
from ldslearn._types import Floats, Indices
from ldslearn.models.certificate import StabilityCertificate
from ldslearn.models.filling import fill_gaps
from ldslearn.models.identification import (
    allocate_workspace,
    floored_deviations,
    least_squares_transition,
    noise_matrices,
    observation_matrix,
    principal_factors,
    principal_roots,
    residual_variances,
    variance_spectrum,
)
from ldslearn.models.missing import GapFit, GapSettings, fit_with_gaps
from ldslearn.models.prediction_error import final_prediction_error
from ldslearn.models.sequence_checks import is_constant_sequence
from ldslearn.models.stabilizers import certify, stabilize_checked
from ldslearn.sequences import aligned_windows
from ldslearn.sequences.gaps import channel_variances, has_gaps
from ldslearn.sequences.named import keep_names


@dataclass(frozen=True)
class FitSettings:
    """What decides about the systems of a sequence; see the parameters of ``LDSEncoder``."""

    n_states: int
    levels: tuple[int, ...]
    n_noise: int
    delays: int
    center: bool
    stabilizer: str
    scale: float
    bound: float
    n_jobs: int | None
    gaps: GapSettings | None = None


class Fits(NamedTuple):
    """Fields of some systems, the rank of each, which are constant, and what stabilizers did.

    For sequences with gaps also iterations and log-likelihoods; 0 and NaN for others.
    """

    fields: dict[str, Floats]
    ranks: Indices
    constant: NDArray[np.bool_]
    certificates: list[StabilityCertificate]
    n_iter: Indices
    log_likelihood: Floats

    @classmethod
    def concatenate(cls, parts: "list[Fits]") -> "Fits":
        """Return the parts as one."""
        fields = {k: np.concatenate([p.fields[k] for p in parts]) for k in parts[0].fields}
        return cls(
            fields,
            np.concatenate([part.ranks for part in parts]),
            np.concatenate([part.constant for part in parts]),
            [certificate for part in parts for certificate in part.certificates],
            np.concatenate([part.n_iter for part in parts]),
            np.concatenate([part.log_likelihood for part in parts]),
        )


def fit_collection(
    sequences: list[NDArray[Any]], settings: FitSettings, certify_each: bool
) -> Fits:
    """Return the fits of all sequences: in this process, or block by block on a cluster."""
    engine = current_engine()
    parts = cut_by_bytes([x.nbytes for x in sequences]) if engine.n_workers else []
    if len(parts) < 2:
        return fit_block(sequences, 0, settings, certify_each)
    blocks = [(sequences[part], part.start) for part in parts]
    shared = (settings, certify_each)
    return Fits.concatenate(
        list(engine.map(fit_block, blocks, *shared, description="fitting systems"))
    )


def allocate_fits(sequences: list[NDArray[Any]], settings: FitSettings) -> Fits:
    """Return room for the fits of all sequences."""
    n_states, n_systems = settings.n_states, len(sequences) * sum(settings.levels)
    n_rows, n_noise = len(sequences[0]) * settings.delays, min(settings.n_noise, n_states)
    fields = {
        "A": np.empty((n_systems, n_states, n_states)),
        "C": np.empty((n_systems, n_rows, n_states)),
        "B": np.empty((n_systems, n_states, n_noise)),
        "mean": np.empty((n_systems, n_rows)),
        "x0": np.empty((n_systems, n_states)),
        "noise_variance": np.empty((n_systems, n_rows)),
        "deviation": np.empty((n_systems, n_rows)),
    }
    ranks, constant = np.empty(n_systems, dtype=int), np.empty(n_systems, dtype=bool)
    n_iter, log_likelihood = np.zeros(len(sequences), dtype=int), np.full(len(sequences), np.nan)
    return Fits(fields, ranks, constant, [], n_iter, log_likelihood)


def fit_block(
    sequences: list[NDArray[Any]], first: int, settings: FitSettings, certify_each: bool
) -> Fits:
    """Return the fits of consecutive sequences, which messages count from `first`."""
    n_states, delays, center = settings.n_states, settings.delays, settings.center
    n_windows, shortest = sum(settings.levels), n_states + delays
    fits = allocate_fits(sequences, settings)
    n_iter, log_likelihood = fits.n_iter, fits.log_likelihood
    if settings.gaps is not None and n_windows > 1:
        sequences = complete_sequences(sequences, settings, n_iter, log_likelihood)
    pieces = [part for x in sequences for part in aligned_windows(x, settings.levels, shortest)]
    n_systems = len(pieces)
    with np.errstate(over="ignore", invalid="ignore"):  # extreme values are named below
        sizes = [np.sqrt(channel_variances(x).mean()) for x in sequences]
    fields, n_noise = fits.fields, fits.fields["B"].shape[2]
    ranks, constant = fits.ranks, fits.constant
    certificates: dict[int, StabilityCertificate] = {}

    def fit(block: slice) -> None:
        room = allocate_workspace(pieces[block], delays)
        fitted, states = np.empty_like(fields["A"][block]), []
        with_gaps: list[int] = []
        for row, index in enumerate(range(block.start, block.stop)):
            piece, owner = pieces[index], index // n_windows
            smooth = settings.gaps is not None and has_gaps(piece)
            whole = settings.gaps.guess(piece) if smooth and settings.gaps else piece
            Y, mean = observation_matrix(whole, delays, center, room)
            constant[index] = is_constant_sequence(Y, mean, sequences, owner, first)
            if constant[index]:
                Y[:] = 0.0  # of rounding errors
            if smooth and settings.gaps and not constant[index]:
                with_gaps.append(row)
                states.append(fitted[row])  # replaced below
                continue
            factors = principal_factors(Y, n_states, fields["C"][index])
            ranks[index] = factors.rank
            states.append(factors.states)
            fitted[row] = least_squares_transition(factors)
            fields["mean"][index] = mean
            fields["noise_variance"][index] = residual_variances(Y, factors)
            fields["x0"][index] = states[row][:, 0]
            centred = Y if center else Y - Y.mean(axis=1, keepdims=True)
            squares = np.einsum("ij,ij->i", centred, centred) / centred.shape[1]
            fields["deviation"][index] = floored_deviations(squares, sizes[owner])
        moments = {}
        for row, found in zip(
            with_gaps, _fit_gaps(pieces[block], with_gaps, settings), strict=True
        ):
            index = block.start + row
            owner = index // n_windows
            states[row], moments[row] = found.states, found.moments
            fitted[row], ranks[index] = found.A, found.rank
            fields["C"][index], fields["mean"][index] = found.C, found.mean
            fields["noise_variance"][index] = found.variances
            n_iter[owner], log_likelihood[owner] = found.n_iter, found.log_likelihood
            fields["x0"][index] = found.states[:, 0]
            fields["deviation"][index] = floored_deviations(found.squares, sizes[owner])
        A = stabilize_checked(fitted, states, settings.stabilizer, settings.scale, settings.bound)
        fields["A"][block] = A
        fields["B"][block] = noise_matrices(A, states, n_noise)
        for row in with_gaps:
            covariance = moments[row].residual_covariance(A[row])
            if n_iter[(block.start + row) // n_windows]:
                n_timepoints = moments[row].n_timepoints
                covariance = final_prediction_error(covariance, n_timepoints, n_states + 1)
            fields["B"][block.start + row] = principal_roots(covariance[None], n_noise)[0]
        if certify_each:
            certificates[block.start] = certify(settings.stabilizer, fitted, A, states)

    for_each_block(fit, n_systems, n_jobs=settings.n_jobs, description="fitting systems")
    in_order = [certificates[start] for start in sorted(certificates)]
    return fits._replace(certificates=in_order)


def _fit_gaps(pieces: list[NDArray[Any]], chosen: list[int], settings: FitSettings) -> list[GapFit]:
    """Return the fits of chosen pieces, which have gaps."""
    if not chosen or settings.gaps is None:
        return []
    return fit_with_gaps(
        [pieces[row] for row in chosen], settings.n_states, settings.delays, settings.center,
        settings.gaps,
    )  # fmt: skip


def complete_sequences(
    sequences: list[NDArray[Any]], settings: FitSettings, n_iter: Indices, log_likelihood: Floats
) -> list[NDArray[Any]]:
    """Return sequences with their gaps filled, each by one system of the whole sequence.

    Write iterations and log-likelihoods, (N,).
    """
    assert settings.gaps is not None
    gaps, complete = settings.gaps, list(sequences)

    def fill(block: slice) -> None:
        chosen = []
        for index in range(block.start, block.stop):
            if has_gaps(sequences[index]):
                complete[index] = gaps.guess(sequences[index])
                if np.ptp(complete[index], axis=1).any():
                    chosen.append(index)
        filled, fits = fill_gaps(
            [sequences[index] for index in chosen], settings.n_states, settings.delays,
            settings.center, gaps,
        )  # fmt: skip
        for index, whole, found in zip(chosen, filled, fits, strict=True):
            complete[index] = whole
            n_iter[index], log_likelihood[index] = found.n_iter, found.log_likelihood

    for_each_block(fill, len(sequences), n_jobs=settings.n_jobs, description="filling gaps")
    return keep_names(complete, sequences)


def count_states(
    sequences: list[NDArray[Any]], fraction: float, delays: int, center: bool, n_jobs: int | None
) -> tuple[int, NDArray[np.bool_]]:
    """Return the smallest n that keeps a fraction of the variance in every sequence.

    Also return which sequences are constant, (N,).
    """
    counts = np.empty(len(sequences), dtype=int)
    constant = np.empty(len(sequences), dtype=bool)

    def count(block: slice) -> None:
        room = allocate_workspace(sequences[block], delays)
        for index in range(block.start, block.stop):
            Y, mean = observation_matrix(sequences[index], delays, center, room)
            constant[index] = is_constant_sequence(Y, mean, sequences, index)
            kept = np.cumsum(variance_spectrum(Y))
            counts[index] = 1 + np.searchsorted(kept, fraction * kept[-1])

    for_each_block(count, len(sequences), n_jobs=n_jobs, description="counting states")
    return int(counts.max()), constant
