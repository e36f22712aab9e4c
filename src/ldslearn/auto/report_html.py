"""What a notebook shows of an automatic search."""

from collections.abc import Mapping
from math import isfinite
from types import SimpleNamespace
from typing import Any

from ldslearn.drawing.bars import draw_bars
from ldslearn.drawing.card import count_nouns, format_card
from ldslearn.drawing.marks import shorten

_LONGEST = 160  # characters of a tooltip


def render_report(report: Any) -> str:
    """Return the members, the reason for them and what they reach as HTML."""
    seconds = f"{report.seconds:.1f} of {report.time_budget:g} s"
    rows = [
        ("chosen", str(report.why)),
        *((f"{kind} alone", format_accuracy(SimpleNamespace(**one)))
          for kind, one in report.alone.items()),
        (
            "tried",
            f"{count_nouns(len(report.tried), 'setting')} of "
            f"{count_nouns(report.n_descriptions, 'encoding')} in {seconds}; {report.stopped}",
        ),
        ("trained on", count_nouns(report.n_trained, "sequence")),
    ]  # fmt: skip
    best = [one for one in report.members if is_finite(one.get("accuracy"))]
    drawing = caption = ""
    if best:
        drawing, caption = _draw_members(best), "Accuracy (%) of each member alone"
        has_errors = any(_find_error(one) for one in best)
        caption += ", ± one standard error." if has_errors else "."
    title = f"Automatic search: expected accuracy {format_accuracy(report)}"
    return format_card(title, rows, drawing, caption)


def format_accuracy(report: Any) -> str:
    """Return the expected accuracy and its standard error."""
    if not is_finite(report.expected_accuracy):
        return "unknown"
    text = f"{100 * report.expected_accuracy:.1f}"
    if is_finite(report.standard_error):
        text += f" ± {100 * report.standard_error:.1f}"
    return f"{text} %"


def is_finite(value: Any) -> bool:
    """Whether a value that a file may hold is a finite number."""
    return isinstance(value, int | float) and isfinite(value)


def describe_member(member: Mapping[str, Any]) -> str:
    """Return the parameters of a member in a few words, with its kernels."""
    if "n_states" not in member:
        return f"random systems, seed {member.get('seed')}"
    return f"{describe_candidate(member)}; {_describe_weights(member)}"


def describe_candidate(candidate: Mapping[str, Any]) -> str:
    """Return the parameters of a candidate in a few words, without its kernels."""
    parts = [describe_encoding(candidate), str(candidate.get("classifier", ""))]
    parts += [
        f"{name}={candidate[name]:g}" for name in ("sparsity", "penalty", "C") if name in candidate
    ]
    return ", ".join(part for part in parts if part)


def describe_encoding(candidate: Mapping[str, Any]) -> str:
    """Return the encoding of a candidate in a few words; nothing for random systems."""
    if "n_states" not in candidate:
        return ""
    windows = candidate.get("windows", [1])
    parts = [
        count_nouns(candidate.get("n_states", 0), "state"),
        count_nouns(candidate.get("delays", 1), "delay"),
        "" if list(windows) == [1] else f"{'+'.join(map(str, windows))} windows",
        "scaled" if candidate.get("scaled") else "",
        "" if candidate.get("center", True) else "not centred",
    ]
    return ", ".join(part for part in parts if part)


def _describe_weights(candidate: Mapping[str, Any]) -> str:
    """Return the weighted sum of kernels: ``projection + 0.5 mean``."""
    weights = candidate.get("weights", {})
    return " + ".join(
        name if weight == 1 else f"{weight:g} {name}" for name, weight in weights.items()
    )


def _find_error(candidate: Mapping[str, Any]) -> float:
    """Return the standard error of a candidate; 0 if it has none."""
    found: Any = candidate.get("standard_error")
    return found if is_finite(found) else 0.0


def _draw_members(members: list[dict[str, Any]]) -> str:
    spreads = [_find_error(one) for one in members]
    texts = [
        f"{100 * one['accuracy']:.1f}" + (f" ± {100 * spread:.1f}" if spread else "")
        for one, spread in zip(members, spreads, strict=True)
    ]
    return draw_bars(
        [one["accuracy"] for one in members],
        [shorten(describe_member(one), _LONGEST) for one in members],
        texts=texts,
        spreads=spreads,
        longest=84,
        width=780,
        title="Accuracy of each member alone",
    )
