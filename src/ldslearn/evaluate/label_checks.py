"""Checks that a collection has labels, and enough sequences of each class."""

from collections.abc import Sequence

from ldslearn import _errors
from ldslearn.datasets.collection import Collection


def too_few_of_class(label: str, count: int, others: int, folds: int) -> ValueError:
    """Return the error for a class that is too small for folds."""
    also = f" and of {others} more {'class' if others == 1 else 'classes'}" * bool(others)
    if count < 2:
        return _errors.invalid(
            "every class", "have at least 2 items, one to train on and one to test",
            f"{count} of class {label!r}{also}",
            "Add items, or omit the class.",
        )  # fmt: skip
    return _errors.invalid(
        "every class",
        f"have at least {folds} items for {folds} folds",
        f"{count} of class {label!r}{also}",
        f"Use at most {count} folds (--folds {count}), or add items.",
    )


def no_labels(names: Sequence[str]) -> ValueError:
    """Return the error about items without labels, where labels are needed."""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return _errors.invalid(
        "the collection", "have labels", f"none for {names[0]}{more}",
        "Move the items of each class into a folder of its own, or write a CSV file with the line "
        f"'item,label' and lines such as '{names[0]},LABEL', and name it by --labels FILE "
        "(labels='FILE' in Python).",
    )  # fmt: skip


def check_two_classes(data: Collection) -> None:
    """Raise unless a collection with labels has two classes or more."""
    if len(data.classes) < 2:
        raise _errors.invalid(
            "the collection", "hold at least two classes",
            f"{len(data)} items of the one class {data.classes[0]!r}",
            "Add items of another class. To group items without labels, use `ldslearn cluster` or "
            "LDSKMeans.",
        )  # fmt: skip
