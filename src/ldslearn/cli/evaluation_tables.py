"""Tables of evaluations, trained models and reproductions."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ldslearn.auto.report import STOPPED_BY_BUDGET
from ldslearn.auto.report_html import describe_encoding
from ldslearn.cli.tables import escape_text, tabulate_collection, tabulate_facts, tabulate_rows
from ldslearn.evaluate.predictions import format_confidence, name_confidence

_MOST_MISCLASSIFIED = 10


def tabulate_training(title: str, about: Mapping[str, Any]) -> list[Table | str]:
    """Return the tables of a new model: its data, its parameters, and what was chosen."""
    report = about["report"]
    best = max((one["accuracy"] for one in about["tried"]), default=None)
    expected = None if best is None else f"{100 * best:.1f} % (best of the settings tried)"
    chosen = {
        "states": about["n_states"],
        "delays": about["delays"],
        "sparsity": about["sparsity"],
        "mix": about.get("mix"),
        "window": about.get("window"),
    }
    rows = {
        "method": about["method"],
        **(chosen if report is None else list_ensemble(report)),
        "settings tried": len(about["tried"]) or None,
        "expected accuracy": expected if report is None else format_expected(report),
    }
    return [
        *tabulate_collection(title, about["data"]),
        *_tabulate_parameters(about["parameters"]),
        tabulate_facts("trained model", rows),
        *_describe_budget([] if report is None else [report]),
    ]


def list_ensemble(report: Mapping[str, Any]) -> dict[str, str]:
    """Return the members of an ensemble, and what each kind reaches alone, as rows of a table."""
    kinds = [one["kind"] for one in report["members"]]
    counts = {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}
    return {
        "members": ", ".join(f"{count} of {kind}" for kind, count in counts.items()),
        "best encoding": describe_encoding(report["chosen"]),
        **{f"{kind} alone": format_expected(one) for kind, one in report["alone"].items()},
    }


def format_expected(report: Mapping[str, Any]) -> str:
    """Return the accuracy that the automatic method expects, as a text."""
    accuracy, error = report["expected_accuracy"], report["standard_error"]
    if accuracy is None or accuracy != accuracy:  # no class could be tested
        return "unknown: one item per class leaves none to test"
    return f"{100 * accuracy:.1f} ± {100 * error:.1f} %"


def tabulate_evaluation(name: str, record: dict[str, Any]) -> list[Table | str]:
    """Return data, parameters, measures per round, confusion matrix, errors and summary."""
    title = escape_text(f"{record['method']}, {record['protocol']}")
    rounds = Table(title=title, title_justify="left")
    encoded = any(one["n_states"] is not None for one in record["rounds"])
    sparse = any(one["sparsity"] is not None for one in record["rounds"])
    mixed = any("mix" in one for one in record["rounds"])
    columns = (
        "round", "test", *(["states", "delays"] if encoded else []),
        *(["sparsity"] if sparse else []), *(["mix"] if mixed else []),
        "accuracy", "balanced", "macro F1",
    )  # fmt: skip
    for column in columns:
        rounds.add_column(column, justify="right")
    for number, one in enumerate(record["rounds"], 1):
        rounds.add_row(
            str(number),
            str(one["n_test"]),
            *([str(one["n_states"]), str(one["delays"])] if encoded else []),
            *(["" if one["sparsity"] is None else f"{one['sparsity']:g}"] if sparse else []),
            *([f"{one['mix']:g}"] if mixed else []),
            *(f"{100 * one[name]:.1f} %" for name in ("accuracy", "balanced_accuracy", "macro_f1")),
        )
    return [
        *tabulate_collection(name, record["data"]),
        *_tabulate_parameters(record["parameters"]),
        rounds,
        *_tabulate_confusion(record),
        *_tabulate_misclassified(record),
        *_summarize(record),
        *_describe_budget([one["report"] for one in record["rounds"] if "report" in one]),
    ]


def _tabulate_parameters(parameters: Mapping[str, Mapping[str, Any]]) -> list[Table | str]:
    """Return a table of the parameters of a method and where they come from, if there are any."""
    if not parameters:
        return []
    table = Table(title="parameters", title_justify="left")
    for column in ("parameter", "value", "from"):
        table.add_column(column)
    for name, one in parameters.items():
        value = one["value"]
        text = "automatic" if value is None else escape_text(str(value))
        table.add_row(name, text, escape_text(one["from"]))
    return [table]


def _describe_budget(reports: list[Mapping[str, Any]]) -> list[str]:
    """Return a line with the remedy if the time budget ended automatic searches early."""
    n_stopped = sum(one["stopped"].startswith(STOPPED_BY_BUDGET) for one in reports)
    if not n_stopped:
        return []
    rounds = f" in {n_stopped} of {len(reports)} rounds" if len(reports) > 1 else ""
    return [f"The time budget ended the search early{rounds}; --budget SECONDS gives more time."]


def _tabulate_misclassified(record: dict[str, Any]) -> list[Table | str]:
    """Return a table of wrong predictions, at most ten."""
    entries = record["misclassified"]
    if not entries:
        return []
    kind = name_confidence(entries)
    columns = ("item", "true", "predicted", *([kind] if kind else []))
    rows = [
        (one["name"], one["label"], one["predicted"], *([format_confidence(one)] if kind else []))
        for one in entries
    ]
    return tabulate_rows("misclassified", columns, rows, _MOST_MISCLASSIFIED)


def _summarize(record: dict[str, Any]) -> list[str]:
    """Return the measures over all rounds, with a confidence interval of the accuracy."""
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


def _tabulate_confusion(record: dict[str, Any]) -> list[Table | str]:
    """Return the confusion matrix; the largest errors in words where it is too wide."""
    classes, counts = record["classes"], record["confusion"]
    table = Table(title="confusion matrix (rows: true, columns: predicted)", title_justify="left")
    table.add_column("")
    for name in classes:
        table.add_column(escape_text(name), justify="right")
    for name, row in zip(classes, counts, strict=True):
        table.add_row(escape_text(name), *(str(count) if count else "." for count in row))
    if Console(width=10_000).measure(table).maximum > Console().width:  # columns would be truncated
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
        pairs = "; ".join(f"{escape_text(a)} as {escape_text(b)} ({n})" for n, a, b in wrong)
        return [f"most confused: {pairs}"]
    return [table]


def tabulate_reproduction(record: dict[str, Any]) -> list[Table | str]:
    """Return the tables of figures that have some, and the table of claims."""
    tables: list[Table | str] = []
    for one in record["figures"]:
        for panel in one["panels"]:
            if panel["panel"] == "table":
                title = f"{one['title']}: {panel['title']}"
                tables += tabulate_rows(
                    title, tuple(panel["columns"]), [tuple(r) for r in panel["rows"]]
                )
                tables += [escape_text(panel["note"])] if panel["note"] else []
    claims = Table(title="Claims of the paper", title_justify="left")
    for column in ("claim", "verdict", "found"):
        claims.add_column(column)
    for claim in record["claims"]:
        found = "\n".join(
            f"{one['verdict']} on {one['collection']}: {one['words']}" for one in claim["evidence"]
        )
        claims.add_row(
            escape_text(claim["words"]), claim["verdict"], escape(found or claim["reason"])
        )
    return [*tables, claims] if record["claims"] else tables
