"""Fitted estimators as plain values and arrays, and back, without executing anything.

Only classes on a fixed list are saved and loaded.
"""

import inspect
import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn.classify import NearestLDSClassifier
from ldslearn.geometry.fitted_kernels import ReferenceKernel
from ldslearn.models import LDS
from ldslearn.persist.classes import CLASSES, ESTIMATORS, FOREIGN

Arrays = dict[str, NDArray[Any]]

_DEEPEST = 50  # levels of nested values
# Largest values of the parameters that decide how long a prediction takes.
_LARGEST = {
    "order": 1000,
    "delays": 10_000,
    "n_frequencies": 2**20,
    "n_jobs": 1024,
    "windows": 10_000,
}
_NUMBERS_AND_TEXTS = "fiubUSc"  # kinds of dtypes
_UNMARKED = ("epsilon", "nu")  # attributes that SVC inherits
_NOT_SAVED = ("_metadata_request",)  # how a program routes weights
_FIELDS = tuple(field.name for field in fields(LDS) if field.init)


def pack(value: Any, arrays: Arrays, where: str = "the value") -> Any:
    """Return `value` as something JSON can hold; arrays go to `arrays` under numbers.

    An array that occurs twice is saved once. `where` names the value in messages.
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float) and math.isfinite(value):
        return value
    if isinstance(value, float):
        return {"number": str(value)}
    if isinstance(value, np.generic):
        return pack(value.item(), arrays, where)
    if isinstance(value, np.ndarray) and value.dtype.kind in _NUMBERS_AND_TEXTS:
        same = (name for name, known in arrays.items() if _share_memory(known, value))
        name = next(same, f"a{len(arrays)}")
        arrays[name] = value
        return {"array": name}
    if isinstance(value, np.ndarray) and value.dtype == object and value.ndim == 1:
        return {"objects": [pack(member, arrays, where) for member in value]}
    if isinstance(value, list | tuple):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [pack(member, arrays, where) for member in value]}
    if isinstance(value, Mapping):
        return {
            "dict": [
                [pack(key, arrays, where), pack(member, arrays, where)]
                for key, member in value.items()
            ]
        }
    if isinstance(value, LDS):
        state = {name: getattr(value, name) for name in _FIELDS}
        return {"systems": {name: pack(member, arrays) for name, member in state.items()}}
    name = type(value).__name__
    if CLASSES.get(name) is not type(value):
        raise cannot_save(where, value)
    return {
        "class": name,
        "state": {
            key: pack(member, arrays, f"{name}.{key}")
            for key, member in _collect_state(value).items()
            if key not in _NOT_SAVED
        },
    }


def _share_memory(first: NDArray[Any], second: NDArray[Any]) -> bool:
    """Whether two arrays are views of the same memory with the same shape."""
    one, two = (
        (a.ctypes.data, a.dtype, a.shape, a.strides) if a.size else (id(a),)
        for a in (first, second)
    )
    return one == two


def _collect_state(value: Any) -> dict[str, Any]:
    """Return the attributes of an object, without fields of training systems that are never used.

    The mean is saved although not every kernel compares means: sequences sampled from a system of
    a model need it.
    """
    state = dict(vars(value))
    if isinstance(value, ReferenceKernel):
        if all(part != "deviation" for part, _, _ in value.parts):
            state["systems"] = drop_deviation(value.systems)
    elif isinstance(value, NearestLDSClassifier) and isinstance(state.get("systems_"), LDS):
        state["systems_"] = drop_deviation(state["systems_"])
    return state


def drop_deviation(systems: LDS) -> LDS:
    """Return the systems without their deviations; no array is copied."""
    arrays = {name: array for name, array in systems._arrays.items() if name != "deviation"}
    return LDS._from_trusted(**systems._settings, **arrays)


def unpack(node: Any, arrays: Arrays, depth: int = 0) -> Any:
    """Return what :func:`pack` was given; raise ValueError for values that it does not write."""
    if depth > _DEEPEST:
        raise ValueError("values nested too deeply")
    if node is None or isinstance(node, bool | int | float | str):
        return node
    if not isinstance(node, dict):
        raise ValueError(f"unexpected {type(node).__name__}")

    def restore(member: Any) -> Any:
        return unpack(member, arrays, depth + 1)

    match node:
        case {"number": str(text)} if text in ("nan", "inf", "-inf"):
            return float(text)
        case {"array": str(name)} if name in arrays:
            return arrays[name]
        case {"objects": list(members)}:
            values = np.empty(len(members), dtype=object)
            values[:] = [restore(member) for member in members]
            return values
        case {"list": list(members)}:
            return [restore(member) for member in members]
        case {"tuple": list(members)}:
            return tuple(restore(member) for member in members)
        case {"dict": list(pairs)} if all(isinstance(p, list) and len(p) == 2 for p in pairs):
            return _check_numbers({restore(key): restore(member) for key, member in pairs})
        case {"systems": dict(state)} if state.keys() <= set(_FIELDS):
            return LDS(**{name: restore(member) for name, member in state.items()})
        case {"class": str(name), "state": dict(state)} if name in CLASSES:
            return _make_object(CLASSES[name], {k: restore(member) for k, member in state.items()})
    raise ValueError(f"unexpected value {str(node)[:60]}")


def _make_object(kind: type, state: dict[str, Any]) -> Any:
    """Return an object of a known class with these attributes, and defaults for others."""
    parameters = inspect.signature(kind).parameters
    for name in state:
        if name not in parameters and not _is_attribute(kind, name):
            raise ValueError(f"unexpected attribute {name[:60]!r} of {kind.__name__}")
    defaults = {
        name: parameter.default
        for name, parameter in parameters.items()
        if parameter.default is not parameter.empty
    }
    missing = [name for name in parameters if name not in state and name not in defaults]
    if missing:
        raise ValueError(f"{kind.__name__} lacks {missing[0]}")
    instance: Any = object.__new__(kind)
    vars(instance).update({**defaults, **_check_numbers(state)})
    return instance


def _is_attribute(kind: type, name: str) -> bool:
    """Whether a name can be an attribute that `fit` sets, and not a method."""
    marked = name.endswith("_") or name.startswith("_") or name in _UNMARKED
    method = callable(getattr(kind, name, None))
    return name.isidentifier() and marked and not name.startswith("__") and not method


def _check_numbers(values: dict[Any, Any]) -> dict[Any, Any]:
    """Return the values; raise for parameters that would make a prediction endless."""
    for name, most in _LARGEST.items():
        value = values.get(name)
        if isinstance(value, int | float) and not abs(value) <= most:
            raise ValueError(f"{name} must be at most {most}; got {value}")
    return values


def cannot_save(where: str, value: object) -> _errors.InputTypeError:
    """Return the error about a part of an estimator that cannot be saved."""
    kind = type(value)
    if kind.__name__ in ("RandomState", "Generator"):
        return _errors.InputTypeError(
            f"{where} must be an integer or None to be saved; got a {kind.__name__}. Give it a "
            "seed by set_params: what was fitted stays as it is."
        )
    if callable(value) and not hasattr(value, "get_params"):
        name = getattr(value, "__name__", kind.__name__)
        return _errors.InputTypeError(
            f"{where} must be a name, a number or an array to be saved; got the function {name}. "
            "A file of a model holds no code: fit with a kernel or distance by its name."
        )
    known = ", ".join(sorted([*ESTIMATORS, *FOREIGN], key=str.lower))
    return _errors.InputTypeError(
        f"{where} must be of a class that can be saved; got {kind.__module__}.{kind.__qualname__}. "
        f"Use one of these: {known}. Or save the steps of a pipeline before it, "
        "pipeline[:-1], and keep the last one by other means."
    )
