"""Compiled filters: a sequence drives systems, and outputs are counted above thresholds.

Four systems run side by side, because each output waits for the one before. Every other loop runs
over time points, which are contiguous. Time is cut into tiles that stay in the cache, and no
outputs are kept beyond a tile. The functions are compiled at their first call, and kept on disk.
"""

from typing import Any

import numpy as np

from ldslearn._compiling import njit

LANES = 4  # systems side by side
TILE = 512  # time points; four rows of inputs and outputs take 32 KiB
KEPT = 2  # time points before a tile that a second-order system needs

_options: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "fastmath": {"contract"},  # fused multiply-add, and nothing else that changes results
    "error_model": "numpy",
}


@njit(**_options)
def run_tile(x, first, start, length, channels, weights, counts, numerators, poles, inputs, out):  # type: ignore[no-untyped-def]
    """Write outputs of four systems for `length` time points from `start` to `out`, less offsets.

    Parameters
    ----------
    x : (n_channels, n_timepoints) array
        Differences from the first time point.
    first : int
        Number of the first of the four systems; those after the last one repeat it.
    channels, weights : (n_systems, n_inputs) arrays
    counts : (n_systems,) array
        Channels that each system reads.
    numerators : (n_systems, 3) array
    poles : (n_systems, 2) array
        Sum and minus product of the two poles.
    inputs, out : (4, 2 + tile) arrays
        The first two columns hold the last two of the tile before.
    """
    last, stop = len(counts) - 1, KEPT + length
    for p in range(LANES):  # slices and indices from zero: LLVM vectorises no others
        system = min(first + p, last)
        row = inputs[p, KEPT:stop]
        w, source = weights[system, 0], x[channels[system, 0], start : start + length]
        for t in range(length):
            row[t] = w * source[t]
        for j in range(1, counts[system]):
            w, source = weights[system, j], x[channels[system, j], start : start + length]
            for t in range(length):
                row[t] += w * source[t]
        before, second = inputs[p, KEPT - 1 : stop - 1], inputs[p, KEPT - 2 : stop - 2]
        b0, b1, b2 = numerators[system, 0], numerators[system, 1], numerators[system, 2]
        driven = out[p, KEPT:stop]
        for t in range(length):
            driven[t] = b0 * row[t] + b1 * before[t] + b2 * second[t]
    s0, s1, s2, s3 = first, min(first + 1, last), min(first + 2, last), min(first + 3, last)
    c0, d0, c1, d1 = poles[s0, 0], poles[s0, 1], poles[s1, 0], poles[s1, 1]
    c2, d2, c3, d3 = poles[s2, 0], poles[s2, 1], poles[s3, 0], poles[s3, 1]
    y0, z0, y1, z1 = out[0, 1], out[0, 0], out[1, 1], out[1, 0]
    y2, z2, y3, z3 = out[2, 1], out[2, 0], out[3, 1], out[3, 0]
    for t in range(KEPT, KEPT + length):
        y0, z0 = out[0, t] + d0 * z0 + c0 * y0, y0
        y1, z1 = out[1, t] + d1 * z1 + c1 * y1, y1
        y2, z2 = out[2, t] + d2 * z2 + c2 * y2, y2
        y3, z3 = out[3, t] + d3 * z3 + c3 * y3, y3
        out[0, t], out[1, t], out[2, t], out[3, t] = y0, y1, y2, y3


@njit(**_options)
def add_counts(outputs, thresholds, offset, above):  # type: ignore[no-untyped-def]
    """Add to `above` how many outputs, plus an offset, exceed each threshold; four at a time."""
    last = len(thresholds) - 1
    for k in range(0, last + 1, LANES):
        k1, k2, k3 = min(k + 1, last), min(k + 2, last), min(k + 3, last)
        h0, h1 = thresholds[k] - offset, thresholds[k1] - offset
        h2, h3 = thresholds[k2] - offset, thresholds[k3] - offset
        n0 = n1 = n2 = n3 = 0
        for t in range(len(outputs)):
            y = outputs[t]
            n0 += np.int64(y > h0)
            n1 += np.int64(y > h1)
            n2 += np.int64(y > h2)
            n3 += np.int64(y > h3)
        above[k] += n0
        if k + 1 <= last:
            above[k + 1] += n1
        if k + 2 <= last:
            above[k + 2] += n2
        if k + 3 <= last:
            above[k + 3] += n3


@njit(**_options)
def count_above(  # type: ignore[no-untyped-def]
    x, offsets, spans, channels, weights, counts, numerators, poles, thresholds, inputs, out, above
):
    """Write to `above` how many outputs of each system lie above each of its thresholds.

    Parameters
    ----------
    offsets : (n_systems,) array
        Added to the outputs of every system.
    spans : (n_systems, 2) array
        First time point that counts, and the one after the last.
    thresholds : (n_systems, n_thresholds) array
    above : (n_systems, n_thresholds) array
    others
        As in :func:`run_tile`.
    """
    n_systems, n_thresholds = thresholds.shape
    n_timepoints, tile = x.shape[1], inputs.shape[1] - KEPT
    for first in range(0, n_systems, LANES):
        group = min(LANES, n_systems - first)
        stop = 0
        for p in range(group):
            stop = max(stop, spans[first + p, 1])
            for k in range(n_thresholds):
                above[first + p, k] = 0.0
        inputs[:, :KEPT] = 0.0
        out[:, :KEPT] = 0.0
        for start in range(0, stop, tile):
            length = min(tile, n_timepoints - start)
            run_tile(
                x, first, start, length, channels, weights, counts, numerators, poles, inputs, out
            )
            for p in range(group):
                system = first + p
                low = max(spans[system, 0] - start, 0) + KEPT
                high = min(spans[system, 1] - start, length) + KEPT
                if low < high:
                    add_counts(out[p, low:high], thresholds[system], offsets[system], above[system])
            for p in range(LANES):
                for t in range(KEPT):
                    inputs[p, t] = inputs[p, length + t]
                    out[p, t] = out[p, length + t]


@njit(**_options)
def collect_outputs(x, offsets, channels, weights, counts, numerators, poles, inputs, out, outputs):  # type: ignore[no-untyped-def]  # fmt: skip
    """Write all outputs to `outputs`, (n_systems, n_timepoints); to choose thresholds by."""
    n_systems, n_timepoints = outputs.shape
    tile = inputs.shape[1] - KEPT
    for first in range(0, n_systems, LANES):
        inputs[:, :KEPT] = 0.0
        out[:, :KEPT] = 0.0
        for start in range(0, n_timepoints, tile):
            length = min(tile, n_timepoints - start)
            run_tile(
                x, first, start, length, channels, weights, counts, numerators, poles, inputs, out
            )
            for p in range(min(LANES, n_systems - first)):
                for t in range(length):
                    outputs[first + p, start + t] = out[p, KEPT + t] + offsets[first + p]
            for p in range(LANES):
                for t in range(KEPT):
                    inputs[p, t] = inputs[p, length + t]
                    out[p, t] = out[p, length + t]
