"""What is in a file that ldslearn saved: an estimator, a model, a dictionary or systems."""

from pathlib import Path
from typing import Any

from ldslearn.cli import showing
from ldslearn.dictionary.base import SystemDictionary
from ldslearn.models import LDS
from ldslearn.persist.files import Saved, read
from ldslearn.persist.model import Model


def inspect_saved(path: Path, as_json: bool) -> None:
    """Say what is in the file."""
    found = read(path)
    estimator = found.estimator
    record: dict[str, Any] = {"record": "model", **found.about, "saved": found.saved}
    rows = {"class": found.saved["class"], **_describe_parts(estimator)}
    title = f"model {path}"
    if isinstance(estimator, LDS):
        record["record"], title = "systems", f"systems {path}"
    elif isinstance(estimator, SystemDictionary):
        record |= {"record": "dictionary", **describe_dictionary(estimator)}
        title = f"dictionary {path}"
        rows |= tabulate_dictionary(estimator)
    elif found.about.get("method"):
        record["classes"] = Model.load(path, try_it=False).classes
        rows |= _describe_training(found)
    elif hasattr(estimator, "classes_"):
        record["classes"] = [str(label) for label in estimator.classes_]
        rows["classes"] = ", ".join(record["classes"])
    versions = found.saved.get("versions") or {}
    rows |= {
        "saved": found.saved.get("date"),
        "made by": ", ".join(f"{name} {number}" for name, number in versions.items()),
        "size": f"{path.stat().st_size / 1000:,.0f} kB",
    }
    tables: list[Any] = [showing.facts(title, rows)]
    data = found.about.get("data")
    if isinstance(data, dict) and "shortest" in data:
        tables += showing.describe_data("trained on", data)
    elif isinstance(data, dict):
        mark = str(data.get("fingerprint", ""))[:16]
        tables.append(showing.facts("trained on", {**data, "fingerprint": mark}))
    showing.show(record, as_json, *tables)


def describe_dictionary(model: Any) -> dict[str, Any]:
    """What a dictionary is, as plain values; one that learned from a stream has no objective."""
    known = hasattr(model, "objective_")
    return {
        "n_atoms": model.n_atoms,
        "sparsity": float(model.sparsity),
        "objective": model.objective_.tolist() if known else [],
        "stopped": model.stopped_ if known else f"after {model.n_batches_} batches",
    }


def tabulate_dictionary(model: Any) -> dict[str, Any]:
    """What a dictionary is, in words."""
    record = describe_dictionary(model)
    objective = record["objective"]
    return {
        "atoms": str(model.atoms_),
        "sparsity": f"{model.sparsity:g}",
        "objective": f"{objective[0]:.5g} to {objective[-1]:.5g}" if len(objective) else None,
        "iterations": getattr(model, "n_iter_", None),
        "stopped": record["stopped"],
    }


def _describe_parts(estimator: Any) -> dict[str, Any]:
    """Steps of a pipeline, or the sizes of a batch of systems."""
    if isinstance(estimator, LDS):
        return {"holds": repr(estimator)}
    steps = getattr(getattr(estimator, "pipeline_", estimator), "steps", [])
    return {"steps": ", ".join(type(step).__name__ for _, step in steps)}


def _describe_training(found: Saved) -> dict[str, Any]:
    """How a model of the command `train` came about."""
    about = found.about
    report = about.get("report")
    expected = None if report is None else showing.format_expected(report)
    return {
        "method": about["method"],
        "classes": ", ".join(str(label) for label in found.estimator.classes_),
        "states": about["n_states"],
        "delays": about["delays"],
        "sparsity": about["sparsity"],
        "mix": about.get("mix"),
        "accuracy in folds": expected,
        "probabilities": "calibrated" if hasattr(found.estimator, "pipeline_") else None,
        "frames": " x ".join(map(str, about["frame_shape"] or [])),
        "reads": ", ".join(f"{k}={v}" for k, v in about["reading"].items() if v),
    }
