"""The arrays of a batch of systems: their shapes, and the rules they keep."""

from typing import Any

import numpy as np

from ldslearn import _errors
from ldslearn._types import Floats

ORTHONORMAL_TOLERANCE = 1e-6

# Shape of each field after the batch axis; n, m and k are fixed by A, C and B. The noise may also
# be given as one variance for all channels, as in files of the first releases; it is spread.
FIELD_SHAPES = {
    "A": ("n", "n"),
    "C": ("m", "n"),
    "B": ("n", "k"),
    "mean": ("m",),
    "x0": ("n",),
    "noise_variance": ("m",),
    "deviation": ("m",),
}


def check_fields(values: dict[str, Any]) -> dict[str, Floats]:
    """Return private read-only float64 copies of the fields that are not None.

    A single system may come without the batch axis.
    """
    single = np.ndim(values["A"]) == 2
    sizes: dict[str, int] = {}
    arrays = {}
    for name, value in values.items():
        if value is not None:
            arrays[name] = _check_field(name, value, single, sizes)
        elif name in "AC":
            raise _errors.invalid_parameter(name, "be an array", None)
    for name, rule, is_wrong in (
        ("deviation", "be positive", np.less_equal),
        ("noise_variance", "be non-negative", np.less),
    ):
        if name in arrays and is_wrong(arrays[name], 0.0).any():
            raise _errors.invalid_parameter(name, rule, float(arrays[name].min()))
    _check_orthonormal(arrays["C"])
    if "noise_variance" in arrays:
        arrays["noise_variance"] = spread_noise(arrays["noise_variance"], arrays["C"].shape[1])
    return arrays


def spread_noise(noise_variance: Floats, n_channels: int) -> Floats:
    """Return one read-only variance per channel, (N, n_channels), also of one for all channels."""
    if noise_variance.ndim == 1:
        noise_variance = np.repeat(noise_variance[:, None], n_channels, axis=1)
        noise_variance.flags.writeable = False
    return noise_variance


def _check_field(name: str, value: Any, single: bool, sizes: dict[str, int]) -> Floats:
    """Return a read-only float64 copy of one field, its shape agreeing with `sizes`."""
    try:
        given = np.asarray(value)
    except ValueError:
        raise _errors.InputTypeError(
            f"{name} must be an array; got {type(value).__name__}."
        ) from None
    if given.dtype.kind not in "fiub":
        raise _errors.InputTypeError(f"{name} must hold real numbers; got dtype {given.dtype}.")
    array = np.array(given, dtype=np.float64)
    if single:
        array = array[None]
    axes: tuple[str, ...] = ("N", *FIELD_SHAPES[name])
    if name == "noise_variance" and array.ndim == 1:
        axes = ("N",)
    expected = "(" + ", ".join(str(sizes.get(axis, axis)) for axis in axes) + ")"
    consistent = array.ndim == len(axes) and all(
        sizes.setdefault(axis, size) == size for axis, size in zip(axes, array.shape, strict=True)
    )
    if name == "C" and consistent and array.shape[1] < array.shape[2]:
        raise ValueError(f"C must have at least as many channels as states; got {array.shape[1:]}.")
    if not consistent or 0 in array.shape[1:]:
        raise ValueError(f"{name} must have shape {expected}; got {array.shape}.")
    if not np.isfinite(array).all():
        systems = np.flatnonzero(~np.isfinite(array).all(axis=tuple(range(1, array.ndim))))
        who = _errors.list_some(list(systems))
        raise ValueError(f"{name} must be finite; got NaN or infinity in system {who}.")
    array.flags.writeable = False
    return array


def _check_orthonormal(C: Floats) -> None:
    """Raise unless every C has orthonormal columns."""
    with np.errstate(over="ignore", invalid="ignore"):  # in damaged files
        deviation = np.abs(np.swapaxes(C, 1, 2) @ C - np.eye(C.shape[2]))
    worst = deviation.max(axis=(1, 2))
    bad = np.flatnonzero(~(worst <= ORTHONORMAL_TOLERANCE))
    if len(bad):
        raise _errors.invalid(
            "C",
            "have orthonormal columns",
            f"a deviation of {worst[bad[0]]:.2g} in system {_errors.list_some(list(bad))}",
            "With C = QR (numpy.linalg.qr) the system (R A R^-1, Q) is the same one.",
        )
