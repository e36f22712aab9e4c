"""LBP-TOP histograms of a video, against the same in plain NumPy."""

import numpy as np

from benchmarks.timing import best_seconds, print_table
from ldslearn.video import lbp_top
from tests.support.lbp import lbp_top_by_loop

SIZES = {"DynTex++, 50 x 50 x 50": (50, 50, 50), "48 x 48, 75 frames": (75, 48, 48)}
WINDOW, STEP, P = 8, 2, 8


def shift(video, place):
    """The video at (t, y, x) + place, without a border of one pixel."""
    rows = tuple(slice(1 + k, n - 1 + k) for k, n in zip(place, video.shape, strict=True))
    return video[rows]


def compute_codes(video, axes):
    """Codes with 8 neighbours at radius 1 on one plane, whole arrays at a time."""
    centre = shift(video, (0, 0, 0))
    code = np.zeros(centre.shape, dtype=np.int64)
    for p in range(P):
        angle = 2 * np.pi * p / P
        place = np.round([np.cos(angle), np.sin(angle)], 12)
        low, high = np.floor(place).astype(int), np.ceil(place).astype(int)
        neighbour = np.zeros(centre.shape)
        for i in {low[0], high[0]}:
            for j in {low[1], high[1]}:
                offset = [0, 0, 0]
                offset[axes[0]], offset[axes[1]] = int(i), int(j)
                weight = (1 - abs(place[0] - i)) * (1 - abs(place[1] - j))
                neighbour += weight * shift(video, offset)
        code |= (neighbour >= centre - 1e-9).astype(np.int64) << p
    return code


def list_uniform_bins():
    bits = np.arange(2**P)[:, None] >> np.arange(P) & 1
    kept = (bits != np.roll(bits, 1, axis=1)).sum(axis=1) <= 2
    return np.where(kept, np.cumsum(kept) - 1, 58)


def count_codes(code, bins):
    return np.bincount(bins[code.ravel()], minlength=59) / code.size


def compute_in_numpy(video, per_window):
    """Codes of each sub-video anew, as the definition reads, or once for all sub-videos."""
    video = video.astype(float)
    bins = list_uniform_bins()
    starts = range(0, len(video) - WINDOW + 1, STEP)
    rows = []
    for axes in ((2, 1), (2, 0), (1, 0)):
        if per_window:
            parts = [compute_codes(video[start : start + WINDOW], axes) for start in starts]
        else:
            code = compute_codes(video, axes)
            parts = [code[start : start + WINDOW - 2] for start in starts]
        rows.append(np.stack([count_codes(part, bins) for part in parts], axis=1))
    return np.concatenate(rows)


def run():
    rows = []
    for name, shape in SIZES.items():
        video = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
        contestants = {
            "ldslearn": lambda v=video: lbp_top(v),
            "once": lambda v=video: compute_in_numpy(v, per_window=False),
            "per window": lambda v=video: compute_in_numpy(v, per_window=True),
        }
        first, *others = (contestant() for contestant in contestants.values())
        for other in others:
            np.testing.assert_allclose(other, first, rtol=1e-14)
        seconds = best_seconds(contestants)
        part = video[:WINDOW]  # of the literal loops, one sub-video is enough to wait for
        literal = best_seconds({"loops": lambda v=part: lbp_top_by_loop(v)}, repeats=1)["loops"]
        short = best_seconds({"ldslearn": lambda v=part: lbp_top(v)})["ldslearn"]
        rows.append(
            [
                name,
                f"{1e3 * seconds['ldslearn']:.1f} ms",
                f"{len(video) / seconds['ldslearn']:,.0f}",
                f"{seconds['once'] / seconds['ldslearn']:.1f} x",
                f"{seconds['per window'] / seconds['ldslearn']:.1f} x",
                f"{literal / short:,.0f} x",
            ]
        )
    print_table(
        "LBP-TOP, 8 neighbours at radius 1, windows of 8 frames, one thread, after the first call",
        ["video", "lbp_top", "frames per second", "faster than NumPy, codes once",
         "faster than NumPy, each sub-video", "faster than loops, one sub-video"],
        rows,
    )  # fmt: skip
