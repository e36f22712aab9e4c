"""Tables of records for a terminal."""

import json
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

_MOST_ROWS = 60


def show(value: dict[str, Any], as_json: bool, *tables: Table | str) -> None:
    """Print a record as JSON, or the tables made of it."""
    if as_json:
        print(json.dumps(value, indent=2, allow_nan=False))
        return
    console = Console(soft_wrap=True)
    for table in tables:
        console.print(table, highlight=False)


def plain(text: str) -> str:
    """Text from files as it is: no markup, and no control characters for the terminal."""
    return escape("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text))


def facts(title: str, rows: dict[str, Any]) -> Table:
    """A table of names and values; what is None or empty is left out."""
    table = Table(title=plain(title), title_justify="left", show_header=False)
    table.add_column(no_wrap=True)
    table.add_column()
    for name, value in rows.items():
        if value not in (None, "", [], {}, ()):
            table.add_row(name, plain(str(value)))
    return table


def describe_data(title: str, data: dict[str, Any]) -> list[Table | str]:
    """What a collection is, from its description, and what was left out of it."""
    return [_describe(title, data), *list_skipped(data["skipped"])]


def list_skipped(skipped: Sequence[Sequence[str]]) -> list[Table | str]:
    """A table of the items that were left out, with reasons; none if there are none."""
    if not skipped:
        return []
    return listed(f"skipped ({len(skipped)})", ("item", "reason"), [(a, b) for a, b in skipped])


def _describe(title: str, data: dict[str, Any]) -> Table:
    lengths = f"{data['shortest']} to {data['longest']} time points"
    counts = data["classes"]
    return facts(
        title,
        {
            "sequences": data["n_sequences"],
            "channels": data["n_channels"],
            "frames": " x ".join(map(str, data["frame_shape"] or [])),
            "lengths": lengths,
            "classes": ", ".join(f"{name} ({count})" for name, count in counts.items()),
            "groups": data["n_groups"] or None,
            "split": ", ".join(data["splits"]),
            "skipped": len(data["skipped"]) or None,
            "fingerprint": data["fingerprint"][:16],
        },
    )


def automatic(chosen: dict[str, Any]) -> dict[str, str]:
    """What the automatic method chose beside states and delays."""
    weights = ", ".join(f"{name} {weight:g}" for name, weight in chosen["weights"].items())
    return {
        "windows": " + ".join(map(str, chosen["windows"])),
        "channels scaled": "yes" if chosen["scaled"] else "no",
        "kernels": weights,
        "classifier": chosen["classifier"],
    }


def evaluation(record: dict[str, Any]) -> list[Table | str]:
    """Accuracy of each round, what was chosen, and the confusion matrix."""
    title = plain(f"{record['method']}, {record['protocol']}")
    rounds = Table(title=title, title_justify="left")
    columns = ("round", "train", "test", "states", "delays", "sparsity", "accuracy", "seconds")
    for column in columns:
        rounds.add_column(column, justify="right")
    for number, one in enumerate(record["rounds"], 1):
        rounds.add_row(
            str(number),
            str(one["n_train"]),
            str(one["n_test"]),
            str(one["n_states"]),
            str(one["delays"]),
            "" if one["sparsity"] is None else f"{one['sparsity']:g}",
            f"{one['accuracy']:.1%}",
            f"{one['fit_seconds'] + one['predict_seconds']:.1f}",
        )
    spread = f" ± {100 * record['spread']:.1f}" if len(record["rounds"]) > 1 else ""
    summary = f"accuracy [bold]{100 * record['accuracy']:.1f}{spread} %[/]"
    return [rounds, *_confusion(record), summary]


def _confusion(record: dict[str, Any]) -> list[Table | str]:
    classes, counts = record["classes"], record["confusion"]
    table = Table(title="Confusion (rows: true, columns: predicted)", title_justify="left")
    table.add_column("")
    for name in classes:
        table.add_column(plain(name), justify="right")
    for name, row in zip(classes, counts, strict=True):
        table.add_row(plain(name), *(str(count) if count else "." for count in row))
    if Console(width=10_000).measure(table).maximum > Console().width:  # columns would be cut
        wrong = sorted(
            (
                (count, classes[i], classes[j])
                for i, row in enumerate(counts)
                for j, count in enumerate(row)
                if i != j and count
            ),
            reverse=True,
        )[:5]
        if not wrong:
            return []
        pairs = "; ".join(f"{plain(a)} as {plain(b)} ({n})" for n, a, b in wrong)
        return [f"most confused: {pairs}"]
    return [table]


def reproduction(record: dict[str, Any]) -> list[Table | str]:
    """Tables of every figure that has some, and the claims."""
    shown: list[Table | str] = []
    for one in record["figures"]:
        for panel in one["panels"]:
            if panel["panel"] == "table":
                title = f"{one['title']}: {panel['title']}"
                shown += listed(title, tuple(panel["columns"]), [tuple(r) for r in panel["rows"]])
                shown += [plain(panel["note"])] if panel["note"] else []
    claims = Table(title="Claims of the paper", title_justify="left")
    for column in ("claim", "verdict", "found"):
        claims.add_column(column)
    for claim in record["claims"]:
        found = "\n".join(
            f"{one['verdict']} on {one['collection']}: {one['words']}" for one in claim["evidence"]
        )
        claims.add_row(plain(claim["words"]), claim["verdict"], escape(found))
    return [*shown, claims] if record["claims"] else shown


def listed(
    title: str, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]
) -> list[Table | str]:
    """A table, cut after sixty rows."""
    table = Table(title=plain(title), title_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows[:_MOST_ROWS]:
        table.add_row(*map(plain, row))
    rest = len(rows) - _MOST_ROWS
    return [table, f"... and {rest} more; --json prints all"] if rest > 0 else [table]
