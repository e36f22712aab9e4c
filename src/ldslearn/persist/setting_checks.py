"""Whether data were read and encoded with the settings of a model."""

from typing import Any

from ldslearn import _errors


def check_settings(mine: dict[str, Any], theirs: dict[str, Any], whose: str) -> None:
    """Raise unless a store or a collection was made with the settings of a model."""
    for name, got in theirs.items():
        expected, found = (
            list(value) if isinstance(value, tuple) else value for value in (mine.get(name), got)
        )
        if found != expected:
            raise _unlike_model(name, whose, found, expected)


def _unlike_model(name: str, whose: str, got: object, expected: object) -> ValueError:
    """Return the error about a store or collection made in another way than the training data."""
    remedies = {
        "store": "Encode the files as the model does: ldslearn encode --like MODEL.",
        "collection": "Predict from the files: the model reads them as those of training.",
    }
    return _errors.invalid(
        f"{name} of the {whose}",
        f"be {expected!r}, as the model was trained with",
        repr(got),
        remedies[whose],
    )
