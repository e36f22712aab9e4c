"""Fitted estimators in one file: arrays, JSON and a checksum, and no code."""

import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from ldslearn import _errors
from ldslearn._arrays import damaged_contents, digest_contents, find_kind, load_arrays, save_arrays
from ldslearn._files import DAMAGE
from ldslearn._reprs import summarize_fields
from ldslearn._versions import list_versions
from ldslearn.models import LDS
from ldslearn.persist.checks import check_fitted, check_is_complete
from ldslearn.persist.classes import ESTIMATORS, FOREIGN
from ldslearn.persist.examples import try_out
from ldslearn.persist.packing import Arrays, cannot_save, pack, unpack

KIND, VERSION = "ldslearn model", 2
SYSTEMS = "ldslearn.LDS"
_DICTIONARY = "ldslearn dictionary"  # written by the command `learn` before version 2
KINDS = (KIND, SYSTEMS, _DICTIONARY)
_PARTS = {1: ("pipeline", "reading", "frame_shape", "about"), 2: ("estimator", "about", "saved")}
_MAX_REASON = 300


@dataclass(frozen=True)
class Saved:
    """The contents of a file.

    Attributes
    ----------
    estimator : estimator or LDS
    about : dict
        Plain values saved with it, such as a description of the training data.
    saved : dict
        ``class``, ``date`` and ``versions`` of the libraries; old files lack some.
    """

    estimator: Any
    about: dict[str, Any]
    saved: dict[str, Any]

    __repr__ = summarize_fields


def save(
    estimator: Any, path: str | os.PathLike[str], *, about: Mapping[str, Any] | None = None
) -> None:
    """Write a fitted estimator, a pipeline of them or an LDS batch to one file.

    The file holds arrays and JSON and nothing that is executed. It replaces an older one in one
    step. The loaded estimator gives the same predictions to the last bit, on a machine with the
    same libraries.

    The file does not say how training files were read: time column, channels, rate, size of frames.
    A model of :func:`ldslearn.evaluate.train` stores that with its own ``save``, so that
    `ldslearn predict` reads new files in the same way.

    Parameters
    ----------
    estimator : estimator or LDS
        Any fitted estimator of ldslearn, or a :class:`sklearn.pipeline.Pipeline` of them and of
        LinearSVC, LogisticRegression, RidgeClassifier, StandardScaler and SVC.
    path : path-like
        File to write.
    about : mapping, optional
        Plain values to save with it, such as a description of the training data;
        `ldslearn inspect` prints them. An LDS batch has none.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        If it, or a step of it, is not fitted.
    TypeError
        If it has a part that cannot be saved: an estimator of another class, a function as kernel,
        a RandomState.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import ldslearn
    >>> systems = ldslearn.LDS(A=[[0.5]], C=[[1.0], [0.0]])
    >>> coder = ldslearn.SparseCoder().fit(systems)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ldslearn.save(coder, Path(folder) / "coder.lds", about={"data": "one system"})
    ...     print(ldslearn.load(Path(folder) / "coder.lds").transform(systems).round(2))
    [[0.95]]
    """
    if isinstance(estimator, LDS):
        if about is not None:
            raise _errors.invalid_parameter("about", "not be given with an LDS batch", about)
        estimator.save(path)
        return
    known = {**ESTIMATORS, **FOREIGN}.get(type(estimator).__name__)
    if known is not type(estimator):
        raise cannot_save("estimator", estimator)
    arrays: Arrays = {}
    node = pack(estimator, arrays, "estimator")
    check_is_complete(estimator)
    body = {
        "estimator": node,
        "about": dict(about or {}),
        "saved": {
            "class": type(estimator).__name__,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": list_versions(),
        },
    }
    body["digest"] = digest_contents(body, arrays)
    save_arrays(path, KIND, VERSION, body, arrays)


def load(path: str | os.PathLike[str]) -> Any:
    """Return the estimator, or LDS batch, in a file written by :func:`ldslearn.save`.

    Files of `ldslearn train` and `ldslearn learn` are such files. Nothing in a file is executed;
    its checksum, and the kinds and sizes of its parts, are checked.

    Parameters
    ----------
    path : path-like
        File to read.

    Returns
    -------
    estimator or LDS

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import ldslearn
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "systems.lds"
    ...     ldslearn.save(ldslearn.LDS(A=[[0.5]], C=[[1.0], [0.0]]), path)
    ...     ldslearn.load(path)
    LDS(1 system, n_channels=2, n_states=1)
    """
    found = read_saved(path)
    if not isinstance(found.estimator, LDS):
        with explain_damage(path, DAMAGE):
            try_out(found.estimator)
    return found.estimator


def read_saved(path: str | os.PathLike[str]) -> Saved:
    """Return the contents of a file, with all checks but :func:`try_out`."""
    kind = find_kind(path)
    if kind == SYSTEMS:
        return Saved(LDS.load(path), {}, {"class": "LDS"})
    if kind == _DICTIONARY:
        header, arrays = load_arrays(path, _DICTIONARY, 1)
        return _unpack_saved(path, header.get("dictionary"), arrays, {}, {})
    header, arrays = load_arrays(path, KIND, VERSION)
    body: dict[str, Any] = {name: header.get(name) for name in _PARTS[header["version"]]}
    with explain_damage(path):
        if header.get("digest") != digest_contents(body, arrays):
            raise ValueError("its contents do not match their checksum")
        if not isinstance(body["about"], dict):
            raise ValueError("about must be a dict")
    if header["version"] == 1:
        about = {**body["about"], "reading": body["reading"], "frame_shape": body["frame_shape"]}
        saved = {"versions": about.get("versions")}
        return _unpack_saved(path, body["pipeline"], arrays, about, saved)
    return _unpack_saved(path, body["estimator"], arrays, body["about"], body["saved"])


def _unpack_saved(
    path: str | os.PathLike[str], node: Any, arrays: Arrays, about: dict[str, Any], saved: Any
) -> Saved:
    with explain_damage(path):
        if not isinstance(saved, dict):
            raise ValueError("saved must be a dict")
        theirs = saved.get("versions")
        if theirs is not None and not isinstance(theirs, dict):
            raise ValueError("versions must be a dict")
        estimator = unpack(node, arrays)
        check_fitted(estimator)
    ours = version("scikit-learn")
    made_with = str((theirs or {}).get("scikit-learn"))
    if _holds_foreign(node) and made_with.split(".")[:2] != ours.split(".")[:2]:
        text = (
            f"the model was made with scikit-learn {made_with}, and the installed version is "
            f"{ours}: its predictions may differ. Train it again, or install that version."
        )
        warnings.warn(text, stacklevel=3)
    return Saved(estimator, about, {"class": type(estimator).__name__, **saved})


def _holds_foreign(node: Any) -> bool:
    """Whether a packed value holds a fitted estimator of scikit-learn, pipelines aside."""
    if isinstance(node, dict):
        if node.get("class") in FOREIGN and any(name.endswith("_") for name in node["state"]):
            return True
        node = list(node.values())
    return isinstance(node, list) and any(map(_holds_foreign, node))


@contextmanager
def explain_damage(
    path: str | os.PathLike[str], errors: tuple[type[Exception], ...] = (Exception,)
) -> Iterator[None]:
    """Turn errors about the contents of a file into one message that names the file.

    Contents may have any type until they are checked, and code that unpacks them raises any error.
    Pass ``DAMAGE`` for `errors` once they are: any other error is then a bug in ldslearn.
    """
    try:
        yield
    except MemoryError:  # sizes were checked: the machine lacks memory
        raise
    except errors as error:
        reason = str(error) or type(error).__name__
        raise damaged_contents(path, reason[:_MAX_REASON]) from error
