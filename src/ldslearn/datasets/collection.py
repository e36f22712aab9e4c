"""The value every reader returns: sequences, labels, and where they came from."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldslearn import _errors
from ldslearn.sequences import NamedSequences, as_collection


@dataclass(frozen=True)
class Collection:
    """Labelled sequences and what is known about them.

    Parameters
    ----------
    X : list of (n_channels, n_timepoints) arrays
    y : (N,) array of str, optional
        Labels.
    split : (N,) array of str, optional
        The part each sequence belongs to: "train" and "test", or the number of a repetition or set.
    groups : (N,) array of str, optional
        Who or what was recorded; sequences of one group belong on one side of a split.
    names : tuple of str, optional
        What messages call each sequence, as a rule its file; "sequence 0", ... when not given.
    frame_shape : tuple of int, optional
        (height, width) or (height, width, n_colours) when channels are pixels.
    preprocessing : dict, optional
        What was done to the files, as arguments of the reader, so that new files can be treated
        alike. Plain values that JSON can hold.
    skipped : tuple of (str, str), optional
        Name and reason of what could not be read and was left out.
    """

    X: list[NDArray[Any]]
    y: NDArray[np.str_] | None = None
    split: NDArray[np.str_] | None = None
    groups: NDArray[np.str_] | None = None
    names: tuple[str, ...] = ()
    frame_shape: tuple[int, ...] | None = None
    preprocessing: dict[str, Any] = field(default_factory=dict)
    skipped: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        names = tuple(map(str, self.names))
        if names and len(names) != len(self.X):
            raise _errors.invalid(
                "names", f"name {len(self.X)} sequences", f"{len(names)} names", ""
            )
        members = list(self.X)
        sequences = as_collection(NamedSequences(members, names) if names else members)
        object.__setattr__(self, "X", sequences)
        for name in ("y", "split", "groups"):
            values = getattr(self, name)
            if values is not None:
                object.__setattr__(self, name, _as_texts(name, values, len(sequences)))
        names = names or tuple(f"sequence {i}" for i in range(len(sequences)))
        object.__setattr__(self, "names", names)
        if self.frame_shape is not None:
            shape = tuple(int(length) for length in self.frame_shape)
            if not shape or np.prod(shape) != len(sequences[0]):
                raise _errors.invalid(
                    "frame_shape", f"have {len(sequences[0])} pixels, one a channel", shape, ""
                )
            object.__setattr__(self, "frame_shape", shape)

    def __len__(self) -> int:
        return len(self.X)

    def __getitem__(self, index: Any) -> "Collection":
        """Return the part of a slice, mask or index array."""
        chosen = np.arange(len(self))[index]
        if chosen.ndim == 0:
            chosen = chosen[None]
        part: dict[str, Any] = {
            name: None if getattr(self, name) is None else getattr(self, name)[chosen]
            for name in ("y", "split", "groups")
        }
        return replace(
            self,
            X=[self.X[i] for i in chosen],
            names=tuple(self.names[i] for i in chosen),
            **part,
        )

    @property
    def classes(self) -> list[str]:
        """The labels that occur, in order."""
        return [] if self.y is None else [str(label) for label in np.unique(self.y)]


def _as_texts(name: str, values: ArrayLike, n_sequences: int) -> NDArray[np.str_]:
    texts = np.asarray(values)
    if texts.shape != (n_sequences,):
        raise _errors.invalid(
            name, f"have one entry for each of {n_sequences} sequences", f"shape {texts.shape}", ""
        )
    return texts.astype(np.str_)
