"""Records and tables on stdout."""

import json
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ldslearn.cli.terminal import remove_controls

_MOST_ROWS = 60
_MOST_NAMES = 12


def print_record(record: dict[str, Any], as_json: bool, *tables: Table | str) -> None:
    """Print a record as JSON, or the tables made of it."""
    if as_json:
        print(json.dumps(record, indent=2, allow_nan=False))
        return
    console = Console(soft_wrap=True)
    for table in tables:
        console.print(table, highlight=False)


def print_line(text: str) -> None:
    """Print one line, without markup and control characters."""
    Console(soft_wrap=True).print(escape_text(text), highlight=False)


def escape_text(text: str) -> str:
    """Return a text that is printed as it is: without markup and control characters."""
    return escape(remove_controls(text))


def tabulate_facts(title: str, rows: dict[str, Any]) -> Table:
    """Return a table of names and values; values that are None or empty are omitted."""
    table = Table(title=escape_text(title), title_justify="left", show_header=False)
    table.add_column(no_wrap=True)
    table.add_column()
    for name, value in rows.items():
        if value not in (None, "", [], {}, ()):
            table.add_row(name, escape_text(str(value)))
    return table


def tabulate_rows(
    title: str,
    columns: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
    most: int = _MOST_ROWS,
) -> list[Table | str]:
    """Return a table with at most `most` rows, and a line on the rest."""
    table = Table(title=escape_text(title), title_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows[:most]:
        table.add_row(*map(escape_text, row))
    rest = len(rows) - most
    return [table, f"... and {rest} more; --json prints all"] if rest > 0 else [table]


def tabulate_skipped(skipped: Sequence[Sequence[str]]) -> list[Table | str]:
    """Return a table of skipped items with reasons; none if there are none."""
    if not skipped:
        return []
    rows = [(name, reason) for name, reason in skipped]
    return tabulate_rows(f"skipped ({len(skipped)})", ("item", "reason"), rows)


def tabulate_collection(title: str, data: dict[str, Any]) -> list[Table | str]:
    """Return the tables of a collection's description, and of its skipped items."""
    shortest, longest = data["shortest"], data["longest"]
    lengths = f"{longest}" if shortest == longest else f"{shortest} to {longest}"
    rows = {
        "sequences": data["n_sequences"],
        "channels": _format_channels(data),
        "frame size": " x ".join(map(str, data["frame_shape"] or [])),
        "lengths": f"{lengths} time points",
        "missing samples": _format_missing(data.get("missing", 0)),  # older models have none
        "rate": _format_rate(data.get("rates")),
        "classes": ", ".join(f"{name} ({count})" for name, count in data["classes"].items()),
        "groups": data["n_groups"] or None,
        "split": ", ".join(data["splits"]),
        "skipped": len(data["skipped"]) or None,
        "fingerprint": data["fingerprint"][:16],
    }
    return [tabulate_facts(title, rows), *tabulate_skipped(data["skipped"])]


def tabulate_clusters(record: dict[str, Any]) -> list[Table | str]:
    """Return the tables of a clustering."""
    agreement = None
    if record["nmi"] is not None:
        agreement = f"NMI {record['nmi']:.3f}, ARI {record['ari']:.3f}"
    curve = record["silhouettes"]
    best = "" if curve is None else f" (silhouette {curve[str(record['n_clusters'])]:.3f})"
    rows = {
        "clusters": f"{record['n_clusters']}{best}",
        "sizes": ", ".join(map(str, record["sizes"])),
        "states": record["n_states"],
        "inertia": f"{record['inertia']:.4g}",
        "agreement with labels": agreement,
    }
    items = [(one["name"], str(one["cluster"])) for one in record["items"]]
    return [
        *tabulate_rows("items", ("item", "cluster"), items),
        *tabulate_skipped(record["data"]["skipped"]),
        tabulate_facts(
            "spectral clustering" if record["method"] == "spectral" else "k-means", rows
        ),
    ]


def tabulate_comparison(title: str, record: dict[str, Any]) -> Table:
    """Return the table of a comparison of two sequences."""
    rows = {
        "states": record["n_states"],
        "delays": record["delays"],
        "principal angles": ", ".join(f"{angle:.1f}°" for angle in record["angles"]),
        "projection kernel": f"{record['kernel']:.4f} of {record['n_states']}",
        "projection distance": f"{record['projection_distance']:.4f}",
        "Martin distance": f"{record['martin_distance']:.4f}",
    }
    return tabulate_facts(title, rows)


def _format_channels(data: dict[str, Any]) -> str:
    """Return the number of channels, and some of their names."""
    names = data.get("channel_names")  # models of earlier versions have none
    if not names:
        return str(data["n_channels"])
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{data['n_channels']}: {', '.join(names[:_MOST_NAMES])}{more}"


def _format_missing(fraction: float) -> str:
    """Return the fraction of missing samples in per cent; nothing for none."""
    if not fraction:
        return ""
    return f"{100 * fraction:.1f} %" if fraction >= 0.0005 else "less than 0.1 %"


def _format_rate(rates: list[float] | None) -> str:
    """Return time points per second, lowest and highest."""
    if not rates:
        return ""
    low, high = (f"{rate:.4g}" for rate in rates)
    return f"{low} Hz" if low == high else f"{low} to {high} Hz"
