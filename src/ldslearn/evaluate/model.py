"""A trained classifier with all that is needed to use it on new files, in one file."""

import hashlib
import json
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from ldslearn import _errors
from ldslearn._files import load_arrays, save_arrays
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.items import Reading
from ldslearn.evaluate.methods import DEFAULT_METHOD, Settings, find_method
from ldslearn.evaluate.packing import Arrays, pack, unpack
from ldslearn.evaluate.runs import chosen_values, describe, versions
from ldslearn.evaluate.selection import build_pipeline, choose

_KIND, _VERSION = "ldslearn model", 1


@dataclass(frozen=True)
class Model:
    """A fitted pipeline, and how files become what it takes.

    Attributes
    ----------
    pipeline : Pipeline
        :class:`~ldslearn.LDSEncoder` and a classifier, fitted.
    reading : Reading
        What was done to the training files; done to new ones, too.
    frame_shape : tuple of int or None
    about : dict
        Method, what was chosen and how it did, description and fingerprint of the training data,
        versions: plain values.
    """

    pipeline: Pipeline
    reading: Reading
    frame_shape: tuple[int, ...] | None
    about: dict[str, Any]

    def predict(self, X: list[NDArray[Any]]) -> NDArray[np.str_]:
        """Return the label of each sequence."""
        return self.pipeline.predict(X)

    def confidence(self, X: list[NDArray[Any]]) -> NDArray[np.float64] | None:
        """Return the share of each class in each sequence's explanation, where the method has one.

        Sparse coding has: (N, n_classes), as :meth:`SparseCodingClassifier.predict_proba`.
        """
        if not hasattr(self.pipeline, "predict_proba"):
            return None
        return self.pipeline.predict_proba(X)

    @property
    def classes(self) -> list[str]:
        """Labels the model can give."""
        return [str(label) for label in self.pipeline[-1].classes_]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to one file, whole or not at all."""
        arrays: Arrays = {}
        body = {
            "pipeline": pack(self.pipeline, arrays),
            "reading": self.reading.as_dict(),
            "frame_shape": None if self.frame_shape is None else list(self.frame_shape),
            "about": self.about,
        }
        body["digest"] = _digest(body, arrays)
        save_arrays(path, _KIND, _VERSION, body, arrays)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Model":
        """Read a model; nothing in the file is executed, and damage is noticed."""
        header, arrays = load_arrays(path, _KIND, _VERSION)
        try:
            body = {name: header[name] for name in ("pipeline", "reading", "frame_shape", "about")}
            if header["digest"] != _digest(body, arrays):
                raise ValueError("its contents do not match their checksum")
            pipeline = unpack(body["pipeline"], arrays)
            if not isinstance(pipeline, Pipeline):
                raise ValueError("it holds no pipeline")
            shape = body["frame_shape"]
            return cls(
                pipeline,
                Reading.from_dict(body["reading"]),
                None if shape is None else tuple(int(length) for length in shape),
                dict(body["about"]),
            )
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
            raise _errors.damaged_contents(path, error) from error


def train(
    data: Collection,
    method: str = DEFAULT_METHOD,
    *,
    n_states: int | None = None,
    sparsity: float | None = None,
    delays: int | None = None,
    encoder: dict[str, Any] | None = None,
    settings: Settings | None = None,
) -> Model:
    """Return a model trained on all of a collection; parameters as in ``evaluate``."""
    chosen_method, settings = find_method(method), settings or Settings()
    if data.y is None:
        raise _errors.invalid("the collection", "have labels", "none", "Use class folders.")
    choice = choose(
        chosen_method, data, settings,
        n_states=n_states, sparsity=sparsity, delays=delays, encoder=encoder,
    )  # fmt: skip
    pipeline = build_pipeline(chosen_method, choice, settings, encoder).fit(data.X, data.y)
    about = {
        "method": method,
        **chosen_values(choice),
        "tried": choice.tried,
        "data": describe(data),
        "versions": versions(),
    }
    reading = Reading.from_dict(data.preprocessing)
    if data.frame_shape is not None:  # new frames of any size become like these
        height, width, *colours = data.frame_shape
        reading = replace(
            reading, frames=replace(reading.frames, size=(height, width), colour=bool(colours))
        )
    return Model(pipeline, reading, data.frame_shape, about)


def _digest(body: dict[str, Any], arrays: Arrays) -> str:
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
