"""What a notebook shows of a batch of systems."""

from collections.abc import Sequence

import numpy as np

from ldslearn._types import Indices
from ldslearn.drawing.card import count_nouns, format_card, format_range, list_first
from ldslearn.drawing.eigenvalues import draw_spectra
from ldslearn.drawing.sampling import space_evenly
from ldslearn.models.batch import SystemBatch
from ldslearn.models.spectrum import LARGEST_RADIUS

_MOST_POINTS = 160  # eigenvalues of the drawing
_MOST_WORK = 2e6  # systems times states cubed: eigenvalues in about a tenth of a second


def render_systems(systems: SystemBatch) -> str:
    """Return sizes, spectral radii and a drawing of eigenvalues as HTML."""
    n, n_states = len(systems.A), systems.n_states
    if systems.windows > 1:
        title = f"{count_nouns(len(systems), 'sequence')}, {systems.windows} systems each"
    else:
        title = count_nouns(n, "system")
    rows = [("channels", _describe_channels(systems)), ("states", f"{n_states:,}")]
    rows.append(("arrays", ", ".join(systems._arrays)))
    rows.append(("size", _format_bytes(systems.n_bytes)))
    if not n:
        return format_card(f"LDS: {title}", rows)
    examined = space_evenly(n, max(1, int(_MOST_WORK / n_states**3)))
    values = np.linalg.eigvals(systems.A[examined]) + 0j
    radii = np.abs(values).max(axis=1)
    part = "" if len(examined) == n else f" (of {len(examined):,} systems)"
    unstable = np.flatnonzero(radii >= LARGEST_RADIUS)
    rows += [
        ("spectral radius", _describe_radii(radii) + part),
        ("not stable", _describe_unstable(examined[unstable], len(examined), systems)),
    ]
    shown = space_evenly(len(values), max(1, _MOST_POINTS // n_states))
    drawing = draw_spectra([one.tolist() for one in values[shown, :_MOST_POINTS]], LARGEST_RADIUS)
    return format_card(f"LDS: {title}", rows, drawing, _caption(shown, n, n_states, radii))


def _describe_channels(systems: SystemBatch) -> str:
    if systems.delays == 1:
        return f"{systems.n_channels:,}"
    own = systems.n_channels // systems.delays
    return f"{systems.n_channels:,} ({count_nouns(own, 'channel')} x {systems.delays} delays)"


def _describe_radii(radii: Sequence[float]) -> str:
    text = format_range(float(np.min(radii)), float(np.max(radii)))
    return text if len(radii) == 1 else f"{text}, median {np.median(radii):.4g}"


def _describe_unstable(unstable: Indices, n: int, systems: SystemBatch) -> str:
    if not len(unstable):
        return "none"
    owners = np.unique(unstable // systems.windows).tolist()
    kind = "sequences" if systems.windows > 1 else "systems"
    return f"{len(unstable):,} of {n:,}: {kind} {list_first(owners)}"


def _caption(shown: Indices, n: int, n_states: int, radii: Sequence[float]) -> str:
    if n_states > _MOST_POINTS:
        text = f"The first {_MOST_POINTS} of {n_states:,} eigenvalues of one system."
    elif len(shown) < n:
        text = f"Eigenvalues of {len(shown):,} of {n:,} systems, colours by system."
    else:
        text = "Eigenvalues" + (", colours by system." if n > 1 else ".")
    circled = any(radii[i] >= LARGEST_RADIUS for i in shown)
    return text + (" Circled eigenvalues do not decay." if circled else "")


def _format_bytes(count: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"
