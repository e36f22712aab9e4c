"""The page of an evaluation."""

from types import SimpleNamespace
from typing import Any

from ldslearn.auto.report_html import describe_member, format_accuracy
from ldslearn.diagnostics.diagnostics import Diagnostics
from ldslearn.drawing.bars import draw_bars
from ldslearn.report.charts import draw_confusion_matrix
from ldslearn.report.diagnostic_sections import format_diagnostics
from ldslearn.report.mistake_section import format_mistakes
from ldslearn.report.page import (
    Section,
    format_details,
    format_figure,
    format_grid,
    format_measures,
    format_paragraph,
    format_table,
    render_page,
)
from ldslearn.report.provenance import describe_data, format_command, format_versions

_MEASURES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "macro_f1": "macro F1",
}


def render_evaluation_page(
    record: dict[str, Any],
    command: str,
    diagnostics: Diagnostics | None = None,
    *,
    name: str = "a collection",
) -> str:
    """Return the record of :func:`ldslearn.evaluate.evaluate` as an HTML page.

    Parameters
    ----------
    record : dict
        What :func:`ldslearn.evaluate.evaluate` returned.
    command : str
        The command line that made the record.
    diagnostics : Diagnostics, optional
        Plots of the systems, as ``ldslearn evaluate --report`` computes them. Without them the page
        has numbers and tables.
    name : str, default="a collection"
        Name of the collection, for the title of the page.

    Returns
    -------
    str
        HTML text of one file that needs no others.

    Examples
    --------
    >>> from ldslearn.datasets import Collection, make_lds_sequences
    >>> from ldslearn.evaluate import evaluate, parse_protocol
    >>> from ldslearn.report import render_evaluation_page
    >>> data = Collection(*make_lds_sequences(2, 6, random_state=0))
    >>> record = evaluate(data, "lds-martin", parse_protocol("folds:2"), n_states=4)
    >>> page = render_evaluation_page(record, "", name="two systems")
    >>> page.startswith("<!doctype html>"), "Evaluation of lds-martin on two systems" in page
    (True, True)
    """
    sections = [
        _format_summary(record),
        Section("Rounds", *_format_rounds(record)),
        Section("Confusion matrix", *_format_confusion(record)),
        format_mistakes(record, diagnostics),
    ]
    if diagnostics is not None:
        sections += format_diagnostics(diagnostics)
    report = next((one["report"] for one in record["rounds"] if "report" in one), None)
    if report is not None:
        sections.append(Section("Hyperparameter search", *_format_search(report)))
    sections.append(Section("Data", _format_data(record["data"])))
    sections.append(format_command(command, _format_run(record)))
    return render_page(f"Evaluation of {record['method']} on {name}", sections)


def _format_summary(record: dict[str, Any]) -> str:
    counts, n_rounds = record["confusion"], len(record["rounds"])
    n_tested, correct = sum(map(sum, counts)), sum(row[k] for k, row in enumerate(counts))
    n_sequences, n_classes = record["data"]["n_sequences"], len(record["classes"])
    if record["interval"] is not None:  # each sequence is tested once
        low, high = record["interval"]
        words = (
            f"{correct} of {n_tested} test sequences of {n_classes} classes have the correct "
            f"label: {100 * correct / n_tested:.1f} %, 95 % interval {100 * low:.1f} to "
            f"{100 * high:.1f} % (Wilson). "
        )
    else:
        words = (
            f"Mean over {n_rounds} rounds with {n_tested} predictions on "
            f"{n_sequences} sequences of {n_classes} classes. "
        )
    if n_rounds > 1:
        words += (
            f"The standard deviation of the accuracies of {n_rounds} rounds is "
            f"{100 * record['spread']:.1f} points. "
        )
    largest = max(map(sum, counts)) / n_tested
    words += (
        f"Always predicting the most frequent class would give {100 * largest:.1f} %. "
        f"Protocol: {record['protocol']}."
    )
    measures = ((f"{100 * record[key]:.1f} %", name) for key, name in _MEASURES.items())
    return format_measures(measures) + format_paragraph(words, "lead")


def _format_rounds(record: dict[str, Any]) -> list[str]:
    """Return a table of one row per round and one of the totals, and an explanation."""
    rounds = record["rounds"]
    rows: list[tuple[object, ...]] = [
        (
            number,
            *(f"{100 * one[key]:.1f}" for key in _MEASURES),
            one["n_train"],
            one["n_test"],
            "" if one["n_states"] is None else one["n_states"],
            "" if one["delays"] is None else one["delays"],
            f"{one['fit_seconds']:.1f}",
            f"{one['predict_seconds']:.2f}",
        )
        for number, one in enumerate(rounds, 1)
    ]
    words = "Balanced accuracy is the mean recall, macro F1 the mean F1 score, over the classes."
    if len(rounds) > 1:
        fit, predict = _sum_seconds(record)
        n_tested = sum(one["n_test"] for one in rounds)
        measures = (f"{100 * record[key]:.1f}" for key in _MEASURES)
        rows.append(("all", *measures, "", n_tested, "", "", f"{fit:.1f}", f"{predict:.2f}"))
        words += (
            " The last row has the mean accuracy of the rounds, and balanced accuracy and macro F1 "
            "of all predictions together."
        )
    names = (f"{name} (%)" for name in _MEASURES.values())
    columns = ("round", *names, "train", "test", "states", "delays", "fit (s)", "predict (s)")
    return [format_table(columns, rows), format_paragraph(words, "faint")]


def _sum_seconds(record: dict[str, Any]) -> tuple[float, float]:
    """Return the seconds of all rounds spent on fitting and on predicting."""
    fit, predict = (
        sum(one[f"{step}_seconds"] for one in record["rounds"]) for step in ("fit", "predict")
    )
    return fit, predict


def _format_confusion(record: dict[str, Any]) -> list[str]:
    classes, counts = record["classes"], record["confusion"]
    recalls = [row[i] / max(sum(row), 1) for i, row in enumerate(counts)]
    matrix = format_figure(
        draw_confusion_matrix(counts, classes), "Rows: true classes. Columns: predicted classes."
    )
    if len(classes) > 40:
        return [matrix]
    bars = format_figure(draw_bars(recalls, classes), "Recall of each class (%).")
    if len(classes) > 10:
        return [matrix, format_details("Recall of each class", bars)]
    return [format_grid(matrix, bars)]


def _format_search(report: dict[str, Any]) -> list[str]:
    alone = "".join(
        f" {kind.capitalize()} alone: {format_accuracy(SimpleNamespace(**one))}."
        for kind, one in report["alone"].items()
    )
    words = (
        f"First round: {len(report['tried'])} settings of {report['n_descriptions']} encodings "
        f"tried in {report['seconds']:.0f} s; {report['stopped']}. Chosen: {report['why']}. "
        f"Expected accuracy: {format_accuracy(SimpleNamespace(**report))}.{alone}"
    )
    rows = [
        (
            f"{one['weight']:.3f}",
            f"{100 * one['accuracy']:.1f}",
            f"{one['loss']:.3f}",
            describe_member(one),
        )
        for one in report["members"]
    ]
    members = format_table(("weight", "accuracy alone (%)", "loss", "member"), rows, words=True)
    return [format_paragraph(words), format_details(f"The {len(rows)} members", members)]


def _format_data(data: dict[str, Any]) -> str:
    sizes = ", ".join(f"{name} ({count})" for name, count in data["classes"].items())
    rows = list({**describe_data(data), "sequences per class": sizes}.items())
    if data["frame_shape"] is not None:
        rows.append(("frames", " x ".join(map(str, data["frame_shape"]))))
    if data["skipped"]:
        rows.append(("skipped", len(data["skipped"])))
    return format_table(("", ""), rows, words=True)


def _format_run(record: dict[str, Any]) -> str:
    fit, predict = _sum_seconds(record)
    parameters = [
        f"{name} {one['from']}"
        if one["value"] is None
        else f"{name} {one['value']} ({one['from']})"
        for name, one in record["parameters"].items()
    ]
    rows = [
        *([("parameters", "; ".join(parameters))] if parameters else []),
        ("seed", record["seed"]),
        ("data, SHA-256", record["data"]["fingerprint"]),
        ("versions", format_versions(record["versions"])),
        (
            "time",
            f"{record['seconds']:.1f} s in total; rounds add up to {fit:.1f} s for fitting with "
            f"the choice of hyperparameters, and {predict:.1f} s for predicting",
        ),
    ]
    return format_table(("", ""), rows, words=True)
