"""Tables of records for a terminal."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ldslearn.cli.telling import clean
from ldslearn.evaluate.predictions import format_confidence, name_confidence

_MOST_ROWS = 60
_MOST_MISLABELLED = 10
_MOST_NAMES = 12


def show(value: dict[str, Any], as_json: bool, *tables: Table | str) -> None:
    """Print a record as JSON, or the tables made of it."""
    if as_json:
        print(json.dumps(value, indent=2, allow_nan=False))
        return
    console = Console(soft_wrap=True)
    for table in tables:
        console.print(table, highlight=False)


def say(text: str) -> None:
    """Print one line without control characters that a file's name may hold."""
    Console(soft_wrap=True).print(plain(text), highlight=False)


def plain(text: str) -> str:
    """Text from files as it is: no markup, and no control characters for the terminal."""
    return escape(clean(text))


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
            "channels": _channels(data),
            "frames": " x ".join(map(str, data["frame_shape"] or [])),
            "lengths": lengths,
            "rate": _rate(data.get("rates")),
            "classes": ", ".join(f"{name} ({count})" for name, count in counts.items()),
            "groups": data["n_groups"] or None,
            "split": ", ".join(data["splits"]),
            "skipped": len(data["skipped"]) or None,
            "fingerprint": data["fingerprint"][:16],
        },
    )


def _channels(data: dict[str, Any]) -> str:
    """The number of channels, and some of their names."""
    names = data.get("channel_names")  # models of earlier versions have none
    if not names:
        return str(data["n_channels"])
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{data['n_channels']}: {', '.join(names[:_MOST_NAMES])}{more}"


def _rate(rates: list[float] | None) -> str:
    """Time points per second, lowest and highest."""
    if not rates:
        return ""
    low, high = (f"{rate:.4g}" for rate in rates)
    return f"{low} Hz" if low == high else f"{low} to {high} Hz"


def automatic(chosen: dict[str, Any]) -> dict[str, str]:
    """What the automatic method chose beside states and delays."""
    weights = ", ".join(f"{name} {weight:g}" for name, weight in chosen["weights"].items())
    return {
        "windows": " + ".join(map(str, chosen["windows"])),
        "channels scaled": "yes" if chosen["scaled"] else "no",
        "kernels": weights,
        "classifier": chosen["classifier"],
    }


def format_expected(report: Mapping[str, Any]) -> str:
    """The accuracy that the automatic method expects, as a text."""
    accuracy, error = report["expected_accuracy"], report["standard_error"]
    if accuracy is None or accuracy != accuracy:  # no class could be tested
        return "unknown: one item per class leaves none to test"
    return f"{100 * accuracy:.1f} ± {100 * error:.1f} %"


def evaluation(record: dict[str, Any]) -> list[Table | str]:
    """Measures of each round, what was chosen, confusion matrix, mislabelled items, summary."""
    title = plain(f"{record['method']}, {record['protocol']}")
    rounds = Table(title=title, title_justify="left")
    sparse = any(one["sparsity"] is not None for one in record["rounds"])
    mixed = any("mix" in one for one in record["rounds"])
    columns = (
        "round", "test", "states", "delays", *(["sparsity"] if sparse else []),
        *(["mix"] if mixed else []),
        "accuracy", "balanced", "macro F1",
    )  # fmt: skip
    for column in columns:
        rounds.add_column(column, justify="right")
    for number, one in enumerate(record["rounds"], 1):
        rounds.add_row(
            str(number),
            str(one["n_test"]),
            str(one["n_states"]),
            str(one["delays"]),
            *(["" if one["sparsity"] is None else f"{one['sparsity']:g}"] if sparse else []),
            *([f"{one['mix']:g}"] if mixed else []),
            *(f"{one[name]:.1%}" for name in ("accuracy", "balanced_accuracy", "macro_f1")),
        )
    return [
        *list_parameters(record["parameters"]),
        rounds,
        *_confusion(record),
        *_mislabelled(record),
        *_summary(record),
    ]


def list_parameters(parameters: Mapping[str, Mapping[str, Any]]) -> list[Table | str]:
    """A table of the parameters that a method was given and where they come from; none of auto."""
    known = {name: one for name, one in parameters.items() if name != "budget"}
    if not known:
        return []
    table = Table(title="parameters", title_justify="left")
    for column in ("parameter", "value", "from"):
        table.add_column(column)
    for name, one in known.items():
        value = one["value"]
        shown = "automatic" if value is None else plain(str(value))
        table.add_row(name, shown, plain(one["from"]))
    return [table]


def _mislabelled(record: dict[str, Any]) -> list[Table | str]:
    """A table of wrong predictions, cut after ten."""
    entries = record["mislabelled"]
    if not entries:
        return []
    kind = name_confidence(entries)
    columns = ("item", "true", "predicted", *([kind] if kind else []))
    rows = [
        (one["name"], one["label"], one["predicted"], *([format_confidence(one)] if kind else []))
        for one in entries
    ]
    return listed("Mislabelled", columns, rows, _MOST_MISLABELLED)


def _summary(record: dict[str, Any]) -> list[str]:
    """The measures of all rounds, and how certain the accuracy is."""
    counts = record["confusion"]
    n_tested, correct = sum(map(sum, counts)), sum(row[k] for k, row in enumerate(counts))
    notes = []
    if record["interval"] is not None:
        low, high = (100 * end for end in record["interval"])
        notes.append(f"{correct} of {n_tested}, 95 % interval {low:.1f} to {high:.1f} %")
    if len(record["rounds"]) > 1:
        spread = 100 * record["spread"]
        notes.append(f"standard deviation over rounds {spread:.1f} points")
    accuracy = f"accuracy [bold]{100 * record['accuracy']:.1f} %[/] ({'; '.join(notes)})"
    return [
        accuracy,
        f"balanced accuracy {100 * record['balanced_accuracy']:.1f} %, "
        f"macro F1 {100 * record['macro_f1']:.1f} %; {record['seconds']:.1f} s",
    ]


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
        claims.add_row(plain(claim["words"]), claim["verdict"], escape(found or claim["reason"]))
    return [*shown, claims] if record["claims"] else shown


def listed(
    title: str,
    columns: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
    most: int = _MOST_ROWS,
) -> list[Table | str]:
    """A table, cut after sixty rows, or `most`."""
    table = Table(title=plain(title), title_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows[:most]:
        table.add_row(*map(plain, row))
    rest = len(rows) - most
    return [table, f"... and {rest} more; --json prints all"] if rest > 0 else [table]
