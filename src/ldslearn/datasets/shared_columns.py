"""One time column and one order of channels for all tables of a collection."""

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ldslearn.datasets.channels import TRAINING
from ldslearn.datasets.formats.csv_table import CsvTable, read_table
from ldslearn.datasets.formats.time_columns import NONE
from ldslearn.datasets.items import Item, is_table
from ldslearn.datasets.reading_settings import ReadingSettings

_PROBES = 5  # tables that are inspected before all are read


def agree_on_columns(
    items: Sequence[Item], settings: ReadingSettings
) -> tuple[ReadingSettings, str]:
    """Return settings that recognise the same columns in all tables, and whose columns these are.

    A few tables, from the first to the last, are inspected. A column is time if it is time in at
    least half of them. If all have a time column under different names, each table is read by its
    own names. Channels have the names and the order of the first table. Tables that cannot be read
    are ignored here: reading them later raises.
    """
    reference_name = TRAINING
    if settings.transpose or not (tables := [item for item in items if is_table(item.source)]):
        return settings, reference_name
    count = min(_PROBES, len(tables))
    chosen = {round(i * (len(tables) - 1) / max(1, count - 1)) for i in range(count)}
    probes: list[tuple[str, CsvTable]] = []
    for index in sorted(chosen):
        try:
            table = read_table(
                tables[index].source, settings.time, settings.columns, gaps=settings.gaps
            )
        except (ValueError, OSError):
            continue
        probes.append((tables[index].name, table))
    if not probes:
        return settings, reference_name
    first, table = probes[0]
    if settings.channels is None and table.names is not None:
        reference_name = first
        settings = replace(settings, channels=table.names)
    if settings.time is None:
        settings = replace(settings, time=_choose_time(probes))
    return settings, reference_name


def _choose_time(probes: Sequence[tuple[str, CsvTable]]) -> str | None:
    """The time column of most tables; None if all have one, under several names."""
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
        _warn_of_doubt(reason, reference)
    elif all(table.doubt for _, table in probes):
        name, table = probes[0]
        column = "1" if table.names is None else (table.doubt or "").split("'")[1]
        _warn_of_doubt(f"{table.doubt} in {name}", column)
    return NONE


def _warn_of_doubt(reason: str, column: str) -> None:
    """Warn of a column that may be time, and is read as a channel."""
    warnings.warn(
        f"{reason}: it is read as a channel. If it is the time, pass time={column!r} (--time "
        f"{column}); if it is a channel, time='none' (--time none).",
        stacklevel=6,
    )
