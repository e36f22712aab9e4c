"""How the tables of a collection are read: one column of time and one order of channels for all."""

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ldslearn.datasets.channels import TRAINING
from ldslearn.datasets.formats.table import Table, read_table
from ldslearn.datasets.formats.time_columns import NONE
from ldslearn.datasets.items import Reading, is_table

if TYPE_CHECKING:
    from ldslearn.datasets.gathering import Item

_PROBES = 5  # tables that are looked at before all are read


def settle_reading(items: Sequence["Item"], reading: Reading) -> tuple[Reading, str]:
    """Return a reading that recognises the same columns in all tables, and whose they are like.

    Some tables, from the first to the last, are looked at. A column is time if it is in half of
    them or more; if all have one, but call it differently, each is read by its own names. Channels
    have the names, and the order, of the first one. What cannot be read is
    passed over: whoever reads it says what is wrong.
    """
    like = TRAINING
    if reading.transpose or not (tables := [item for item in items if is_table(item.source)]):
        return reading, like
    count = min(_PROBES, len(tables))
    chosen = {round(i * (len(tables) - 1) / max(1, count - 1)) for i in range(count)}
    probes: list[tuple[str, Table]] = []
    for index in sorted(chosen):
        try:
            table = read_table(tables[index].source, reading.time, reading.columns)
        except (ValueError, OSError):
            continue
        probes.append((tables[index].name, table))
    if not probes:
        return reading, like
    if reading.channels is None and probes[0][1].names is not None:
        like = probes[0][0]
        reading = replace(reading, channels=probes[0][1].names)
    if reading.time is None:
        reading = replace(reading, time=_vote(probes))
    return reading, like


def _vote(probes: Sequence[tuple[str, Table]]) -> str | None:
    """The column of time of most tables; None if all have one, under several names."""
    found = [NONE if table.clock is None else table.clock.reference for _, table in probes]
    times = Counter(reference for reference in found if reference != NONE)
    if len(times) > 1 and NONE not in found and all(table.names for _, table in probes):
        return None
    if times:
        reference, votes = times.most_common(1)[0]
        if 2 * votes >= len(probes):
            return reference
        name = probes[found.index(reference)][0]
        other = next(name for (name, _), one in zip(probes, found, strict=True) if one == NONE)
        reason = f"column {reference} of {name} looks like time, and that of {other} does not"
        warnings.warn(_time_or_channel(reason, reference), stacklevel=5)
    elif all(table.doubt for _, table in probes):
        name, table = probes[0]
        column = "1" if table.names is None else (table.doubt or "").split("'")[1]
        reason = f"{table.doubt} in {name}"
        warnings.warn(_time_or_channel(reason, column), stacklevel=5)
    return NONE


def _time_or_channel(reason: str, column: str) -> str:
    """Warning about a column that may be time."""
    return (
        f"{reason}: it is read as a channel. If it is time give time={column!r}, --time {column}; "
        "if it is none, time='none', --time none."
    )
