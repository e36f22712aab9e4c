"""Singular value decompositions of many windows and delays of the same sequences."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats, Indices
from ldslearn.models.centred_gram import CentredGram
from ldslearn.models.identification import (
    ENOUGH_KEPT,
    GRAM_RATIO,
    allocate_workspace,
    is_tall,
    largest_entry_signs,
    observation_matrix,
)
from ldslearn.sequences.delays import lagged_copies


class Piece(NamedTuple):
    """A window of a sequence: its number, and its first and last time points plus one."""

    sequence: int
    start: int
    stop: int


@dataclass(frozen=True)
class SharedFactors:
    """Leading singular triplets of the observation matrices of some pieces.

    Attributes
    ----------
    lengths : (P,) array
        Columns of each observation matrix.
    values : (P, n) array
        Squared singular values, descending.
    left_out : (P, n + 1) array
        Sum of the squared singular values beyond the first 0, 1, ..., n.
    reference : (P,) array
        What the smallest value must be compared with to tell how many digits it has.
    Vt : (P, n, longest) array
        Right singular vectors, zero beyond the columns.
    C : (P, n_rows, n) array
        Left singular vectors.
    mean : (P, n_rows) array
        Removed from each row, zero unless centred.
    squares : (P, n_rows) array
        Sum of the squares of each row of the observation matrix.
    variances : (P, n_rows) array
        Of each row.
    usable : (P,) array of bool
        Whether values are neither zero, nor rounding errors, nor too small or large to be squared.
    """

    lengths: Indices
    values: Floats
    left_out: Floats
    reference: Floats
    Vt: Floats
    C: Floats
    mean: Floats
    squares: Floats
    variances: Floats
    usable: NDArray[np.bool_]

    @classmethod
    def allocate(cls, lengths: Sequence[int], n_rows: int, n_states: int) -> "SharedFactors":
        """Return room for some pieces."""
        P = len(lengths)
        return cls(
            np.array(lengths),
            np.zeros((P, n_states)),
            np.zeros((P, n_states + 1)),
            np.zeros(P),
            np.zeros((P, n_states, max(lengths))),
            np.zeros((P, n_rows, n_states)),
            np.zeros((P, n_rows)),
            np.zeros((P, n_rows)),
            np.zeros((P, n_rows)),
            np.zeros(P, dtype=bool),
        )

    def keep_values(
        self, pieces: Any, eigenvalues: Floats, removed: Floats | float
    ) -> tuple[Floats, int]:
        """Keep ascending eigenvalues, (k, T) or (T,), of pieces; return roots and their number.

        `removed` is what centring has taken from the squares of the columns.
        """
        descending = np.maximum(eigenvalues[..., ::-1], 0.0)
        n = min(self.values.shape[1], descending.shape[-1])
        self.values[pieces, :n] = descending[..., :n]
        beyond = np.cumsum(descending[..., ::-1], axis=-1)[..., ::-1]
        last = min(n + 1, descending.shape[-1])
        self.left_out[pieces, :last] = beyond[..., :last]
        self.reference[pieces] = np.maximum(descending[..., 0], removed)
        return np.sqrt(np.maximum(descending[..., :n], np.finfo(np.float64).tiny)), n

    def select_reliable(self, pieces: Indices, n_states: int) -> NDArray[np.bool_]:
        """Whether the first `n_states` triplets of pieces have their digits, (len(pieces),).

        The rule of :func:`~ldslearn.models.identification.principal_factors` and of
        :func:`~ldslearn.models.identification.least_squares_transition`.
        """
        last = self.last_columns(pieces, n_states)
        kept = 1.0 - np.square(last).sum(axis=1)
        smallest = self.values[pieces, n_states - 1]
        enough = smallest * GRAM_RATIO * np.minimum(kept, 1.0) > self.reference[pieces]
        return self.usable[pieces] & enough & (kept >= ENOUGH_KEPT)

    def leave_out_rows(self, orders: Sequence[int]) -> dict[int, Floats]:
        """Return the mean square of what some orders leave out of each row, (P, n_rows) each."""
        ranks = np.unique(orders)
        first = np.arange(self.values.shape[1])[:, None] < ranks  # of each order, (n, n_orders)
        left, room = np.empty((len(ranks), *self.squares.shape)), np.empty(self.C.shape[1:])
        for p, values in enumerate(self.values):
            np.square(self.C[p], out=room)
            left[:, p] = self.squares[p] - (room @ (first * values[:, None])).T
        np.maximum(left, 0.0, out=left)  # of rounding
        totals = np.maximum(left.sum(axis=2), np.finfo(np.float64).tiny)
        left *= (self.left_out[:, ranks].T / (totals * self.lengths))[:, :, None]
        return dict(zip(ranks.tolist(), left, strict=True))

    def last_columns(self, pieces: Indices, n_states: int) -> Floats:
        """Return the last column of V' of each piece, (len(pieces), n_states)."""
        return self.Vt[pieces, :n_states, self.lengths[pieces] - 1]


def factorise_pieces(
    sequences: Sequence[NDArray[Any]],
    grams: Sequence[CentredGram | None],
    pieces: Sequence[Piece],
    n_states: int,
    delays: int,
    center: bool,
) -> SharedFactors:
    """Return the factors of pieces of some sequences.

    Parameters
    ----------
    sequences : sequence of (n_channels, n_timepoints) arrays
    grams : sequence of CentredGram or None
        One per sequence; None where a sequence has fewer channels than time points.
    pieces : sequence of Piece
        Numbers of sequences are positions in `sequences`.
    n_states, delays : int
    center : bool
    """
    lengths = [piece.stop - piece.start - delays + 1 for piece in pieces]
    found = SharedFactors.allocate(lengths, len(sequences[0]) * delays, n_states)
    with_gram = [p for p, piece in enumerate(pieces) if grams[piece.sequence] is not None]
    others = [p for p, piece in enumerate(pieces) if grams[piece.sequence] is None]
    if others:
        room = allocate_workspace([_cut(sequences, pieces[p]) for p in others], delays)
        for p in others:
            _factorise_directly(found, p, _cut(sequences, pieces[p]), delays, center, room)
    stacked = {
        i: grams[i].stack(delays, center)  # type: ignore[union-attr]
        for i in {pieces[p].sequence for p in with_gram}
    }
    for length in sorted({lengths[p] for p in with_gram}):
        alike = [p for p in with_gram if lengths[p] == length]
        blocks = np.stack([_cut_block(stacked, pieces[p], length) for p in alike])
        _factorise_blocks(found, np.array(alike), blocks, center)
    for i in stacked:
        gram = grams[i]
        assert gram is not None
        own = [p for p in with_gram if pieces[p].sequence == i]
        _sum_rows(found, own, gram, [pieces[p] for p in own], delays, center)
        for p in own:
            _project(found, p, gram, pieces[p], delays, center)
    for array in (found.C, found.squares, found.variances):
        array[~found.usable] = 0.0  # which may be NaN
    return found


def _cut(sequences: Sequence[NDArray[Any]], piece: Piece) -> NDArray[Any]:
    return sequences[piece.sequence][:, piece.start : piece.stop]


def _cut_block(stacked: dict[int, Floats], piece: Piece, length: int) -> Floats:
    part = slice(piece.start, piece.start + length)
    return stacked[piece.sequence][part, part]


def _factorise_blocks(found: SharedFactors, alike: Indices, H: Floats, center: bool) -> None:
    """Decompose Gram matrices of one length, (k, T, T), and keep values and right vectors."""
    removed: Floats | float = 0.0
    finite = np.isfinite(H).all(axis=(1, 2), keepdims=True)
    H = np.where(finite, H, 0.0)
    if center:
        means = H.mean(axis=1)
        overall = means.mean(axis=1)
        H = H - means[:, None, :] - means[:, :, None] + overall[:, None, None]
        removed = overall * H.shape[1]
    eigenvalues, vectors = np.linalg.eigh(H)
    _, n = found.keep_values(alike, eigenvalues, removed)
    Vt = vectors[:, :, : -n - 1 : -1].transpose(0, 2, 1)
    signs = largest_entry_signs(vectors[:, :, : -n - 1 : -1])
    found.Vt[alike, :n, : H.shape[1]] = Vt * signs.transpose(0, 2, 1)


def _sum_rows(
    found: SharedFactors,
    own: list[int],
    gram: CentredGram,
    pieces: Sequence[Piece],
    delays: int,
    center: bool,
) -> None:
    """Compute means and squares of the rows of all pieces of a sequence, in two products."""
    n_timepoints, m = gram.Y.shape[1], len(gram.Y)
    inside = np.zeros((len(own), delays, n_timepoints))
    T = found.lengths[own][:, None]
    for block, piece, length in zip(inside, pieces, found.lengths[own], strict=True):
        for k, row in enumerate(block):
            row[piece.start + k : piece.start + k + length] = 1.0
    rows = inside.reshape(-1, n_timepoints)
    with np.errstate(over="ignore", invalid="ignore"):
        mean = (rows @ gram.Y.T).reshape(len(own), delays * m) / T
        squares = (rows @ np.square(gram.Y).T).reshape(len(own), delays * m)
        variances = np.maximum(squares - T * np.square(mean), 0.0)
        offset = np.tile(gram.offset, delays)
        if center:
            found.mean[own] = offset + mean
            found.squares[own] = variances
        else:
            found.squares[own] = squares + T * offset * (2.0 * mean + offset)
        found.variances[own] = variances / T
    for p, means in zip(own, offset + mean, strict=True):
        found.usable[p] = _is_usable(found.lengths[p], found.squares[p], means)


def _project(
    found: SharedFactors, p: int, gram: CentredGram, piece: Piece, delays: int, center: bool
) -> None:
    """Compute the left vectors of a piece from its right vectors."""
    T = int(found.lengths[p])
    copies = lagged_copies(gram.Y[:, piece.start : piece.stop], delays)  # (delays, m, T)
    n = min(found.values.shape[1], T)
    W = found.Vt[p, :n, :T].T / np.sqrt(np.maximum(found.values[p, :n], np.finfo(np.float64).tiny))
    sums = W.sum(axis=0)
    if center:
        W -= sums / T  # what centring the rows of Y does
    with np.errstate(over="ignore", invalid="ignore"):
        np.matmul(copies, W, out=found.C[p].reshape(*copies.shape[:2], -1)[:, :, :n])
        if not center:
            found.C[p, :, :n] += np.outer(np.tile(gram.offset, delays), sums)


def _is_usable(n_columns: int, squares: Floats, means: Floats) -> bool:
    """Whether the rows vary by more than rounding of their means, and can be squared."""
    energy = float(squares.sum())
    rounding = max(8.0, np.sqrt(n_columns)) * np.finfo(np.float64).eps
    return bool(1e-290 < energy < 1e300) and energy > 2.0 * rounding**2 * n_columns * float(
        means @ means
    )


def _factorise_directly(
    found: SharedFactors, p: int, piece: NDArray[Any], delays: int, center: bool, room: Floats
) -> None:
    """Compute the factors of one piece from its observation matrix."""
    with np.errstate(over="ignore", invalid="ignore"):
        Y, mean = observation_matrix(piece, delays, center, room)
        tall = is_tall(Y)
        H = Y.T @ Y if tall else Y @ Y.T
        squares = np.einsum("ij,ij->i", Y, Y)
    found.usable[p] = _is_usable(Y.shape[1], squares, mean)
    if not found.usable[p]:
        return
    eigenvalues, vectors = np.linalg.eigh(H)
    roots, n = found.keep_values(p, eigenvalues, 0.0)
    leading = vectors[:, : -n - 1 : -1]
    Vt = leading.T if tall else (leading.T @ Y) / roots[:, None]
    signs = largest_entry_signs(Vt)
    Vt = Vt * signs
    found.Vt[p, :n, : Y.shape[1]] = Vt
    found.C[p, :, :n] = Y @ (Vt / roots[:, None]).T if tall else leading * signs.T
    found.mean[p], found.squares[p] = mean, squares
    if not center:
        Y = Y - Y.mean(axis=1, keepdims=True)
        squares = np.einsum("ij,ij->i", Y, Y)
    found.variances[p] = squares / Y.shape[1]
