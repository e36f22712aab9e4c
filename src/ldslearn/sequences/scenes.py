"""The scenes behind :func:`ldslearn.datasets.make_dynamic_textures`: one function per kind."""

from collections.abc import Callable, Mapping
from math import pi
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

Array = npt.NDArray[np.floating[Any]]
Values = Mapping[str, float]


class Grid:
    """Coordinates of every pixel centre and frame, each broadcasting to (time, height, width).

    `x` and `y` start at the centre of the picture, in units of its shorter side; `across` and
    `down` run from 0 to 1 over the picture; `pixel` is the side of a pixel.
    """

    def __init__(self, n_frames: int, height: int, width: int) -> None:
        self.shape = (n_frames, height, width)
        self.pixel = 1 / min(height, width)
        self.time = np.arange(n_frames, dtype=np.float32)[:, None, None]
        self.across = ((np.arange(width, dtype=np.float32) + 0.5) / width)[None, None, :]
        self.down = ((np.arange(height, dtype=np.float32) + 0.5) / height)[None, :, None]
        self.x = (self.across - 0.5) * (width * self.pixel)
        self.y = (self.down - 0.5) * (height * self.pixel)

    def soft_step(self, distance: Array) -> Array:
        """Return 1 where `distance` is positive, 0 where negative, blended over two pixels."""
        return np.minimum(np.maximum(distance / (2 * self.pixel) + 0.5, 0), 1)


# Every motion below is a sum of plane waves, the output of a linear oscillator: smooth and
# stationary, and the same scene at any size and length.


def _sum_of_waves(
    x: Array, y: Array, time: Array, wavevectors: Array, frequencies: Array, phases: Array
) -> Array:
    """Return waves of unit total variance, amplitudes ~ 1/|k|, shape (n_frames, *points).

    x and y broadcast to (1, *points); wavevectors (n_waves, 2), frequencies and phases (n_waves,).
    """
    points = np.broadcast_shapes(x.shape, y.shape)[1:]
    position = np.stack([np.broadcast_to(axis[0], points).ravel() for axis in (x, y)])
    amplitudes = 1 / np.linalg.norm(wavevectors, axis=1)
    amplitudes *= np.sqrt(2 / np.sum(amplitudes**2))
    # cos(s - t) = cos(s) cos(t) + sin(s) sin(t): one matrix product over space and time.
    space = (wavevectors @ position + phases[:, None]).astype(np.float32)
    turn = np.outer(time, frequencies)
    basis = np.hstack([amplitudes * np.cos(turn), amplitudes * np.sin(turn)]).astype(np.float32)
    return (basis @ np.concatenate([np.cos(space), np.sin(space)])).reshape(time.size, *points)


def _logistic(value: Array) -> Array:
    return 0.5 + 0.5 * np.tanh(0.5 * value)


def _heading(degrees: float | Array) -> Array:
    """Return the unit vector of a direction, shape (..., 2): 0 points right, 90 down."""
    angle = np.deg2rad(degrees)
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def _fractal_noise(
    grid: Grid,
    generator: np.random.Generator,
    wavelength: float,
    octaves: float,
    velocity: Array,
    churn: float,
    stretch: float = 1.0,
) -> Array:
    """Return noise of unit variance moving at `velocity` while its shape changes at `churn`.

    Its wavelengths span `octaves` below `wavelength`; `stretch` lengthens it vertically.
    """
    octave, angle, phase, change = generator.random((48, 4)).T
    wavevectors = 2 * pi / wavelength * 2 ** (octaves * octave)[:, None] * _heading(360 * angle)
    wavevectors[:, 1] /= stretch
    frequencies = wavevectors @ velocity + churn * (2 * change - 1)
    return _sum_of_waves(grid.x, grid.y, grid.time, wavevectors, frequencies, 2 * pi * phase)


def _draw_waves(grid: Grid, parameters: Values, generator: np.random.Generator) -> Array:
    octave, turn, phase = generator.random((32, 3)).T
    middle = 2 * pi / parameters["wavelength"]
    k = middle * 2 ** (2 * octave - 0.5)
    angle = parameters["direction"] + parameters["spread"] * (2 * turn - 1)
    # Deep water: omega ~ sqrt(k), so that long waves run faster than short ones.
    frequencies = parameters["speed"] * np.sqrt(k * middle)
    # Seen at a slant: distant water, at the top, looks smaller. Scale 1 at mid-height.
    distance = 1.5 / (1 + grid.down)
    far = -1.5 * distance * (grid.shape[1] * grid.pixel)
    plane = (k[:, None] * _heading(angle), frequencies, 2 * pi * phase)
    height = _sum_of_waves(grid.x * distance, far, grid.time, *plane)
    # Smooth slopes, and a glint on the highest crests.
    return 0.1 + 0.4 * _logistic(1.5 * height) + 0.5 * _logistic(4 * (height - 1.2))


def _draw_flame(grid: Grid, parameters: Values, generator: np.random.Generator) -> Array:
    rise, turbulence = np.array([0, -parameters["speed"]]), parameters["turbulence"]
    bend = _fractal_noise(grid, generator, 1.0, 0.5, rise, churn=0.1)
    lick = _fractal_noise(grid, generator, 0.35, 1, rise, churn=0.1, stretch=2.5)
    above = (1 - grid.down) / parameters["height"]
    aside = (2 * grid.across - 1 + 0.25 * turbulence * above * bend) / parameters["width"]
    # Burning gas thins out upwards and sideways; turbulence tears it, more so at the top.
    gas = 1 - 1.3 * above**1.5 - aside**2 * (0.9 + above) + turbulence * lick * above * 0.22
    glow, body, heart = _logistic(4 * gas), _logistic(12 * (gas - 0.1)), _logistic(9 * (gas - 0.5))
    return 0.03 + 0.12 * glow + 0.45 * body + 0.38 * heart


def _draw_foliage(grid: Grid, parameters: Values, generator: np.random.Generator) -> Array:
    pace, turn, phase = generator.random((8, 3)).T
    wavevectors = 2 * pi * _heading(60 * turn - 30)
    frequencies = 2 * pi * parameters["frequency"] * (0.6 + 0.8 * pace)
    # Leaves reach in from beyond the border; their number makes about two layers.
    reach = 0.5 * grid.pixel * np.array(grid.shape[:0:-1]) + 0.6 * parameters["leaf"]
    n_leaves = int(7 * np.prod(2 * reach) / parameters["leaf"] ** 2)
    draws = generator.random((n_leaves, 5)).astype(np.float32)
    home = ((2 * draws[:, :2] - 1) * reach).T.astype(np.float32)
    wind = (wavevectors, frequencies, 2 * pi * phase)
    gust = parameters["sway"] * _sum_of_waves(home[:1], home[1:], grid.time, *wind)
    lengths = parameters["leaf"] * (0.7 + 0.6 * draws[:, 2])
    leans = pi / 2 + 1.4 * (2 * draws[:, 3] - 1) - gust
    # The front is lit, and a leaf catches more light as it turns.
    depth = np.linspace(0.1, 0.75, n_leaves, dtype=np.float32)
    shades = depth + 0.5 * (draws[:, 4] - 0.5) + 0.15 * gust
    push = parameters["leaf"] * np.array([0.3, 0.1], dtype=np.float32)
    bases = home[:, None] + push[:, None, None] * gust
    frames = np.full(grid.shape, 0.05, dtype=np.float32)
    for leaf in range(n_leaves):
        leaf_motion = (bases[:, :, leaf], leans[:, leaf], lengths[leaf], shades[:, leaf])
        _paint_leaf(frames, grid, *leaf_motion)
    return frames


def _paint_leaf(
    frames: Array, grid: Grid, base: Array, lean: Array, length: float, shade: Array
) -> None:
    """Paint one leaf over `frames`, in place, only where it can reach; base (2, n_frames)."""
    reach = length + 2 * grid.pixel
    low, high = base.min(axis=1) - reach, base.max(axis=1) + reach
    columns = slice(*np.searchsorted(grid.x.ravel(), [low[0], high[0]]))
    rows = slice(*np.searchsorted(grid.y.ravel(), [low[1], high[1]]))
    x = grid.x[..., columns] - base[0, :, None, None]
    y = grid.y[:, rows] - base[1, :, None, None]
    cosine, sine = np.cos(lean)[:, None, None] / length, np.sin(lean)[:, None, None] / length
    along, aside = x * cosine + y * sine, y * cosine - x * sine
    off_rib = np.abs(aside)
    inside = 0.8 * along * (1 - along) - off_rib
    # Dark rim and midrib, one half brighter: leaves of one shade stay apart.
    relief = np.minimum(4 * np.maximum(inside, 0), 0.6) + np.minimum(8 * off_rib, 0.25) + aside
    grey = shade[:, None, None] * (0.35 + relief)
    patch = frames[:, rows, columns]
    patch += grid.soft_step(1.4 * length * inside) * (grey - patch)


def _draw_flag(grid: Grid, parameters: Values, generator: np.random.Generator) -> Array:
    pace, phase = generator.random((4, 2)).T
    k = 2 * pi / parameters["wavelength"] * (0.7 + 0.6 * pace)
    wavevectors, frequencies = k[:, None] * [1, 0.15], k * parameters["speed"]
    where = (grid.across, grid.down, grid.time, wavevectors, frequencies)
    # A quarter period apart: the second stands for the slope, which catches the light.
    ripple, slope = (_sum_of_waves(*where, 2 * pi * phase + lead) for lead in (0, pi / 2))
    free = np.sqrt(np.clip((grid.across - 0.08) / 0.86, 0, 1))
    # Height on the cloth: 0 at its upper edge, 1 at its lower. It is held at the pole.
    cloth = (grid.down - 0.17 - parameters["amplitude"] * free * ripple) / 0.65
    grey = 0.52 + 0.28 * np.clip(3 * np.sin(parameters["stripes"] * pi * cloth), -1, 1)
    grey += grid.soft_step(0.45 - grid.across) * grid.soft_step(0.5 - cloth) * (0.12 - grey)
    grey *= 1 + 4 * parameters["amplitude"] * free * slope
    outline = grid.soft_step(cloth) * grid.soft_step(1 - cloth) * grid.soft_step(0.94 - grid.across)
    frames = 0.42 + outline * (grey - 0.42)
    return frames + grid.soft_step(0.035 - np.abs(grid.across - 0.06)) * (0.95 - frames)


def _draw_rotating(grid: Grid, parameters: Values, generator: np.random.Generator) -> Array:
    start = 2 * pi * generator.random()
    y = grid.y + 0.1
    radius = np.hypot(grid.x, y)
    angle = np.arctan2(y, grid.x) + parameters["twist"] * radius
    turned = angle - 2 * pi * parameters["speed"] * grid.time - start
    # One side of the wheel is brighter: a full turn shows, not only the passing of blades.
    paint = 0.7 + 0.25 * np.cos(turned)
    blades = _logistic(5 * np.cos(parameters["blades"] * turned)) * grid.soft_step(0.38 - radius)
    frames = 0.2 + 0.35 * grid.soft_step(0.025 - np.abs(grid.x)) * grid.soft_step(y)
    frames = frames + blades * (paint - frames)
    return frames + grid.soft_step(0.05 - radius) * (0.95 - frames)


def _draw_drifting(grid: Grid, parameters: Values, generator: np.random.Generator) -> Array:
    velocity = parameters["speed"] * _heading(parameters["direction"])
    vapour = _fractal_noise(
        grid, generator, parameters["wavelength"], 3, velocity, churn=0.03, stretch=0.6
    )
    cloud = _logistic(2 * (vapour + float(ndtri(parameters["cover"]))))
    sky = 0.2 + 0.2 * grid.down
    return sky + cloud * (0.97 - sky)


# Name of each kind -> how to draw it, and its parameters with their defaults.
KINDS: dict[str, tuple[Callable[[Grid, Values, np.random.Generator], Array], Values]] = {
    "waves": (_draw_waves, {"wavelength": 0.25, "speed": 0.015, "direction": 90.0, "spread": 35.0}),
    "flame": (_draw_flame, {"speed": 0.03, "turbulence": 1.0, "height": 1.0, "width": 0.6}),
    "foliage": (_draw_foliage, {"leaf": 0.45, "sway": 0.25, "frequency": 0.02}),
    "flag": (_draw_flag, {"wavelength": 0.6, "speed": 0.025, "amplitude": 0.05, "stripes": 7}),
    "rotating": (_draw_rotating, {"blades": 5, "speed": 0.01, "twist": 3.0}),
    "drifting": (
        _draw_drifting,
        {"wavelength": 1.2, "speed": 0.015, "direction": 0.0, "cover": 0.45},
    ),
}
