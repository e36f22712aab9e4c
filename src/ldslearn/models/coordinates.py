"""The same systems in other state coordinates, x -> P'x with P orthogonal (Sec. 4.3)."""

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._types import Floats
from ldslearn.models.fields import ORTHONORMAL_TOLERANCE


def check_orthogonal(P: Floats, n_systems: int, n_states: int) -> None:
    """Raise unless P is one orthogonal matrix, or one per system."""
    got = f"shape {P.shape}"
    if P.shape in ((n_states, n_states), (n_systems, n_states, n_states)):
        deviation = np.abs(np.swapaxes(P, -1, -2) @ P - np.eye(n_states)).max(initial=0.0)
        if deviation <= ORTHONORMAL_TOLERANCE:
            return
        got = f"P'P off I by {deviation:.2g}"
    raise _errors.invalid(
        "P", f"be orthogonal of size {n_states}", got, "numpy.linalg.qr makes one."
    )


def change_coordinates(arrays: dict[str, Floats], P: Floats) -> dict[str, Floats]:
    """Return the fields of systems after the change, (P'AP, CP, ...)."""
    Pt = np.swapaxes(P, -1, -2)
    changed = {**arrays, "A": Pt @ arrays["A"] @ P, "C": arrays["C"] @ P}
    if "B" in arrays:
        changed["B"] = Pt @ arrays["B"]
    if "x0" in arrays:
        changed["x0"] = (Pt @ arrays["x0"][..., None])[..., 0]
    return changed


def are_equivalent(
    first: dict[str, Floats], second: dict[str, Floats], atol: float
) -> NDArray[np.bool_]:
    """Return which systems are equal up to a change of coordinates, in the fields of both, (N,).

    B is compared by BB', on which the distribution of the process depends.
    """
    P = np.swapaxes(first["C"], 1, 2) @ second["C"]  # if C2 = C1 P at all, then P = C1'C2
    changed = change_coordinates(first, P)
    pairs = [(np.swapaxes(P, 1, 2) @ P, np.broadcast_to(np.eye(P.shape[-1]), P.shape))]
    for name in first.keys() & second.keys():
        mine, theirs = changed[name], second[name]
        if name == "B":
            mine, theirs = (B @ np.swapaxes(B, 1, 2) for B in (mine, theirs))
        pairs.append((mine, theirs))
    same = np.ones(len(P), dtype=bool)
    for mine, theirs in pairs:
        entries = tuple(range(1, theirs.ndim))
        scale = 1.0 + np.abs(theirs).max(axis=entries)
        same &= np.abs(mine - theirs).max(axis=entries) <= atol * scale
    return same
