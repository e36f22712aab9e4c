"""The value that every reader returns: sequences, labels, and their origin."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldslearn import _errors
from ldslearn._types import Floats
from ldslearn.datasets.collection_html import describe_collection, render_collection
from ldslearn.sequences import as_collection
from ldslearn.sequences.named import NamedSequences

UNUSED = "unused"  # the split of a sequence that is in neither training nor test data


@dataclass(frozen=True)
class Collection:
    """Labelled sequences and what is known about them.

    Indexing by a slice, mask or index array returns the collection of these sequences.

    Parameters
    ----------
    X : list of (n_channels, n_timepoints) arrays
    y : (N,) array of str, optional
        Labels.
    split : (N,) array of str, optional
        "train" and "test", or the number of a repetition or set. Sequences of the split "unused"
        are in neither training nor test data.
    groups : (N,) array of str, optional
        Who or what was recorded; sequences of one group belong on one side of a split.
    names : tuple of str, optional
        Name of each sequence in messages, as a rule its file; "sequence 0", ... when not given.
    frame_shape : tuple of int, optional
        (height, width) or (height, width, n_colours) when channels are pixels.
    preprocessing : dict, optional
        Settings of the reader, so that new files can be read the same way. Plain values that JSON
        can hold.
    skipped : tuple of (str, str), optional
        Name and reason of each item that could not be read.
    channel_names : tuple of str, optional
        What each channel is.
    rates : (N,) array, optional
        Time points per second of each sequence, NaN where unknown; None if all are unknown.
    notes : tuple of str, optional
        What the reader decided, one line each, such as the time column.
    trials : (N, n_trials) array of str, optional
        The split of each sequence in every trial that was published with the data: "train", "test"
        or "unused".
    gaps : bool, default=False
        Whether NaN is accepted, as a missing sample.

    Attributes
    ----------
    classes : list of str
        The distinct labels, sorted.

    Examples
    --------
    >>> from ldslearn.datasets import Collection, load_basic_motions
    >>> X_train, y_train, _, _ = load_basic_motions()
    >>> data = Collection(list(X_train), y_train)
    >>> len(data), data.classes
    (40, ['Badminton', 'Running', 'Standing', 'Walking'])
    >>> walking = data[data.y == "Walking"]
    >>> len(walking), walking.names[0]
    (10, 'sequence 20')
    """

    X: list[NDArray[Any]]
    y: NDArray[np.str_] | None = None
    split: NDArray[np.str_] | None = None
    groups: NDArray[np.str_] | None = None
    names: tuple[str, ...] = ()
    frame_shape: tuple[int, ...] | None = None
    preprocessing: dict[str, Any] = field(default_factory=dict)
    skipped: tuple[tuple[str, str], ...] = ()
    channel_names: tuple[str, ...] | None = None
    rates: Floats | None = None
    notes: tuple[str, ...] = ()
    trials: NDArray[np.str_] | None = None
    gaps: bool = False

    def __post_init__(self) -> None:
        names = tuple(map(str, self.names))
        if names and len(names) != len(self.X):
            raise _errors.invalid(
                "names", f"name {len(self.X)} sequences", f"{len(names)} names", ""
            )
        members = list(self.X)
        sequences = as_collection(
            NamedSequences(members, names) if names else members, allow_gaps=self.gaps
        )
        object.__setattr__(self, "X", sequences)
        for name in ("y", "split", "groups"):
            values = getattr(self, name)
            if values is not None:
                object.__setattr__(self, name, _check_texts(name, values, len(sequences)))
        if self.trials is not None:
            object.__setattr__(self, "trials", _check_trials(self.trials, len(sequences)))
        names = names or tuple(f"sequence {i}" for i in range(len(sequences)))
        object.__setattr__(self, "names", names)
        if self.channel_names is not None:
            channels = tuple(map(str, self.channel_names))
            if len(channels) != len(sequences[0]):
                raise _errors.invalid(
                    "channel_names", f"name {len(sequences[0])} channels", f"{len(channels)} names",
                    "",
                )  # fmt: skip
            object.__setattr__(self, "channel_names", channels)
        if self.rates is not None:
            object.__setattr__(self, "rates", _check_rates(self.rates, len(sequences)))
        if self.frame_shape is not None:
            shape = tuple(int(length) for length in self.frame_shape)
            if not shape or np.prod(shape) != len(sequences[0]):
                raise _errors.invalid(
                    "frame_shape", f"have {len(sequences[0])} pixels, one per channel", shape, ""
                )
            object.__setattr__(self, "frame_shape", shape)

    def __len__(self) -> int:
        return len(self.X)

    def __repr__(self) -> str:
        return describe_collection(self)

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return render_collection(self)

    def __getitem__(self, index: Any) -> "Collection":
        """Return the part of a slice, mask or index array."""
        chosen = np.arange(len(self))[index]
        if chosen.ndim == 0:
            chosen = chosen[None]
        part: dict[str, Any] = {
            name: None if getattr(self, name) is None else getattr(self, name)[chosen]
            for name in ("y", "split", "groups", "rates", "trials")
        }
        return replace(
            self,
            X=[self.X[i] for i in chosen],
            names=tuple(self.names[i] for i in chosen),
            **part,
        )

    @property
    def classes(self) -> list[str]:
        """The distinct labels, sorted."""
        return [] if self.y is None else [str(label) for label in np.unique(self.y)]


def _check_rates(rates: ArrayLike, n_sequences: int) -> Floats | None:
    values = np.asarray(rates, dtype=np.float64)
    if values.shape != (n_sequences,):
        raise _errors.invalid(
            "rates", f"have one entry for each of {n_sequences} sequences",
            f"shape {values.shape}", "",
        )  # fmt: skip
    wrong = values[~((values > 0) & np.isfinite(values) | np.isnan(values))]
    if len(wrong):
        raise _errors.invalid("rates", "be positive, or NaN where not known", wrong[0], "")
    return None if np.isnan(values).all() else values


def _check_trials(values: ArrayLike, n_sequences: int) -> NDArray[np.str_]:
    trials = np.asarray(values).astype(np.str_)
    if trials.ndim != 2 or len(trials) != n_sequences or not trials.shape[1]:
        raise _errors.invalid(
            "trials", f"have one row for each of {n_sequences} sequences and a column for each "
            "trial", f"shape {trials.shape}", "",
        )  # fmt: skip
    wrong = np.setdiff1d(trials, ("train", "test", UNUSED))
    if len(wrong):
        raise _errors.invalid("trials", f"hold train, test and {UNUSED}", repr(str(wrong[0])), "")
    return trials


def _check_texts(name: str, values: ArrayLike, n_sequences: int) -> NDArray[np.str_]:
    texts = np.asarray(values)
    if texts.shape != (n_sequences,):
        raise _errors.invalid(
            name, f"have one entry for each of {n_sequences} sequences", f"shape {texts.shape}", ""
        )
    return texts.astype(np.str_)
