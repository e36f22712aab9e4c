"""Fitted estimators as plain values and arrays, and back, without executing anything.

Classes are looked up in a fixed list; what is not on it can be neither saved nor loaded.
"""

import inspect
import math
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, LinearSVC

from ldslearn import _errors
from ldslearn.auto import ChannelScaler
from ldslearn.classify import (
    LDSSVC,
    DictionaryClassifier,
    NearestLDSClassifier,
    SparseCodingClassifier,
)
from ldslearn.cluster import LDSKMeans
from ldslearn.coding import SparseCoder
from ldslearn.dictionary import FiniteDictionary, LDSDictionary
from ldslearn.dictionary.atoms import Atoms
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.recipe import Recipe
from ldslearn.geometry.fitted import FittedKernel
from ldslearn.models import LDS, LDSEncoder

Arrays = dict[str, NDArray[Any]]

_CLASSES: dict[str, type] = {
    known.__name__: known
    for known in (
        Atoms,
        ChannelScaler,
        Columns,
        DictionaryClassifier,
        FiniteDictionary,
        FittedKernel,
        LDSDictionary,
        LDSEncoder,
        LDSKMeans,
        LDSSVC,
        LinearSVC,
        NearestLDSClassifier,
        Pipeline,
        Recipe,
        SVC,
        SparseCoder,
        SparseCodingClassifier,
    )
}
_DEEPEST = 50  # nesting of a damaged or hostile file
# Numbers that decide how long a prediction takes: more than these nobody has saved.
_MOST = {"order": 1000, "delays": 10_000, "n_frequencies": 2**20, "n_jobs": 1024, "windows": 10_000}


def pack(value: Any, arrays: Arrays) -> Any:
    """Return `value` as something JSON can hold; arrays go to `arrays` under numbers."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float) and math.isfinite(value):
        return value
    if isinstance(value, float):
        return {"number": str(value)}
    if isinstance(value, np.generic):
        return pack(value.item(), arrays)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiubU":
        name = f"a{len(arrays)}"
        arrays[name] = value
        return {"array": name}
    if isinstance(value, list | tuple):
        return {type(value).__name__: [pack(member, arrays) for member in value]}
    if isinstance(value, dict):
        pairs = [[pack(key, arrays), pack(member, arrays)] for key, member in value.items()]
        return {"dict": pairs}
    if isinstance(value, LDS):
        state = {field.name: getattr(value, field.name) for field in fields(LDS)}
        return {"systems": {name: pack(member, arrays) for name, member in state.items()}}
    name = type(value).__name__
    if _CLASSES.get(name) is not type(value):
        raise _errors.cannot_save(value)
    return {"class": name, "state": {k: pack(v, arrays) for k, v in vars(value).items()}}


def unpack(node: Any, arrays: Arrays, depth: int = 0) -> Any:
    """Return what :func:`pack` was given; ValueError for anything it would not have written."""
    if depth > _DEEPEST:
        raise ValueError("values nested too deeply")
    if node is None or isinstance(node, bool | int | float | str):
        return node
    if not isinstance(node, dict):
        raise ValueError(f"unexpected {type(node).__name__}")

    def below(member: Any) -> Any:
        return unpack(member, arrays, depth + 1)

    match node:
        case {"number": str(text)} if text in ("nan", "inf", "-inf"):
            return float(text)
        case {"array": str(name)} if name in arrays:
            return arrays[name]
        case {"list": list(members)}:
            return [below(member) for member in members]
        case {"tuple": list(members)}:
            return tuple(below(member) for member in members)
        case {"dict": list(pairs)} if all(isinstance(p, list) and len(p) == 2 for p in pairs):
            return _checked({below(key): below(member) for key, member in pairs})
        case {"systems": dict(state)} if set(state) <= {field.name for field in fields(LDS)}:
            return LDS(**{name: below(member) for name, member in state.items()})
        case {"class": str(name), "state": dict(state)} if name in _CLASSES:
            return _restore(_CLASSES[name], {k: below(member) for k, member in state.items()})
    raise ValueError(f"unexpected value {str(node)[:60]}")


def _restore(kind: type, state: dict[str, Any]) -> Any:
    """An object of a known class with these attributes, defaults for parameters it lacks."""
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(kind).parameters.items()
        if parameter.default is not parameter.empty
    }
    instance: Any = object.__new__(kind)
    vars(instance).update({**defaults, **_checked(state)})
    if kind is SVC:
        _check_support(instance)
    return instance


def _checked(values: dict[Any, Any]) -> dict[Any, Any]:
    """The values, if none of the numbers that decide how long things take is absurd."""
    for name, most in _MOST.items():
        value = values.get(name)
        if isinstance(value, int | float) and not abs(value) <= most:
            raise ValueError(f"{name} = {value}")
    return values


def _check_support(svc: SVC) -> None:
    """Refuse support vectors that libsvm would look for outside of its memory."""
    support, counts = svc.support_, svc._n_support
    n_classes = len(svc.classes_)
    sound = (
        support.dtype == counts.dtype == np.int32
        and support.ndim == counts.ndim == 1
        and len(counts) == n_classes
        and (counts >= 0).all()
        and counts.sum() == len(support)
        and (support >= 0).all()
        and (support < svc.shape_fit_[0]).all()
        and svc.kernel == "precomputed"
        and svc._dual_coef_.shape == svc.dual_coef_.shape == (n_classes - 1, len(support))
        and svc._intercept_.shape == (n_classes * (n_classes - 1) // 2,)
        and svc._probA.shape == svc._probB.shape == (0,)
    )
    if not sound:
        raise ValueError("support vectors that do not fit together")
