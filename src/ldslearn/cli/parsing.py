"""Texts of options as values."""

from typing import Any

from ldslearn import _errors


def parse_size(text: str) -> Any:
    """Return ``48x64``, ``auto`` or ``keep`` as the reader's size."""
    if text in ("auto", "keep"):
        return None if text == "keep" else "auto"
    return _parse_numbers("--size", text, "x", 2, "HEIGHTxWIDTH, auto or keep")


def parse_crop(text: str | None) -> Any:
    """Return ``TOP,LEFT,HEIGHT,WIDTH`` as numbers, or ``motion``."""
    if text in (None, "motion"):
        return text
    return _parse_numbers("--crop", text, ",", 4, "TOP,LEFT,HEIGHT,WIDTH or motion")


def parse_columns(text: str | None) -> tuple[str, ...] | None:
    """Return the names in ``A,B,C``."""
    names = None if text is None else tuple(name.strip() for name in text.split(","))
    if names is not None and not all(names):
        raise _errors.invalid_parameter("--columns", "be names separated by commas", text)
    return names


def parse_number_or(
    name: str, text: str | None, word: str | None, low: float, high: float | None
) -> float | str | None:
    """Return a number from `low` to `high` (None: any above `low`), or the word allowed, if any."""
    if text is None or text == word:
        return text
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    is_inside = low <= number <= high if high is not None else low < number < float("inf")
    if not is_inside:
        rule = f"a number from {low:g} to {high:g}" if high is not None else "a positive number"
        words = "" if word is None else f", or {word}"
        raise _errors.invalid(name, f"be {rule}{words}", repr(text), "")
    return number


def parse_count_or(name: str, text: str | None, word: str) -> Any:
    """Return an integer of at least 1, or the word that is allowed; None stays None."""
    if text is None or text == word:
        return text
    if not text.isdecimal() or int(text) < 1:
        raise _errors.invalid(name, f"be an integer of at least 1, or {word}", repr(text), "")
    return int(text)


def _parse_numbers(name: str, text: str, between: str, count: int, rule: str) -> tuple[int, ...]:
    parts = text.lower().split(between)
    if len(parts) != count or not all(part.strip().isdecimal() for part in parts):
        raise _errors.invalid_parameter(name, f"be {rule}", text)
    numbers = tuple(int(part) for part in parts)
    if min(numbers[-2:]) < 1:
        raise _errors.invalid_parameter(name, "have a height and width of at least 1", text)
    return numbers
