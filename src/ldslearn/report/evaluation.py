"""The page of an evaluation."""

from typing import Any

from ldslearn.diagnostics import Diagnostics
from ldslearn.report.charts import bars_chart, matrix_chart
from ldslearn.report.diagnostic_sections import format_diagnostics
from ldslearn.report.mistake_section import mistakes_section
from ldslearn.report.page import code, figure, folded, grid, page, paragraph, section, table

_MOST_TRIED = 15
_STEPS = ("fit", "predict")
_MEASURES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "macro_f1": "macro F1",
}


def evaluation_page(
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
    command : str
        What was typed.
    diagnostics : Diagnostics, optional
        Of :func:`ldslearn.diagnostics.compute_diagnostics`, to look at.
    name : str
        Of the collection.
    """
    data, rounds = record["data"], record["rounds"]
    sections = [
        _summary(record),
        section("Rounds", *_rounds(record)),
        section("Confusion matrix", *_confusion(record)),
        mistakes_section(record, diagnostics),
    ]
    if diagnostics is not None:
        sections += format_diagnostics(diagnostics)
    report = next((one["report"] for one in rounds if "report" in one), None)
    if report is not None:
        sections.append(section("What was tried in the first round", *_tried(report)))
    sections.append(section("Data", _data(data)))
    sections.append(section("To repeat it", code(command), _repeating(record)))
    return page(f"{record['method']} on {name}", sections)


def _summary(record: dict[str, Any]) -> str:
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
            f"Mean of {n_rounds} rounds, which test {n_tested} times some of "
            f"{n_sequences} sequences of {n_classes} classes. "
        )
    if n_rounds > 1:
        words += (
            f"The accuracies of {n_rounds} rounds have a standard deviation of "
            f"{100 * record['spread']:.1f} points. "
        )
    largest = max(map(sum, counts)) / n_tested
    words += (
        f"Always predicting the most frequent class would give {100 * largest:.1f} %. "
        f"Protocol: {record['protocol']}."
    )
    measures = "".join(
        f'<div><span class="big">{100 * record[key]:.1f} %</span>{name}</div>'
        for key, name in _MEASURES.items()
    )
    return f'<div class="measures">{measures}</div>' + paragraph(words, "lead")


def _rounds(record: dict[str, Any]) -> list[str]:
    """A row per round, and one for all of them."""
    rounds = record["rounds"]
    rows: list[tuple[object, ...]] = [
        (
            number,
            *(f"{100 * one[key]:.1f}" for key in _MEASURES),
            one["n_train"],
            one["n_test"],
            one["n_states"],
            one["delays"],
            f"{one['fit_seconds']:.1f}",
            f"{one['predict_seconds']:.2f}",
        )
        for number, one in enumerate(rounds, 1)
    ]
    if len(rounds) > 1:
        fit, predict = (sum(one[f"{what}_seconds"] for one in rounds) for what in _STEPS)
        n_tested = sum(one["n_test"] for one in rounds)
        measures = (f"{100 * record[key]:.1f}" for key in _MEASURES)
        rows.append(("all", *measures, "", n_tested, "", "", f"{fit:.1f}", f"{predict:.2f}"))
    columns = (
        "round",
        *(f"{name} (%)" for name in _MEASURES.values()),
        "train",
        "test",
        "states",
        "delays",
        "fit (s)",
        "predict (s)",
    )
    words = (
        "Balanced accuracy is the mean recall of the classes; macro F1 is the mean of their F1 "
        "scores. "
    )
    if len(rounds) > 1:
        words += (
            "Of all rounds: the mean of the accuracies; balanced accuracy and macro F1 of all "
            "predictions together."
        )
    return [table(columns, rows), paragraph(words.strip(), "faint")]


def _parameters(record: dict[str, Any]) -> list[tuple[str, str]]:
    """A row of the parameters that a method was given, and where they come from."""
    texts = [
        f"{name} {one['from']}"
        if one["value"] is None
        else f"{name} {one['value']} ({one['from']})"
        for name, one in record["parameters"].items()
    ]
    return [("parameters", "; ".join(texts))] if texts else []


def _repeating(record: dict[str, Any]) -> str:
    fit, predict = (sum(one[f"{what}_seconds"] for one in record["rounds"]) for what in _STEPS)
    rows = [
        *_parameters(record),
        ("seed", record["seed"]),
        ("data, SHA-256", record["data"]["fingerprint"]),
        ("versions", ", ".join(f"{name} {one}" for name, one in record["versions"].items())),
        (
            "time",
            f"{record['seconds']:.1f} s in all: {fit:.1f} s fitting, what folds chose included, "
            f"{predict:.1f} s predicting",
        ),
    ]
    return table(("", ""), rows, words=True)


def _confusion(record: dict[str, Any]) -> list[str]:
    classes, counts = record["classes"], record["confusion"]
    recalls = [row[i] / max(sum(row), 1) for i, row in enumerate(counts)]
    drawn = figure(matrix_chart(counts, classes), "Rows are true classes, columns predicted ones.")
    if len(classes) > 40:
        return [drawn]
    bars = figure(bars_chart(recalls, classes), "Recall of each class (%).")
    return [grid(drawn, bars)] if len(classes) <= 10 else [drawn, folded("Class by class", bars)]


def _tried(report: dict[str, Any]) -> list[str]:
    chosen = {k: v for k, v in report["chosen"].items() if not k.startswith("kernel")}
    words = (
        f"{len(report['tried'])} candidates of {report['n_descriptions']} descriptions in "
        f"{report['seconds']:.0f} s; {report['stopped']}. Chosen: {_listed(chosen)}. "
        f"Why: {report['why']}. Expected accuracy {100 * report['expected_accuracy']:.1f} %, "
        f"standard error {100 * report['standard_error']:.1f} points."
    )
    rows = [
        (
            f"{100 * one['accuracy']:.1f}",
            f"{one['loss']:.3f}",
            _listed({k: v for k, v in one.items() if k not in ("accuracy", "loss")}),
        )
        for one in report["tried"][:_MOST_TRIED]
    ]
    tried = table(("accuracy (%)", "loss", "candidate"), rows, words=True)
    return [paragraph(words), folded(f"The best {len(rows)}", tried)]


def _data(data: dict[str, Any]) -> str:
    counts = ", ".join(f"{name} ({count})" for name, count in data["classes"].items())
    frames = "" if data["frame_shape"] is None else " x ".join(map(str, data["frame_shape"]))
    rows = [
        ("sequences", data["n_sequences"]),
        ("channels", data["n_channels"]),
        ("frames", frames),
        ("lengths", f"{data['shortest']} to {data['longest']}"),
        ("classes", counts),
        ("skipped", len(data["skipped"]) or ""),
    ]
    return table(("", ""), [row for row in rows if row[1] != ""], words=True)


def _listed(values: dict[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {_plain(value)}" for name, value in values.items())


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return " + ".join(f"{weight:g} {name}" for name, weight in value.items())
    if isinstance(value, list):
        return " + ".join(map(str, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
