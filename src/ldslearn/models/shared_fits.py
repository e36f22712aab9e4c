"""Fit systems of many orders, windows and delays at once; the work they share is done once."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._parallel import current_engine, for_each_block
from ldslearn._types import Floats, Indices
from ldslearn.models.centred_gram import CentredGram
from ldslearn.models.fits import Fits, FitSettings, allocate_fits, fit_block, fit_collection
from ldslearn.models.identification import floored_deviations, principal_roots
from ldslearn.models.shared_factors import Piece, SharedFactors, factorise_pieces
from ldslearn.models.stabilizers import stabilize_checked
from ldslearn.sequences.gaps import channel_variances
from ldslearn.sequences.windows import place_windows

_KEPT_BYTES = 2**27  # of Gram matrices, kept between calls
_SHARED = ("C", "mean", "deviation")  # fields that do not depend on the order
_BLOCK_BYTES = 2**26  # of the left vectors of all pieces of some sequences


class SharedFits:
    r"""Fits of the same sequences by several settings.

    Parameters
    ----------
    sequences : list of (n_channels, n_timepoints) arrays

    Notes
    -----
    Where a sequence :math:`Y` has more channels than time points, one Gram matrix
    :math:`G = Y^\top Y` serves all settings: the products of samples stacked by :math:`d` delays
    are :math:`\sum_{k < d} G_{i + k, j + k}`, those of a window are a diagonal block, and removing
    the mean of the window is a projection. All orders of a window come from one decomposition. The
    same window of several pyramids is decomposed once. A sequence for which this would cost digits,
    because its singular values decrease too fast or hardly vary from their mean, is fitted
    separately for each setting.
    """

    def __init__(self, sequences: list[NDArray[Any]]) -> None:
        self.sequences = sequences
        lengths = [x.shape[1] for x in sequences]
        self._keeps_grams = 8 * sum(n * n for n in lengths) <= _KEPT_BYTES
        self._grams: dict[int, Floats] = {}

    def fit(self, settings: Sequence[FitSettings]) -> list[Fits]:
        """Return the fits by each of the settings.

        Parameters
        ----------
        settings : sequence of FitSettings
            All with the same `n_jobs`.
        """
        sequences = self.sequences
        if current_engine().n_workers or any(one.gaps for one in settings):
            return [fit_collection(sequences, one, certify_each=False) for one in settings]
        fits, writers = _allocate_shared(sequences, settings)
        unreliable: list[tuple[int, int]] = []  # setting and sequence

        def fit(block: slice) -> None:
            for part in self._cut(block, settings):
                unreliable.extend(self._fit_part(part, settings, fits, writers))

        def fit_separately(block: slice) -> None:
            for i, index in unreliable[block]:
                self._fit_separately(index, settings[i], fits[i])

        n_jobs = settings[0].n_jobs
        for_each_block(fit, len(sequences), n_jobs=n_jobs, description="fitting systems")
        if unreliable:
            for i in {i for i, _ in unreliable}:  # which may share arrays with others
                fits[i].fields.update({name: fits[i].fields[name].copy() for name in _SHARED})
            for_each_block(
                fit_separately, len(unreliable), n_jobs=n_jobs, description="fitting systems"
            )
        return fits

    def _cut(self, block: slice, settings: Sequence[FitSettings]) -> list[slice]:
        """Cut sequences into parts whose left singular vectors take little memory."""
        n_channels = len(self.sequences[0])
        each = sum(8 * n_channels * s.delays * s.n_states * sum(s.levels) for s in settings)
        size = max(1, _BLOCK_BYTES // each)
        starts = range(block.start, block.stop, size)
        return [slice(start, min(start + size, block.stop)) for start in starts]

    def _fit_part(
        self,
        part: slice,
        settings: Sequence[FitSettings],
        fits: list[Fits],
        writers: set[int],
    ) -> list[tuple[int, int]]:
        """Fit some sequences; return settings and sequences that must be fitted separately."""
        unreliable: list[tuple[int, int]] = []
        sequences = self.sequences[part]
        grams = [self._compute_gram(i) for i in range(part.start, part.stop)]
        with np.errstate(over="ignore", invalid="ignore"):
            sizes = np.array(
                [
                    np.sqrt(channel_variances(x).mean()) if gram is None else gram.deviation
                    for x, gram in zip(sequences, grams, strict=True)
                ]
            )
        for key in dict.fromkeys((one.delays, one.center) for one in settings):
            alike = [i for i, one in enumerate(settings) if (one.delays, one.center) == key]
            numbers: dict[Piece, int] = {}
            chosen = [_number_pieces(sequences, settings[i], numbers) for i in alike]
            n_states = max(settings[i].n_states for i in alike)
            factors = factorise_pieces(sequences, grams, list(numbers), n_states, *key)
            owners = np.array([piece.sequence for piece in numbers])
            deviations = floored_deviations(factors.variances, sizes[owners][:, None])
            left_out = factors.leave_out_rows([settings[i].n_states for i in alike])
            for i, rows in zip(alike, chosen, strict=True):
                one, n_windows = settings[i], sum(settings[i].levels)
                out = slice(part.start * n_windows, part.stop * n_windows)
                reliable = factors.select_reliable(rows, one.n_states)
                room = {name: values[out] for name, values in fits[i].fields.items()}
                for name, values in _fit_states(factors, rows, reliable, one).items():
                    room[name][:] = values
                copied = {"noise_variance": left_out[one.n_states]}
                if i in writers:
                    copied |= {"mean": factors.mean, "deviation": deviations}
                    for C, row in zip(room["C"], rows, strict=True):
                        C[:] = factors.C[row, :, : one.n_states]
                for name, values in copied.items():  # with "clip", take() needs no copy of its own
                    values.take(rows, axis=0, out=room[name], mode="clip")
                fits[i].ranks[out], fits[i].constant[out] = one.n_states, False
                separate = np.unique(owners[rows[~reliable]])
                unreliable += [(i, part.start + int(owner)) for owner in separate]
        return unreliable

    def _compute_gram(self, index: int) -> CentredGram | None:
        sequence = self.sequences[index]
        if len(sequence) <= sequence.shape[1]:
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            found = CentredGram.of(sequence, self._grams.get(index))
        if self._keeps_grams:
            self._grams[index] = found.gram
        return found

    def _fit_separately(self, index: int, settings: FitSettings, fits: Fits) -> None:
        n_windows = sum(settings.levels)
        rows = slice(index * n_windows, (index + 1) * n_windows)
        one = replace(settings, n_jobs=None)
        found = fit_block(self.sequences[index : index + 1], index, one, certify_each=False)
        for name, values in found.fields.items():
            fits.fields[name][rows] = values
        fits.ranks[rows], fits.constant[rows] = found.ranks, found.constant


def _allocate_shared(
    sequences: list[NDArray[Any]], settings: Sequence[FitSettings]
) -> tuple[list[Fits], set[int]]:
    """Return room for the fits by each of the settings, and the settings that fill shared arrays.

    Settings that differ in their order alone have the same means and deviations, and the columns of
    C of a low order are the first ones of a high order. These arrays exist once: most of the time
    would go into writing them.
    """
    lengths = sorted({x.shape[1] for x in sequences})
    fits = [allocate_fits(sequences, one) for one in settings]
    largest: dict[Any, int] = {}
    for i in sorted(range(len(settings)), key=lambda i: -settings[i].n_states):
        one = settings[i]
        windows = [tuple(place_windows(n, one.levels, one.n_states + one.delays)) for n in lengths]
        first = largest.setdefault((one.delays, one.center, *windows), i)
        shared = fits[first].fields
        fits[i].fields.update({name: shared[name] for name in _SHARED})
        fits[i].fields["C"] = shared["C"][:, :, : one.n_states]
    return fits, set(largest.values())


def _number_pieces(
    sequences: Sequence[NDArray[Any]], settings: FitSettings, numbers: dict[Piece, int]
) -> Indices:
    """Return the numbers of the windows of all sequences; new ones are added to `numbers`."""
    shortest = settings.n_states + settings.delays
    return np.array(
        [
            numbers.setdefault(Piece(i, start, stop), len(numbers))
            for i, x in enumerate(sequences)
            for start, stop in place_windows(x.shape[1], settings.levels, shortest)
        ]
    )


def _fit_states(
    factors: SharedFactors, rows: Indices, reliable: NDArray[np.bool_], settings: FitSettings
) -> dict[str, Floats]:
    """Return A, B and x0 of systems of one order; those of pieces that are not reliable are void.

    The states of all pieces are padded with zeros to one length.
    """
    n, lengths = settings.n_states, factors.lengths[rows]
    s = np.where(reliable[:, None], np.sqrt(factors.values[rows, :n]), 1.0)
    last = np.where(reliable[:, None], factors.last_columns(rows, n), 0.0)
    Vt = factors.Vt[rows, :n, : lengths.max()]
    Vt[~reliable] = 0.0
    before = Vt.copy()  # without the last column
    before[np.arange(len(rows)), :, lengths - 1] = 0.0
    # A = S V(1) V(0)' (I - v v')^-1 S^-1, v the last column of V'.
    shifted = Vt[:, :, 1:] @ before[:, :, :-1].transpose(0, 2, 1)
    kept = 1.0 - np.square(last).sum(axis=1)
    shifted += (shifted @ last[:, :, None]) * (last / kept[:, None])[:, None, :]
    fitted = s[:, :, None] * shifted / s[:, None, :]
    X = s[:, :, None] * Vt
    states = [x[:, :length] for x, length in zip(X, lengths, strict=True)]
    A = stabilize_checked(fitted, states, settings.stabilizer, settings.scale, settings.bound)
    residuals = X[:, :, 1:] - A @ (s[:, :, None] * before[:, :, :-1])
    covariances = residuals @ residuals.transpose(0, 2, 1) / (lengths - 1)[:, None, None]
    return {"A": A, "B": principal_roots(covariances, min(settings.n_noise, n)), "x0": X[:, :, 0]}
