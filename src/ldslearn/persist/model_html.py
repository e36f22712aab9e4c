"""What a console and a notebook show of a model."""

from collections.abc import Mapping
from typing import Any

from ldslearn.auto.report_html import format_accuracy, is_finite
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.drawing.card import count_nouns, format_card, format_range, list_first
from ldslearn.drawing.class_counts import draw_class_counts
from ldslearn.drawing.marks import shorten


def render_model(model: Any) -> str:
    """Return what a :class:`Model` was trained on, and with what, as HTML."""
    about, data, report = model.about, model.about.get("data") or {}, _find_report(model)
    rows = [
        ("classes", f"{len(model.classes):,}: {list_first(model.classes, 8)}"),
        ("trained on", _describe_data(model, data)),
        ("files read", _describe_reading(model.reading)),
        ("skipped", _count_skipped(data)),
        ("steps", ", ".join(type(step).__name__ for _, step in model.pipeline.steps)),
        ("parameters", _describe_parameters(model)),
        ("expected accuracy", "" if report is None else format_accuracy(report)),
        ("settings tried", _count_items(about.get("tried"))),
        ("versions", _describe_versions(about.get("versions"))),
        ("fingerprint", shorten(str(data.get("fingerprint", "")), 16)),
    ]
    return format_card(f"Model: {describe_method(model)}", rows, *_draw_classes(data))


def describe_model(model: Any) -> str:
    """Return the `repr` of a :class:`Model`."""
    data = model.about.get("data") or {}
    n_sequences = data.get("n_sequences")
    trained = f", trained on {n_sequences} sequences" if isinstance(n_sequences, int) else ""
    shape = "" if model.frame_shape is None else f", frame_shape={model.frame_shape}"
    return (
        f"Model({describe_method(model)}, n_channels={model.frame[0]}{shape}, "
        f"{len(model.classes)} classes: {list_first(model.classes, 4)}{trained})"
    )


def describe_method(model: Any) -> str:
    """Return the method, or the class of the last step of an estimator that was only saved."""
    method = model.about.get("method")
    if method:
        return shorten(str(method), 60)
    automatic = model.pipeline is not model.estimator
    return type(model.estimator if automatic else model.pipeline[-1]).__name__


def _find_report(model: Any) -> Any:
    return getattr(model.estimator, "report_", None)


def _describe_data(model: Any, data: Mapping[str, Any]) -> str:
    parts = []
    n_sequences = data.get("n_sequences", getattr(_find_report(model), "n_trained", None))
    if isinstance(n_sequences, int):
        parts.append(count_nouns(n_sequences, "sequence"))
    channels = count_nouns(model.frame[0], "channel")
    if model.frame_shape is not None:
        channels += f" ({' x '.join(map(str, model.frame_shape))})"
    parts.append(channels)
    ends = data.get("shortest"), data.get("longest")
    if all(isinstance(end, int) for end in ends):
        parts.append(f"{format_range(*ends, ',d')} time points")  # type: ignore[arg-type]
    rates = data.get("rates")
    if isinstance(rates, list) and rates and all(map(is_finite, rates)):
        parts.append(f"{format_range(rates[0], rates[-1])} Hz")
    return ", ".join(parts)


def _describe_reading(reading: ReadingSettings) -> str:
    """Return the settings that differ from the defaults."""
    usual = ReadingSettings().as_dict()
    changed = {name: v for name, v in reading.as_dict().items() if v != usual.get(name)}
    return ", ".join(f"{name}={_format_value(value)}" for name, value in changed.items())


def _format_value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{list_first(value)}]"
    return shorten(str(value), 40)


def _describe_parameters(model: Any) -> str:
    encoder = model.pipeline.steps[model._n_before - 1][1]
    names = ("n_states", "delays", "windows", "stabilizer", "n_systems", "n_thresholds")
    found = {name: getattr(encoder, name) for name in names if hasattr(encoder, name)}
    for name in ("kernel", "sparsity", "C", "n_neighbors", "mix"):
        value = getattr(model.pipeline[-1], name, None)
        if value is not None:
            found[name] = list(value) if isinstance(value, dict) else value
    return ", ".join(f"{name}={_format_value(value)}" for name, value in found.items())


def _count_items(values: Any) -> str:
    return f"{len(values):,}" if isinstance(values, list) and values else ""


def _count_skipped(data: Mapping[str, Any]) -> str:
    skipped = data.get("skipped")
    return count_nouns(len(skipped), "item") if isinstance(skipped, list) and skipped else ""


def _describe_versions(versions: Any) -> str:
    if not isinstance(versions, dict):
        return ""
    return list_first([f"{name} {version}" for name, version in versions.items()], 4)


def _draw_classes(data: Mapping[str, Any]) -> tuple[str, str]:
    """Return the sizes of the classes; nothing if a file holds no usable numbers."""
    counts = data.get("classes")
    if not isinstance(counts, dict):
        return "", ""
    usable = all(isinstance(count, int) and count >= 0 for count in counts.values())
    drawing, caption = draw_class_counts(counts) if usable else ("", "")
    return drawing, caption.replace("Sequences", "Training sequences")
