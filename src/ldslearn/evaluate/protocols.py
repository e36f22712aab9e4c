"""Protocols as data: how a collection is split into training and test sequences."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import LeaveOneGroupOut, StratifiedShuffleSplit

from ldslearn import _errors
from ldslearn._types import Indices
from ldslearn.classify.folds import cut_folds
from ldslearn.datasets.collection import UNUSED, Collection
from ldslearn.evaluate.label_checks import check_two_classes, no_labels, too_few_of_class

Split = tuple[Indices, Indices]

KINDS = ("folds", "shuffle", "split", "trials", "groups")
_DRAWS = 8  # with more, the best would be the same in every round


@dataclass(frozen=True)
class Protocol:
    """A way to split a collection into training and test sequences.

    Attributes
    ----------
    kind : {"folds", "shuffle", "split", "trials", "groups"}
    repeats : int, default=1
        Number of folds or of shuffles.
    test_size : float, default=0.1
        Fraction of each class that is tested, for shuffles.
    test : str, default="test"
        Value of ``Collection.split`` that is tested; "each" tests every value in turn.
    ignore_groups : bool, default=False
        Whether folds and shuffles may split a group. They keep it on one side unless a protocol of
        the paper says otherwise.

    See Also
    --------
    ldslearn.evaluate.parse_protocol : Reads one from text.

    Examples
    --------
    >>> from ldslearn.datasets import Collection, make_lds_sequences
    >>> from ldslearn.evaluate import Protocol
    >>> data = Collection(*make_lds_sequences(2, 5, random_state=0))
    >>> protocol = Protocol("folds", 5)
    >>> [len(test) for train, test in protocol.splits(data)]
    [2, 2, 2, 2, 2]
    >>> print(protocol)
    folds:5
    """

    kind: str
    repeats: int = 1
    test_size: float = 0.1
    test: str = "test"
    ignore_groups: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise _errors.unknown_name("kind", self.kind, KINDS)

    def splits(self, data: Collection, seed: int = 0) -> list[Split]:
        """Return training and test indices of every round; the same ones for the same seed.

        Where groups are known, folds and shuffles keep each of them on one side, unless
        `ignore_groups` is set. Sequences whose part is "unused" are in neither. Trials have lists
        of their own.

        Parameters
        ----------
        data : Collection
            With labels.
        seed : int, default=0

        Returns
        -------
        list of (train, test)
            Each an array of indices of `data`.
        """
        if data.y is None:
            raise no_labels(data.names)
        used = np.arange(len(data)) if self.kind == "trials" else _find_used(data)
        if len(used) < len(data):
            parts = self.splits(data[used], seed)
            return [(used[train], used[test]) for train, test in parts]
        check_two_classes(data)
        indices = np.arange(len(data))
        if self.kind == "split":
            return self._read_split(data)
        if self.kind == "trials":
            return _read_trials(data)
        groups = None if self.ignore_groups else _find_groups(data)
        if self.kind == "groups":
            if groups is None:
                raise _errors.invalid(
                    "the collection", "have at least two groups", "fewer",
                    "Name them in a column 'group' of a manifest or of --labels FILE, or by "
                    "folders: --levels group/class/item.",
                )  # fmt: skip
            return list(LeaveOneGroupOut().split(indices, data.y, groups))
        if groups is not None:
            return self._split_groups(data.y, groups, seed)
        labels, counts = np.unique(data.y, return_counts=True)
        smallest, count = str(labels[counts.argmin()]), int(counts.min())
        needed = self.repeats if self.kind == "folds" else 2
        if count < needed:
            others = int(np.sum(counts == count)) - 1
            raise too_few_of_class(smallest, count, others, needed)
        if self.kind == "folds":
            return cut_folds(data.y, None, self.repeats, seed)
        tested, n_classes = int(np.ceil(self.test_size * len(data))), len(data.classes)
        if not n_classes <= tested <= len(data) - n_classes:
            raise _errors.invalid(
                f"a fraction of {self.test_size:g}",
                f"test {n_classes} sequences, one per class, and leave as many to train on",
                f"{tested} to test of {len(data)}", "Use another fraction.",
            )  # fmt: skip
        shuffle = StratifiedShuffleSplit(self.repeats, test_size=self.test_size, random_state=seed)
        return list(shuffle.split(indices, data.y))

    def _split_groups(
        self, y: NDArray[np.str_], groups: NDArray[np.str_], seed: int
    ) -> list[Split]:
        """Return folds, or random splits, that keep groups whole."""
        n_groups = len(np.unique(groups))
        most_of_a_class = int(np.unique(y, return_counts=True)[1].max())
        folds = self.kind == "folds"
        needed = self.repeats if folds else round(1 / min(self.test_size, 1 - self.test_size))
        if n_groups < needed or (folds and most_of_a_class < needed):
            raise _errors.invalid(
                "the collection", f"have at least {needed} groups for {self}", n_groups,
                f"Use at most {n_groups} folds, or a fraction closer to 0.5."
                if n_groups > 1 else "Use a fraction closer to 0.5.",
            )  # fmt: skip
        if folds:
            return cut_folds(y, groups, self.repeats, seed)
        rounds = [np.random.default_rng((seed, number)) for number in range(self.repeats)]
        return [_draw_groups(y, groups, self.test_size, random) for random in rounds]

    def _read_split(self, data: Collection) -> list[Split]:
        if data.split is None:
            raise _errors.invalid(
                "the collection", "have a train/test split", "none",
                "Use folds:5, or a manifest with a column 'split'.",
            )  # fmt: skip
        parts = [str(part) for part in np.unique(data.split)]
        tested = parts if self.test == "each" else [self.test]
        if self.test != "each" and self.test not in parts:
            raise _errors.invalid(
                "the part to test", f"be one of {', '.join(parts)}, or each", repr(self.test),
                f"Write split:{parts[-1]}, for example.",
            )  # fmt: skip
        if len(parts) < 2:
            raise _errors.invalid("split", "have at least two values", parts, "")
        return [
            (np.flatnonzero(data.split != part), np.flatnonzero(data.split == part))
            for part in tested
        ]

    def __str__(self) -> str:
        text = {
            "folds": f"folds:{self.repeats}",
            "shuffle": f"shuffle:{self.repeats}:{self.test_size:g}",
            "split": "split" if self.test == "test" else f"split:{self.test}",
        }.get(self.kind, self.kind)
        return f"{text}, groups ignored" if self.ignore_groups else text


def choose_protocol(data: Collection) -> Protocol:
    """Return the trials or the split of the data, if it names a test part; else folds."""
    if data.trials is not None:
        return Protocol("trials")
    if data.split is not None and {"train", "test"} <= set(data.split):
        return Protocol("split")
    return choose_folds(data)


def choose_folds(data: Collection) -> Protocol:
    """Return five folds, or as many as the smallest class has sequences, or groups."""
    if data.y is None:
        return Protocol("folds", 5)
    data = data[_find_used(data)]
    assert data.y is not None
    count = _find_smallest_class(data.y)[1]
    groups = _find_groups(data)
    if groups is not None:
        count = min(len(np.unique(groups[data.y == label])) for label in data.classes)
        count = max(2, count)  # a class of one group is never trained on when it is tested
    return Protocol("folds", max(2, min(5, count)))


def choose_inner_folds(data: Collection, outer: Protocol) -> Protocol:
    """Return how to split a training part as the protocol does: by its own parts, or by folds."""
    parts = set() if data.split is None else set(data.split) - {UNUSED}
    if outer.kind == "split" and len(parts) > 1:
        return Protocol("split", test="each")
    return choose_folds(data)


def _read_trials(data: Collection) -> list[Split]:
    """Return training and test part of every trial; sequences it does not use are in neither."""
    if data.trials is None:
        raise _errors.invalid(
            "the collection", "have published trials, as UCSD has", "none",
            "Use split, if a column 'split' names the parts train and test, or folds:5.",
        )  # fmt: skip
    return [
        (np.flatnonzero(trial == "train"), np.flatnonzero(trial == "test"))
        for trial in data.trials.T
    ]


def _draw_groups(
    y: NDArray[np.str_], groups: NDArray[np.str_], fraction: float, random: np.random.Generator
) -> Split:
    """Return a split that tests random groups with about this fraction of each class."""
    names, owners = np.unique(groups, return_inverse=True)
    classes, labels = np.unique(y, return_inverse=True)
    counts = np.zeros((len(names), len(classes)))
    np.add.at(counts, (owners, labels), 1)
    best, least = np.empty(0, np.intp), np.inf
    for _ in range(_DRAWS):
        order = random.permutation(len(names))
        sizes = counts[order].sum(axis=1).cumsum()[:-1]  # one group is left to train on
        drawn = order[: np.abs(sizes - fraction * len(y)).argmin() + 1]
        error = np.abs(counts[drawn].sum(axis=0) / counts.sum(axis=0) - fraction).sum()
        if error < least:
            best, least = drawn, error
    tested = np.isin(owners, best)
    return np.flatnonzero(~tested), np.flatnonzero(tested)


def _find_used(data: Collection) -> Indices:
    """Return the indices of the sequences whose part is not "unused"."""
    if data.split is None:
        return np.arange(len(data))
    used = np.flatnonzero(data.split != UNUSED)
    if not len(used):
        raise _errors.invalid(
            "split", "name a part to train on and one to test", f"{UNUSED!r} for every sequence", ""
        )
    return used


def _find_groups(data: Collection) -> NDArray[np.str_] | None:
    """Return the groups, None if there is at most one."""
    return None if data.groups is None or len(np.unique(data.groups)) < 2 else data.groups


def _find_smallest_class(y: NDArray[np.str_]) -> tuple[str, int]:
    labels, counts = np.unique(y, return_counts=True)
    return str(labels[counts.argmin()]), int(counts.min())
