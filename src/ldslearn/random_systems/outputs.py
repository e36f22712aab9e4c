"""Outputs of random systems driven by sequences, and the share of them above thresholds."""

from collections.abc import Sequence

import numpy as np

from ldslearn._types import Floats, Indices
from ldslearn.random_systems._filters_compiled import KEPT, LANES, TILE, drive_systems
from ldslearn.random_systems.bank import SystemBank

_MOST_OUTPUTS = 2**16  # per system, of which quantiles are taken
_BLOCK = 2**22  # outputs that are held at once
# Of the largest possible output; rounding errors are smaller. A constant output is not above the
# threshold at its own value, whatever its rounding error.
_MARGIN = 1e-10


class RunningSystems:
    """Random systems with what the compiled filters need of them.

    Parameters
    ----------
    bank : SystemBank
    tile : int
        Time points that are filtered at once; results do not depend on it.
    """

    def __init__(self, bank: SystemBank, tile: int = TILE) -> None:
        self.bank, self._gains, self._tile = bank, bank.gains, tile
        self._last = 0, bank.find_spans(0)  # spans of the last length: many have the same
        n_forward = int((~bank.backward).sum())
        self._parts = [
            (part, bank.take(part))
            for part in (slice(0, n_forward), slice(n_forward, len(bank)))
            if part.stop > part.start
        ]
        self._arguments = [
            tuple(
                np.ascontiguousarray(values)
                for values in (
                    systems.channels, systems.weights, systems.n_inputs, systems.numerators,
                    systems.recursions,
                )
            )
            for _, systems in self._parts
        ]  # fmt: skip

    def compute_shares(self, x: Floats, shares: Floats) -> None:
        """Write the share of time points above each threshold to `shares`.

        Parameters
        ----------
        x : (n_channels, n_timepoints) array
            Standardised.
        shares : (n_systems, n_thresholds) array
        """
        spans = self._find_spans(x.shape[1])
        for (part, systems), arguments in zip(self._parts, self._arguments, strict=True):
            differences, offsets = self._turn(x, part, systems)
            counted = spans[part]
            if systems.backward[0]:
                counted = np.ascontiguousarray(x.shape[1] - counted[:, ::-1])
            drive_systems(
                differences, offsets, counted, *arguments, systems.thresholds,
                *self._make_buffers(x.shape[1]), shares[part], np.empty((0, 0)),
            )  # fmt: skip
        shares /= (spans[:, 1] - spans[:, 0])[:, None]

    def compute_outputs(self, x: Floats) -> Floats:
        """Return the outputs of all systems in the order of time, (n_systems, n_timepoints)."""
        outputs = np.empty((len(self.bank), x.shape[1]))
        for (part, systems), arguments in zip(self._parts, self._arguments, strict=True):
            differences, offsets = self._turn(x, part, systems)
            all_count = np.tile(np.array([0, x.shape[1]]), (len(systems), 1))
            no_thresholds = np.empty((len(systems), 0))
            drive_systems(
                differences, offsets, all_count, *arguments, no_thresholds,
                *self._make_buffers(x.shape[1]), no_thresholds, outputs[part],
            )  # fmt: skip
            if systems.backward[0]:
                outputs[part] = outputs[part, ::-1].copy()
        return outputs

    def _find_spans(self, n_timepoints: int) -> Indices:
        length, spans = self._last
        if length != n_timepoints:
            spans = self.bank.find_spans(n_timepoints)
            self._last = n_timepoints, spans
        return spans

    def _turn(self, x: Floats, part: slice, systems: SystemBank) -> tuple[Floats, Floats]:
        """Return `x` in running order less its first time point, and the steady outputs of that."""
        turned = x[:, ::-1] if systems.backward[0] else x
        first = turned[:, 0]
        steady = (systems.weights * first[systems.channels]).sum(axis=1)
        return np.ascontiguousarray(turned - first[:, None]), self._gains[part] * steady

    def _make_buffers(self, n_timepoints: int) -> tuple[Floats, Floats]:
        tile = min(self._tile, n_timepoints)
        return np.empty((LANES, KEPT + tile)), np.empty((LANES, tile))


def choose_thresholds(bank: SystemBank, sequences: Sequence[Floats]) -> Floats:
    """Return quantiles of the outputs that count, (n_systems, n_thresholds).

    Parameters
    ----------
    bank : SystemBank
        Its thresholds are the levels of the quantiles.
    sequences : sequence of (n_channels, n_timepoints) arrays
        Standardised.
    """
    total = sum(x.shape[1] for x in sequences)
    size, stride = int(np.clip(_BLOCK // total, LANES, 256)), -(-total // _MOST_OUTPUTS)
    thresholds = np.empty(bank.thresholds.shape)
    for start in range(0, len(bank), size):
        block = bank.take(slice(start, start + size))
        values = _sort_counted(block, sequences, stride)
        n_counted = np.isfinite(values).sum(axis=1, keepdims=True)
        places = block.thresholds * (n_counted - 1)
        below = np.minimum(places.astype(np.intp), np.maximum(n_counted - 2, 0))
        above = np.minimum(below + 1, n_counted - 1)
        low, high = (np.take_along_axis(values, at, axis=1) for at in (below, above))
        found = low + (places - below) * (high - low)
        thresholds[start : start + size] = found + _MARGIN * block.bounds[:, None]
    return thresholds


def _sort_counted(bank: SystemBank, sequences: Sequence[Floats], stride: int) -> Floats:
    """Return the outputs that count, ascending, and then infinity, (n_systems, n_timepoints).

    Only every `stride`-th time point of each sequence is used.
    """
    running, parts = RunningSystems(bank), []
    for x in sequences:
        outputs, spans = running.compute_outputs(x)[:, ::stride], bank.find_spans(x.shape[1])
        times = np.arange(0, x.shape[1], stride)
        counted = (times >= spans[:, :1]) & (times < spans[:, 1:])
        parts.append(np.where(counted, outputs, np.inf))
    return np.sort(np.concatenate(parts, axis=1), axis=1)
