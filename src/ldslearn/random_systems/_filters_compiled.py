"""Compiled filters: a sequence drives systems, and outputs are counted above thresholds.

Four systems run side by side, because each output waits for the one before. Every other loop runs
over time points, which are contiguous. Time is cut into tiles that stay in the cache. There is one
function, because each is compiled at its first call: its parts as functions of their own, or
another one that only returns outputs, would take half as long again.
"""

import numpy as np

from ldslearn._compiling import njit

LANES = 4  # systems side by side
TILE = 512  # time points; four rows of inputs and outputs take 32 KiB
KEPT = 2  # time points before a tile that a second-order system needs


@njit(
    cache=True,
    nogil=True,
    fastmath={"contract"},  # fused multiply-add, and nothing else that changes results
    error_model="numpy",
    no_rewrites=True,  # no expressions of arrays: nothing to rewrite
)
def drive_systems(  # type: ignore[no-untyped-def]
    x, offsets, spans, channels, weights, counts, numerators, poles, thresholds, inputs, out,
    above, outputs,
):  # fmt: skip
    """Write to `above` how many outputs of each system lie above each of its thresholds.

    Parameters
    ----------
    x : (n_channels, n_timepoints) array
        Differences from the first time point.
    offsets : (n_systems,) array
        Added to the outputs of every system.
    spans : (n_systems, 2) array
        First time point that counts, and the one after the last.
    channels, weights : (n_systems, n_inputs) arrays
    counts : (n_systems,) array
        Channels that each system reads.
    numerators : (n_systems, 3) array
    poles : (n_systems, 2) array
        Sum and minus product of the two poles.
    thresholds : (n_systems, n_thresholds) array
    inputs, out : (4, 2 + tile) and (4, tile) arrays
        Memory. The first two columns of inputs are the last two of the tile before.
    above : (n_systems, n_thresholds) array
    outputs : (n_systems, n_timepoints) or (0, 0) array
        Unless it is empty, all outputs up to the last one that counts are written here.
    """
    n_systems, n_thresholds = thresholds.shape
    n_timepoints, tile = x.shape[1], out.shape[1]
    last, top = n_systems - 1, n_thresholds - 1
    for first in range(0, n_systems, LANES):
        group = min(LANES, n_systems - first)  # after the last system, it is repeated
        s0, s1, s2, s3 = first, min(first + 1, last), min(first + 2, last), min(first + 3, last)
        c0, d0, c1, d1 = poles[s0, 0], poles[s0, 1], poles[s1, 0], poles[s1, 1]
        c2, d2, c3, d3 = poles[s2, 0], poles[s2, 1], poles[s3, 0], poles[s3, 1]
        y0 = z0 = y1 = z1 = y2 = z2 = y3 = z3 = 0.0
        stop = 0
        for p in range(LANES):
            inputs[p, 0] = inputs[p, 1] = 0.0
            if p < group:
                stop = max(stop, spans[first + p, 1])
                for k in range(n_thresholds):
                    above[first + p, k] = 0.0
        for start in range(0, stop, tile):
            length = min(tile, n_timepoints - start)
            for p in range(LANES):  # slices and indices from zero: LLVM vectorises no others
                system = min(first + p, last)
                row = inputs[p, KEPT:]
                for j in range(counts[system]):
                    w, source = weights[system, j], x[channels[system, j], start:]
                    if j == 0:
                        for t in range(length):
                            row[t] = w * source[t]
                    else:
                        for t in range(length):
                            row[t] += w * source[t]
                before, second, driven = inputs[p, 1:], inputs[p], out[p]
                b0, b1, b2 = numerators[system, 0], numerators[system, 1], numerators[system, 2]
                for t in range(length):
                    driven[t] = b0 * row[t] + b1 * before[t] + b2 * second[t]
                inputs[p, 0], inputs[p, 1] = inputs[p, length], inputs[p, length + 1]
            for t in range(length):
                y0, z0 = out[0, t] + d0 * z0 + c0 * y0, y0
                y1, z1 = out[1, t] + d1 * z1 + c1 * y1, y1
                y2, z2 = out[2, t] + d2 * z2 + c2 * y2, y2
                y3, z3 = out[3, t] + d3 * z3 + c3 * y3, y3
                out[0, t], out[1, t], out[2, t], out[3, t] = y0, y1, y2, y3
            for p in range(group):
                system, offset = first + p, offsets[first + p]
                if len(outputs):
                    for t in range(length):
                        outputs[system, start + t] = out[p, t] + offset
                low = max(spans[system, 0] - start, 0)
                n_counted = min(spans[system, 1] - start, length) - low
                counted = out[p, low:]
                for k in range(0, n_thresholds, LANES):  # four at a time
                    k1, k2, k3 = min(k + 1, top), min(k + 2, top), min(k + 3, top)
                    h0, h1 = thresholds[system, k] - offset, thresholds[system, k1] - offset
                    h2, h3 = thresholds[system, k2] - offset, thresholds[system, k3] - offset
                    n0 = n1 = n2 = n3 = 0
                    for t in range(n_counted):
                        y = counted[t]
                        n0 += np.int64(y > h0)
                        n1 += np.int64(y > h1)
                        n2 += np.int64(y > h2)
                        n3 += np.int64(y > h3)
                    above[system, k] += n0
                    if k + 1 <= top:
                        above[system, k + 1] += n1
                    if k + 2 <= top:
                        above[system, k + 2] += n2
                    if k + 3 <= top:
                        above[system, k + 3] += n3
