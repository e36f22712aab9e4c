"""What a path holds: a collection, a store, or a file that ldslearn saved."""

from pathlib import Path
from typing import Any

from ldslearn.cli.evaluation_tables import format_expected, list_ensemble
from ldslearn.cli.inputs import is_saved, load_data, read_array_file
from ldslearn.cli.stores import make_store_record, tabulate_store
from ldslearn.cli.tables import print_record, tabulate_collection, tabulate_facts
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.labels_from_manifest import is_manifest
from ldslearn.datasets.summary import summarize_collection
from ldslearn.dictionary.base import SystemDictionary
from ldslearn.models import LDS
from ldslearn.persist.files import Saved, read_saved
from ldslearn.persist.model import Model
from ldslearn.scale.output_checks import is_store
from ldslearn.scale.store import LDSStore
from ldslearn.sequences.offsets import warn_of_offsets


def inspect_path(path: Path, layout: str | None, options: dict[str, Any], as_json: bool) -> None:
    """Print what a path holds; `options` say how sequences are read."""
    if is_store(path):
        record = make_store_record(LDSStore.open(path))
        print_record(record, as_json, *tabulate_store(record))
    elif not layout and is_saved(path):
        _inspect_saved(path, as_json)
    elif path.suffix.lower() == ".npy" and path.is_file():  # one item, also of frames
        print_collection(str(path), read_array_file(path, **options), as_json)
    else:
        skips = layout is None and (path.is_dir() or is_manifest(path))
        on_error = "skip" if skips else "raise"
        print_collection(
            str(path), load_data(path, layout, -1, **options, on_error=on_error), as_json
        )


def print_collection(title: str, data: Collection, as_json: bool) -> None:
    """Print a description of a collection."""
    warn_of_offsets(data.X)
    record = summarize_collection(data)
    print_record(record, as_json, *tabulate_collection(title, record))


def _inspect_saved(path: Path, as_json: bool) -> None:
    """Print what an estimator, a model, a dictionary or systems in a file are."""
    found = read_saved(path)
    estimator = found.estimator
    record: dict[str, Any] = {"record": "model", **found.about, "saved": found.saved}
    rows = {"class": found.saved["class"], **_list_parts(estimator)}
    title = f"model {path}"
    if isinstance(estimator, LDS):
        record["record"], title = "systems", f"systems {path}"
    elif isinstance(estimator, SystemDictionary):
        record |= {"record": "dictionary", **describe_dictionary(estimator)}
        title = f"dictionary {path}"
        rows |= list_dictionary_facts(estimator)
    elif found.about.get("method"):
        record["classes"] = Model.load(path, try_it=False).classes
        rows |= _list_training_facts(found)
    elif hasattr(estimator, "classes_"):
        record["classes"] = [str(label) for label in estimator.classes_]
        rows["classes"] = ", ".join(record["classes"])
    versions = found.saved.get("versions") or {}
    rows |= {
        "saved": found.saved.get("date"),
        "versions": ", ".join(f"{name} {number}" for name, number in versions.items()),
        "size": f"{path.stat().st_size / 1000:,.0f} kB",
    }
    tables: list[Any] = [tabulate_facts(title, rows)]
    data = found.about.get("data")
    if isinstance(data, dict) and "shortest" in data:
        tables += tabulate_collection("training data", data)
    elif isinstance(data, dict):
        mark = str(data.get("fingerprint", ""))[:16]
        tables.append(tabulate_facts("training data", {**data, "fingerprint": mark}))
    print_record(record, as_json, *tables)


def describe_dictionary(model: Any) -> dict[str, Any]:
    """Return a dictionary as plain values; one learned from a stream has no objective."""
    known = hasattr(model, "objective_")
    return {
        "n_atoms": model.n_atoms,
        "sparsity": float(model.sparsity),
        "objective": model.objective_.tolist() if known else [],
        "stopped": model.stopped_ if known else f"after {model.n_batches_} batches",
    }


def list_dictionary_facts(model: Any) -> dict[str, Any]:
    """Return the rows of a dictionary's table."""
    record = describe_dictionary(model)
    objective = record["objective"]
    return {
        "atoms": str(model.atoms_),
        "sparsity": f"{model.sparsity:g}",
        "objective": f"{objective[0]:.5g} to {objective[-1]:.5g}" if len(objective) else None,
        "iterations": getattr(model, "n_iter_", None),
        "stopped": record["stopped"],
    }


def _list_parts(estimator: Any) -> dict[str, Any]:
    """Return the steps of a pipeline, or the sizes of a batch of systems."""
    if isinstance(estimator, LDS):
        return {"contents": repr(estimator)}
    steps = getattr(getattr(estimator, "pipeline_", estimator), "steps", [])
    return {"steps": ", ".join(type(step).__name__ for _, step in steps)}


def _is_calibrated(estimator: Any) -> bool:
    return hasattr(estimator, "predict_with_proba")


def _list_training_facts(found: Saved) -> dict[str, Any]:
    """Return how a model of the command ``train`` was made."""
    about = found.about
    report = getattr(found.estimator, "report_", None)
    chosen = {name: about.get(name) for name in ("delays", "sparsity", "mix")}
    return {
        "method": about["method"],
        "classes": ", ".join(str(label) for label in getattr(found.estimator, "classes_", ())),
        **(list_ensemble(vars(report)) if report else {"states": about["n_states"], **chosen}),
        "expected accuracy": None if report is None else format_expected(vars(report)),
        "probabilities": "calibrated" if _is_calibrated(found.estimator) else None,
        "frame size": " x ".join(map(str, about["frame_shape"] or [])),
        "reading": ", ".join(f"{k}={v}" for k, v in about["reading"].items() if v),
    }
