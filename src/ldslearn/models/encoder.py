"""The transformer from sequences to systems."""

import numbers
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, Self, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ldslearn import _errors
from ldslearn._checks import check_channel_count, check_jobs, check_whole
from ldslearn._parallel import current_engine, cut, for_each_block
from ldslearn._tags import NoTable
from ldslearn._types import Floats
from ldslearn.models.certificate import StabilityCertificate
from ldslearn.models.fits import Fits
from ldslearn.models.identification import (
    allocate_workspace,
    floored_deviations,
    is_constant,
    is_extreme,
    least_squares_transition,
    noise_matrices,
    observation_matrix,
    principal_factors,
    squared_norm,
    variance_spectrum,
)
from ldslearn.models.lds import LDS
from ldslearn.models.stabilizers import certify, check_stabilizer, stabilize_checked
from ldslearn.sequences import (
    aligned_windows,
    as_collection,
    name_sequence,
    name_some,
    window_levels,
)
from ldslearn.sequences.offsets import warn_of_offsets
from ldslearn.sequences.orientation import warn_if_transposed

_CONSTANT = ("raise", "rest")


class LDSEncoder(NoTable, TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Encode every sequence as a stable linear dynamical system (Sec. 4.1 and 4.2).

    Parameters
    ----------
    n_states : int or float, default=10
        Order n of the systems. A fraction in (0, 1) asks for the smallest n that keeps that share
        of the variance in every training sequence.
    n_noise : int, default=2
        Columns of B, the directions of process noise; at most n_states are kept.
    delays : int, default=1
        Stack this many consecutive samples (Hankel), so that few channels carry many states.
    windows : int or tuple of int, default=1
        Describe each sequence by the systems of so many aligned windows; (1, 2, 4) is a temporal
        pyramid of seven. Kernels take the mean over aligned windows: where it matters *when*
        something happens. Windows of short sequences overlap just as much as they must.
    constant : "raise" or "rest", default="raise"
        What to do with a sequence that never changes: an error that names it; or a system at rest,
        A = 0, with arbitrary columns in C, and a warning.
    center : bool, default=True
        Remove the mean of each sequence first; False keeps it in the states.
    stabilizer : str, default="soft"
        One of ``ldslearn.models.STABILIZERS``; see :func:`ldslearn.models.stabilize`.
    scale : float, default=2.5
        The paper's a, for ``stabilizer="soft"``.
    bound : float, default=0.99
        Largest spectral radius for the other stabilizers.
    n_jobs : int or None, default=None
        Threads, as in joblib: None is one, -1 is all cores. The result does not depend on it.

    Attributes
    ----------
    n_states_ : int
        Order of the systems.
    n_channels_in_ : int
        Channels of the training sequences.

    Examples
    --------
    >>> from ldslearn import LDSEncoder
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> LDSEncoder(n_states=6).fit_transform(X_train)
    LDS(40 systems, n_channels=6, n_states=6, with B, mean, x0, noise_variance, deviation)
    """

    def __init__(
        self,
        n_states: int | float = 10,
        *,
        n_noise: int = 2,
        delays: int = 1,
        windows: int | tuple[int, ...] = 1,
        constant: str = "raise",
        center: bool = True,
        stabilizer: str = "soft",
        scale: float = 2.5,
        bound: float = 0.99,
        n_jobs: int | None = None,
    ) -> None:
        self.n_states = n_states
        self.n_noise = n_noise
        self.delays = delays
        self.windows = windows
        self.constant = constant
        self.center = center
        self.stabilizer = stabilizer
        self.scale = scale
        self.bound = bound
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the parameters against a collection and choose the number of states.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array
        y : ignored
        """
        sequences = as_collection(X)
        warn_if_transposed(X, sequences)
        self._fit(sequences)
        return self

    @overload
    def transform(self, X: Any, *, return_certificate: Literal[False] = ...) -> LDS: ...
    @overload
    def transform(
        self, X: Any, *, return_certificate: Literal[True]
    ) -> tuple[LDS, StabilityCertificate]: ...
    def transform(
        self, X: Any, *, return_certificate: bool = False
    ) -> LDS | tuple[LDS, StabilityCertificate]:
        """Return the systems of a collection.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array
        return_certificate : bool
            Also return what the stabilizer did to every system, to print or plot.

        Returns
        -------
        systems : LDS
        certificate : StabilityCertificate, if `return_certificate`
        """
        check_is_fitted(self)
        self._check_parameters()  # they may have been set since
        systems, certificate = self._encode(as_collection(X), certify_each=return_certificate)
        return systems if certificate is None else (systems, certificate)

    def fit_transform(self, X: Any, y: Any = None) -> LDS:
        """Fit, and return the systems of the same collection; it is checked once."""
        sequences = as_collection(X)
        warn_if_transposed(X, sequences)
        self._fit(sequences)
        return self._encode(sequences)[0]

    def _fit(self, sequences: list[NDArray[Any]]) -> None:
        self._check_parameters()
        if self.n_states >= 1:
            n_states = int(self.n_states)
        else:
            self._check_sizes(sequences, 1)
            n_states = self._count_states(sequences, self.n_states)
        self._check_sizes(sequences, n_states)
        self.n_channels_in_, self.n_states_ = sequences[0].shape[0], n_states

    def _check_parameters(self) -> None:
        n_states: Any = self.n_states
        whole = isinstance(n_states, numbers.Integral) and not isinstance(n_states, bool)
        share = isinstance(n_states, numbers.Real) and 0 < float(n_states) < 1
        if not (whole and n_states >= 1) and not share:
            raise _errors.invalid_parameter(
                "n_states", "be an integer of at least 1 or a fraction in (0, 1)", n_states
            )
        check_whole("n_noise", self.n_noise)
        check_whole("delays", self.delays)
        window_levels(self.windows)
        if self.constant not in _CONSTANT:
            raise _errors.unknown_name("constant", self.constant, _CONSTANT)
        if not isinstance(self.center, bool | np.bool_):
            raise _errors.invalid_parameter("center", "be True or False", self.center)
        check_jobs(self.n_jobs)
        check_stabilizer(self.stabilizer, self.scale, self.bound)

    def _check_sizes(self, sequences: list[NDArray[Any]], n_states: int) -> None:
        n_channels = sequences[0].shape[0]
        if n_states > n_channels * self.delays:
            raise _too_many_states(n_states, n_channels, self.delays)
        # An n x n matrix is determined by n transitions, that is n + 1 stacked samples.
        least = n_states + self.delays
        short = [i for i, sequence in enumerate(sequences) if sequence.shape[1] < least]
        if short:
            short.sort(key=lambda index: sequences[index].shape[1])  # the shortest first
            who, others = name_sequence(sequences, short[0]), name_some(sequences, short[1:])
            raise _too_short(who, sequences[short[0]].shape, n_states, self.delays, others, short)

    def _count_states(self, sequences: list[NDArray[Any]], share: float) -> int:
        """Smallest n that keeps `share` of the variance in every sequence."""
        counts = np.empty(len(sequences), dtype=int)
        constant = np.empty(len(sequences), dtype=bool)

        def count(block: slice) -> None:
            room = allocate_workspace(sequences[block], self.delays)
            for index in range(block.start, block.stop):
                Y, mean = observation_matrix(sequences[index], self.delays, self.center, room)
                constant[index] = self._is_constant(Y, mean, sequences, index)
                kept = np.cumsum(variance_spectrum(Y))
                counts[index] = 1 + np.searchsorted(kept, share * kept[-1])

        self._for_each_block(count, len(sequences), "counting states")
        self._check_varying(constant, sequences)
        return int(counts.max())

    def _encode(
        self, sequences: list[NDArray[Any]], *, certify_each: bool = False
    ) -> tuple[LDS, StabilityCertificate | None]:
        check_channel_count("X", len(sequences[0]), self.n_channels_in_)
        n_states, n_windows = self.n_states_, sum(window_levels(self.windows))
        self._check_sizes(sequences, n_states)
        made = self._fit_spread(sequences, certify_each)
        at_rest = made.constant.reshape(-1, n_windows).min(axis=1)
        if n_windows > 1:  # a step between windows at rest is no constant
            at_rest &= np.array([not np.ptp(x, axis=1).any() for x in sequences])
        self._check_varying(at_rest, sequences)
        lowest = made.ranks.reshape(-1, n_windows).min(axis=1)
        idle = np.flatnonzero(lowest < n_states)
        if len(idle):
            who = name_sequence(sequences, int(idle[0]))
            text = _idle_states(who, int(lowest[idle[0]]), len(idle), n_states)
            warnings.warn(text, stacklevel=3)
        if self.center:
            warn_of_offsets(sequences, stacklevel=4)
        systems = LDS._from_trusted(
            **made.fields,
            delays=int(self.delays),
            allow_unstable=self.stabilizer == "none",
            windows=n_windows,
        )
        if not certify_each:
            return systems, None
        return systems, StabilityCertificate.concatenate(made.certificates)

    def _fit_spread(self, sequences: list[NDArray[Any]], certify_each: bool) -> Fits:
        """The fits of all sequences: here, or block by block on a cluster."""
        engine = current_engine()
        parts = cut([x.nbytes for x in sequences]) if engine.n_workers else []
        if len(parts) < 2:
            return self._fit_systems(sequences, 0, certify_each)
        blocks = [(self, sequences[part], part.start, certify_each) for part in parts]
        return Fits.joined(
            list(engine.map(LDSEncoder._fit_systems, blocks, description="fitting systems"))
        )

    def _fit_systems(self, sequences: list[NDArray[Any]], first: int, certify_each: bool) -> Fits:
        """The fits of consecutive sequences, of which messages call the first by its number."""
        n_states, levels = self.n_states_, window_levels(self.windows)
        n_windows, shortest = sum(levels), n_states + self.delays
        pieces = [part for x in sequences for part in aligned_windows(x, levels, shortest)]
        n_systems = len(pieces)
        with np.errstate(over="ignore", invalid="ignore"):  # extreme values are named below
            sizes = [np.sqrt(x.var(axis=1, dtype=np.float64).mean()) for x in sequences]
        n_rows, n_noise = self.n_channels_in_ * self.delays, min(self.n_noise, n_states)
        fields = {
            "A": np.empty((n_systems, n_states, n_states)),
            "C": np.empty((n_systems, n_rows, n_states)),
            "B": np.empty((n_systems, n_states, n_noise)),
            "mean": np.empty((n_systems, n_rows)),
            "x0": np.empty((n_systems, n_states)),
            "noise_variance": np.empty(n_systems),
            "deviation": np.empty((n_systems, n_rows)),
        }
        ranks = np.empty(n_systems, dtype=int)
        constant = np.empty(n_systems, dtype=bool)
        certificates: dict[int, StabilityCertificate] = {}

        def encode(block: slice) -> None:
            room = allocate_workspace(pieces[block], self.delays)
            fitted, states = np.empty_like(fields["A"][block]), []
            for row, index in enumerate(range(block.start, block.stop)):
                Y, mean = observation_matrix(pieces[index], self.delays, self.center, room)
                owner = index // n_windows
                constant[index] = self._is_constant(Y, mean, sequences, owner, first)
                if constant[index]:
                    Y[:] = 0.0  # of rounding errors
                factors = principal_factors(Y, n_states, fields["C"][index])
                ranks[index] = factors.rank
                states.append(factors.states)
                fitted[row] = least_squares_transition(factors)
                fields["mean"][index] = mean
                fields["x0"][index] = states[row][:, 0]
                fields["noise_variance"][index] = factors.residual / Y.size
                centred = Y if self.center else Y - Y.mean(axis=1, keepdims=True)
                fields["deviation"][index] = floored_deviations(centred, sizes[index // n_windows])
            A = stabilize_checked(fitted, states, self.stabilizer, self.scale, self.bound)
            fields["A"][block] = A
            fields["B"][block] = noise_matrices(A, states, n_noise)
            if certify_each:
                certificates[block.start] = certify(self.stabilizer, fitted, A, states)

        self._for_each_block(encode, n_systems, "fitting systems")
        in_order = [certificates[start] for start in sorted(certificates)]
        return Fits(fields, ranks, constant, in_order)

    def _for_each_block(self, work: Callable[[slice], None], n_items: int, what: str) -> None:
        for_each_block(work, n_items, n_jobs=self.n_jobs, description=what)

    @staticmethod
    def _is_constant(
        Y: Floats,
        mean: Floats,
        sequences: list[NDArray[Any]],
        index: int,
        first: int = 0,
    ) -> bool:
        energy = squared_norm(Y)
        if is_extreme(Y, energy):
            raise _errors.SequenceError(
                f"{name_sequence(sequences, index, first)} must have values whose squares are "
                "representable; got numbers of modulus above 1e150 or below 1e-150. Rescale "
                "it.",
                [first + index],
            )
        return is_constant(Y, mean, energy)

    def _check_varying(self, constant: NDArray[np.bool_], sequences: list[NDArray[Any]]) -> None:
        if self.constant == "raise" and constant.any():
            found = np.flatnonzero(constant).tolist()
            raise _constant_sequence(
                name_some(sequences, found), self.center, found, len(sequences)
            )


def _too_short(
    who: str,
    shape: tuple[int, ...],
    n_states: int,
    delays: int,
    others: str,
    indices: Sequence[int],
) -> _errors.SequenceError:
    """Sequences with fewer transitions than states, the shortest of which is told of."""
    n_channels, n_timepoints = shape
    largest = n_timepoints - delays
    wanted = "1 state" if n_states == 1 else f"{n_states} states"
    stacked = f" and {delays} delays" if delays > 1 else ""
    more = (
        f" {len(indices) - 1} more {_errors.pluralize(len(indices) - 1)} too short: {others}."
        * bool(others)
    )
    remedy = (
        f"Fit with at most {largest} {'state' if largest == 1 else 'states'}, or leave it out."
        if largest >= 1
        else "Fit with fewer delays, or leave it out."
        if delays > 1 and n_timepoints > n_states
        else "Leave it out."
    )
    if n_channels > 2 * n_timepoints:
        remedy += " Sequences are (n_channels, n_timepoints): is it transposed?"
    return _errors.SequenceError(
        f"{who} must have at least {n_states + delays} time points for {wanted}{stacked}; "
        f"got {n_timepoints}.{more} {remedy}",
        indices,
    )


def _too_many_states(n_states: int, n_channels: int, delays: int) -> ValueError:
    """More states than (stacked) channels."""
    n_rows = n_channels * delays
    channels = "1 channel" if n_channels == 1 else f"{n_channels} channels"
    rows = channels if delays == 1 else f"{channels} with {delays} delays"
    return ValueError(
        f"the number of states must be at most {n_rows} for {rows}; got {n_states}. Use at most "
        f"{n_rows} states, or at least {-(-n_states // n_channels)} delays, which stack lagged "
        "copies of the channels."
    )


def _constant_sequence(
    who: str, center: bool, constant: Sequence[int], n_sequences: int
) -> _errors.SequenceError:
    """Sequences that never move have no dynamics once they are centred."""
    one = len(constant) == 1
    count = "" if one else f" ({len(constant)} of {n_sequences} sequences)"
    it = "it" if one else "them"
    if not center:
        return _errors.SequenceError(
            f"{who}{count} must not be zero throughout. Leave {it} out.", constant
        )
    return _errors.SequenceError(
        f"{who}{count} must vary over time; got {'a constant sequence' if one else 'constants'}. "
        f"Leave {it} out, or encode in Python with center=False, which keeps the mean.",
        constant,
    )


def _idle_states(who: str, rank: int, count: int, n_states: int) -> str:
    """Text of the warning about sequences that fill fewer than n_states dimensions."""
    plural = f"{count} sequences have" if count > 1 else "1 sequence has"
    return (
        f"{plural} a rank below the {n_states} states ({who}: rank {rank}); the states beyond the "
        "rank are idle. Use fewer states to avoid this."
    )
