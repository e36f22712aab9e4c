"""What a page of search results shows: queries and their neighbours, as films or lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ldslearn._reprs import summarize_fields
from ldslearn._types import Bytes, Floats
from ldslearn.datasets.collection import Collection
from ldslearn.diagnostics.clips import N_FRAMES, make_film
from ldslearn.diagnostics.mistakes import reduce_channels
from ldslearn.models import LDS
from ldslearn.models.synthesis import sample_sequence

_SAMPLES = 100  # time points of a sequence that is simulated, where there are no frames


@dataclass(frozen=True)
class Picture:
    """A sequence, as a film or as lines.

    Attributes
    ----------
    frames : (n_frames, height, width) array of uint8, or None
    times, lines : arrays or None
        Of a sequence without frames.
    n_timepoints : int
    is_simulated : bool
        Whether the sequence was simulated by its system, as its file is not at hand.
    """

    frames: Bytes | None
    times: Floats | None
    lines: Floats | None
    n_timepoints: int
    is_simulated: bool

    __repr__ = summarize_fields


def picture_sequence(
    sequence: Floats, frame_shape: tuple[int, ...] | None, n_films: int, *, is_simulated: bool
) -> Picture:
    """Return a sequence as a film, or as lines if it has no frames."""
    n_timepoints = sequence.shape[1]
    if frame_shape is not None:
        film = make_film(sequence, frame_shape, n_films)
        return Picture(film, None, None, n_timepoints, is_simulated)
    times, lines = reduce_channels(sequence, sequence.std(axis=1))
    return Picture(None, times, lines, n_timepoints, is_simulated)


def picture_neighbours(
    systems: LDS,
    names: Sequence[str | None],
    known: Mapping[str, Floats],
    frame_shape: tuple[int, ...] | None,
    n_films: int,
    seed: int = 0,
) -> list[Picture | None]:
    """Return a picture of each system: of its file if it is known, or else simulated.

    None for systems that cannot be simulated, without B or x0.
    """
    found: list[Picture | None] = []
    length = _SAMPLES if frame_shape is None else N_FRAMES
    for index, name in enumerate(names):
        system = systems[index].window(0)
        one: Picture | None = None
        if name is not None and name in known:
            one = picture_sequence(known[name], frame_shape, n_films, is_simulated=False)
        elif system.B is not None and system.x0 is not None:
            sequence = sample_sequence(system, length, seed)
            one = picture_sequence(sequence, frame_shape, n_films, is_simulated=True)
        found.append(one)
    return found


def list_sequences(data: Collection) -> dict[str, Floats]:
    """Return the sequences of a collection by name."""
    return dict(zip(data.names, data.X, strict=True))
