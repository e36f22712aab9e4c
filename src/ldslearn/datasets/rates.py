"""Rates of sequences: compared, with warnings where they differ, and described in one line."""

import math
import warnings
from collections.abc import Sequence

import numpy as np

from ldslearn import _errors
from ldslearn._types import Floats
from ldslearn.datasets.channels import describe_channels

_SAME = 1.05  # rates of a smaller ratio are those of one sensor


def warn_of_mixed_rates(names: Sequence[str], rates: Floats | None) -> None:
    """Warn once if the rates that are known differ by more than 5 %."""
    groups = _group_rates(names, rates)
    if len(groups) > 1:
        texts = [f"{rate:.4g} Hz ({_errors.list_some(members, 1)})" for rate, members in groups]
        found = _errors.list_some(texts) + (" rates" if len(texts) > 5 else "")
        lowest = f"{groups[0][0]:.4g}"
        warnings.warn(
            f"sequences must have one rate to be compared; got {found}. To resample them, "
            f"pass rate={lowest} (Python) or --rate {lowest} (command line).",
            stacklevel=4,
        )


def has_mixed_rates(rates: Floats | None) -> bool:
    """Whether the rates that are known differ by more than 5 %."""
    return rates is not None and len(_group_rates([""] * len(rates), rates)) > 1


def _group_rates(names: Sequence[str], rates: Floats | None) -> list[tuple[float, list[str]]]:
    """Return the lowest rate of each group of similar ones, with the names of its members."""
    groups: list[tuple[float, list[str]]] = []
    for index in [] if rates is None else np.argsort(rates, kind="stable"):
        assert rates is not None
        if math.isnan(rates[index]):
            continue
        if not groups or rates[index] > _SAME * groups[-1][0]:
            groups.append((float(rates[index]), []))
        groups[-1][1].append(names[index])
    return groups


def warn_of_other_rates(
    names: Sequence[str], rates: Floats | None, known: Sequence[float] | None
) -> None:
    """Warn once if a rate is not within 5 % of the lowest and highest of the training data."""
    if rates is None or not known:
        return
    other = np.flatnonzero((rates * _SAME < known[0]) | (rates > _SAME * known[-1]))
    if len(other):
        more = f" (and {len(other) - 1} more)" if len(other) > 1 else ""
        low, high = f"{known[0]:.4g}", f"{known[-1]:.4g}"
        rule = f"{low} Hz" if low == high else f"{low} to {high} Hz"
        warnings.warn(
            f"{names[other[0]]}{more} must have the rate of the training data, {rule}; got "
            f"{rates[other[0]]:.4g} Hz. Labels may be wrong. A model trained with rate={low}, "
            f"--rate {low} resamples new files itself.",
            stacklevel=3,
        )


def warn_of_unchecked_rates(rates: Floats | None) -> None:
    """Warn if rates are known, for a model that does not store those of its training data."""
    if described := describe_rates(rates):
        warnings.warn(
            f"the model must store how its training files were read; got a file of ldslearn.save, "
            f"which does not. The files have {described}, and are not resampled: labels may be "
            "wrong if the training data had another rate. Train the model by `ldslearn train` or "
            "ldslearn.evaluate.train.",
            stacklevel=3,
        )


def describe_rates(rates: Floats | None) -> str:
    """Return ``50 Hz``, ``25 to 50 Hz``, or an empty text where no rate is known."""
    known = [] if rates is None else [rate for rate in rates if not math.isnan(rate)]
    if not known:
        return ""
    low, high = min(known), max(known)
    if high <= _SAME * low:
        return f"{np.median(known):.4g} Hz"
    return f"{low:.4g} to {high:.4g} Hz"


def as_rates(rates: Sequence[float | None]) -> Floats | None:
    """Return rates as an array, NaN where one is None; None if all are."""
    if all(rate is None for rate in rates):
        return None
    return np.array([np.nan if rate is None else rate for rate in rates], dtype=np.float64)


def parse_rates(texts: Sequence[str] | None) -> Floats | None:
    """Return the rates that a store keeps as texts; None where none is known."""
    rates = np.array([] if texts is None else list(texts), dtype=np.float64)
    return None if np.isnan(rates).all() else rates


def describe_time(
    column: str, n_files: int, rates: Floats | None, unused: Sequence[str],
    channels: Sequence[str] | None, n_channels: int,
) -> str:  # fmt: skip
    """Return one line about the columns that were read as time and as channels.

    `unused` are further time columns, which were omitted.
    """
    called = " and ".join(
        f"column {one}" if one.isdecimal() else f"column {one!r}" for one in column.split(",")
    )
    files = "1 file" if n_files == 1 else f"{n_files} files"
    rate = describe_rates(rates) or "no unit of time"
    also = f" ({' and '.join(unused)} omitted)" if unused else ""
    return f"time: {called} of {files}, {rate}{also}; {describe_channels(channels, n_channels)}"
