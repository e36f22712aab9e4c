"""LBP-TOP by its definition: each sub-video, each plane, each pixel, each neighbour in turn."""

import math

import numpy as np


def value_at(video, t, y, x):
    """The grey value at any place, linear between frames, rows and columns."""
    total = 0.0
    for i in {math.floor(t), math.ceil(t)}:
        for j in {math.floor(y), math.ceil(y)}:
            for k in {math.floor(x), math.ceil(x)}:
                weight = (1 - abs(t - i)) * (1 - abs(y - j)) * (1 - abs(x - k))
                total += weight * float(video[i][j][k])
    return total


def on_grid(place):
    """Cosines of right angles are zero but for rounding."""
    return round(place) if abs(place - round(place)) < 1e-9 else place


def pattern(video, t, y, x, plane, n_neighbours, radii):
    """The bits around one pixel, as text."""
    radius_x, radius_y, radius_t = radii
    bits = ""
    for p in range(n_neighbours):
        angle = 2 * math.pi * p / n_neighbours
        cosine, sine = math.cos(angle), math.sin(angle)
        if plane == "XY":
            place = (t, y + radius_y * sine, x + radius_x * cosine)
        elif plane == "XT":
            place = (t + radius_t * sine, y, x + radius_x * cosine)
        else:
            place = (t + radius_t * sine, y + radius_y * cosine, x)
        neighbour = value_at(video, *(on_grid(axis) for axis in place))
        bits += "1" if neighbour >= float(video[t][y][x]) - 1e-9 else "0"
    return bits


def is_uniform(bits):
    return sum(bits[p] != bits[p - 1] for p in range(len(bits))) <= 2


def lbp_top_by_loop(video, n_neighbours=(8, 8, 8), radii=(1, 1, 1), uniform=True, window=8, step=2):
    """The sequence of histograms, for grey values around 1 to 255."""
    radius_x, radius_y, radius_t = radii
    columns, start = [], 0
    while start + window <= len(video):
        part = video[start : start + window]
        _, height, width = np.shape(part)
        column = []
        for plane, P in zip(("XY", "XT", "YT"), n_neighbours, strict=True):
            every = ["".join(reversed(f"{code:0{P}b}")) for code in range(2**P)]
            names = [bits for bits in every if is_uniform(bits)] + ["others"] if uniform else every
            histogram = dict.fromkeys(names, 0)
            for t in range(radius_t, window - radius_t):
                for y in range(radius_y, height - radius_y):
                    for x in range(radius_x, width - radius_x):
                        bits = pattern(part, t, y, x, plane, P, radii)
                        histogram[bits if bits in histogram else "others"] += 1
            total = sum(histogram.values())
            column += [count / total for count in histogram.values()]
        columns.append(column)
        start += step
    return np.array(columns).T
