"""Procedural dynamic textures: small grey videos of six kinds, made from a seed."""

import zlib
from collections.abc import Collection, Mapping, Sequence
from math import inf
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._checks import as_random_state
from ldslearn._types import Pixels
from ldslearn.sequences.scenes import KINDS, Grid, Values


def make_dynamic_textures(
    kinds: Sequence[str] = ("waves", "flame", "foliage", "flag", "rotating", "drifting"),
    n_per_class: int = 10,
    *,
    size: int | tuple[int, int] = 32,
    n_frames: int = 60,
    jitter: float = 0.2,
    noise: float = 0.02,
    parameters: Mapping[str, Values] | None = None,
    random_state: int | np.random.RandomState | np.random.Generator | None = None,
) -> tuple[Pixels, NDArray[np.str_]]:
    """Return grey videos of moving textures, smooth and stationary in time, and their kinds.

    Parameters
    ----------
    kinds : sequence of str, optional
        Distinct names of kinds; by default all: "waves", "flame", "foliage", "flag", "rotating" and
        "drifting".
    n_per_class : int, default=10
        Number of videos of each kind.
    size : int or (int, int), default=32
        Height and width of a frame in pixels, 8 or more; an int gives a square.
    n_frames : int, default=60
        Number of frames, 2 or more.
    jitter : float in [0, 1], default=0.2
        Spread of the parameters within a class: each is uniform on ``value * (1 -+ jitter)``,
        directions on ``value -+ 90 * jitter``, then clipped to its range. At 0 the videos of a
        kind differ by their random scene and phases only.
    noise : float, default=0.02
        Standard deviation of the sensor noise, added before clipping to [0, 1].
    parameters : mapping of kind to mapping of parameter name to value, optional
        Replaces defaults. Lengths are in shorter sides of the picture, speeds in lengths per
        frame, directions in degrees (0 right, 90 down):

        - waves, water seen at a slant: wavelength 0.25, speed 0.015, direction 90, spread of the
          directions 35.
        - flame: speed (of its rise) 0.03, turbulence 1, height 1 and width 0.6 (of the picture).
        - foliage: leaf (length) 0.45, sway (radians) 0.25, frequency (cycles per frame) 0.02.
        - flag: wavelength 0.6, speed 0.025 and amplitude 0.05 (of the picture), stripes 7.
        - rotating, a pinwheel: blades 5, speed (turns per frame) 0.01, twist (radians per
          length) 3.
        - drifting, clouds: wavelength 1.2, speed 0.015, direction 0, cover (of the sky) 0.45.
    random_state : int, RandomState, Generator or None, default=None
        Source of one seed. A video depends only on that seed, its kind and its index in the
        class: asking for other kinds or more videos leaves it unchanged.

    Returns
    -------
    videos : (n_videos, n_frames, height, width) array of float32
        Grey values in [0, 1].
    labels : (n_videos,) array of str
        The kind of each video, grouped in the order of `kinds`.

    Examples
    --------
    >>> from ldslearn.datasets import make_dynamic_textures
    >>> videos, kinds = make_dynamic_textures(["waves", "flag"], 2, size=16, random_state=0)
    >>> videos.shape, kinds.tolist()
    ((4, 60, 16, 16), ['waves', 'waves', 'flag', 'flag'])
    >>> slow, _ = make_dynamic_textures(["waves"], 1, parameters={"waves": {"speed": 0.001}})
    """
    sides = tuple(size) if isinstance(size, Sequence) else (size, size)
    if len(sides) != 2:
        raise ValueError(
            f"size must be a whole number or a pair (height, width); got {size!r}. "
            "Pass for instance size=(24, 32)."
        )
    for side in sides:
        _check_number("size", side, 32, 8, inf)
    _check_number("n_per_class", n_per_class, 10, 1, inf)
    _check_number("n_frames", n_frames, 60, 2, inf)
    _check_number("jitter", jitter, 0.2, 0, 1)
    _check_number("noise", noise, 0.02, 0, inf)
    if not isinstance(kinds, list | tuple) or len(kinds) == 0 or len(set(kinds)) < len(kinds):
        raise ValueError(
            f"kinds must be a sequence of distinct names; got {kinds!r}. "
            f"Choose from {', '.join(KINDS)}."
        )
    for kind in kinds:
        _check_known("each of kinds", kind, KINDS)
    parameters = {} if parameters is None else parameters
    for kind, given in _check_mapping("parameters", parameters).items():
        _check_known("each key of parameters", kind, kinds)
        _check_mapping(f"parameters[{kind!r}]", given)
        for name, value in given.items():
            _check_known(f"each key of parameters[{kind!r}]", name, KINDS[kind][1])
            default = KINDS[kind][1][name]
            _check_number(f"parameters[{kind!r}][{name!r}]", value, default, *_RANGES[name])
    seed = int(as_random_state(random_state).randint(2**31 - 1))

    grid = Grid(n_frames, *sides)
    labels = np.repeat(np.array(kinds, dtype=np.str_), n_per_class)
    videos = np.empty((labels.size, *grid.shape), dtype=np.float32)
    for position, (video, kind) in enumerate(zip(videos, labels.tolist(), strict=True)):
        key = [seed, zlib.crc32(kind.encode()), position % n_per_class]
        generator = np.random.default_rng(key)
        sampled = _vary(kind, parameters.get(kind, {}), jitter, generator)
        video[...] = KINDS[kind][0](grid, sampled, generator)
        video += noise * generator.standard_normal(grid.shape, dtype=np.float32)
    return np.clip(videos, 0, 1, out=videos), labels


# The same in every kind, by sort of parameter.
_RANGES: dict[str, tuple[float, float]] = {
    **dict.fromkeys(("speed", "frequency"), (-1, 1)),
    **dict.fromkeys(("direction", "spread"), (-360, 360)),
    **dict.fromkeys(("wavelength", "leaf", "height", "width"), (0.1, 10)),
    **dict.fromkeys(("amplitude", "sway", "turbulence"), (0, 3)),
    **dict.fromkeys(("blades", "stripes"), (1, 16)),
    "twist": (-20, 20),
    "cover": (0.02, 0.98),
}


def _vary(kind: str, given: Values, jitter: float, generator: np.random.Generator) -> Values:
    """Return the parameters of one video: sampled around the given or default ones, in range."""
    sampled = {}
    for name, default in KINDS[kind][1].items():
        centre = given.get(name, default)
        reach = 90 if name == "direction" else centre
        value = float(np.clip(centre + jitter * reach * generator.uniform(-1, 1), *_RANGES[name]))
        # A parameter whose default is an int stays whole.
        sampled[name] = round(value) if isinstance(default, int) else value
    return sampled


def _check_mapping(what: str, given: Any) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise _errors.invalid_parameter(what, "be a mapping", given)
    return given


def _check_known(what: str, name: str, known: Collection[str]) -> None:
    if name not in known:
        raise _errors.unknown_name(what, name, known)


def _check_number(what: str, value: Any, default: float, lowest: float, highest: float) -> None:
    """Raise unless `value` is a number in the range, and a whole one if the default is."""
    sort, words = (Integral, "a whole number") if isinstance(default, int) else (Real, "a number")
    if not (isinstance(value, sort) and lowest <= float(value) <= highest and value != inf):
        rule = f"{lowest} or more" if highest == inf else f"from {lowest} to {highest}"
        raise ValueError(f"{what} must be {words} {rule}; got {value!r}. The default is {default}.")
