"""Fitted estimators as plain values and arrays, and back, without executing anything.

Classes are looked up in a fixed list; what is not on it can be neither saved nor loaded.
"""

import math
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, LinearSVC

from ldslearn import _errors
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
            return {below(key): below(member) for key, member in pairs}
        case {"systems": dict(state)} if set(state) == {field.name for field in fields(LDS)}:
            return LDS(**{name: below(member) for name, member in state.items()})
        case {"class": str(name), "state": dict(state)} if name in _CLASSES:
            instance: Any = object.__new__(_CLASSES[name])
            vars(instance).update({k: below(member) for k, member in state.items()})
            return instance
    raise ValueError(f"unexpected value {str(node)[:60]}")
