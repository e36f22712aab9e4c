"""A trained classifier with all that is needed to use it on new files, in one file."""

import hashlib
import json
import math
import warnings
from dataclasses import dataclass, replace
from importlib.metadata import version
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ldslearn import _errors
from ldslearn._files import load_arrays, save_arrays
from ldslearn.auto import ChannelScaler
from ldslearn.classify import LDSSVC, DictionaryClassifier
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.items import Reading
from ldslearn.evaluate.fitting import fit_method
from ldslearn.evaluate.methods import DEFAULT_METHOD, Settings, find_method
from ldslearn.evaluate.packing import Arrays, pack, unpack
from ldslearn.evaluate.runs import describe, versions
from ldslearn.models import LDSEncoder, LDSStore

KIND, _VERSION = "ldslearn model", 1
_PARTS = ("pipeline", "reading", "frame_shape", "about")
_DECISIVE = ("crop", "stride", "features")  # of reading: with others channels mean something else
_ABOUT = ("method", "n_states", "delays", "sparsity", "tried", "data", "versions")


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
        return self.predict_shares(X)[0]

    def predict_shares(
        self, X: list[NDArray[Any]]
    ) -> tuple[NDArray[np.str_], NDArray[np.float64] | None]:
        """Return labels, and the share of every class in each explanation, where there is one.

        Sparse coding has: (N, n_classes), as :meth:`SparseCodingClassifier.predict_proba`.
        """
        *steps, classifier = self.pipeline
        systems: Any = X
        for step in steps:
            systems = step.transform(systems)
        explains = hasattr(classifier, "predict_proba")
        shares = classifier.predict_proba(systems) if explains else None
        return classifier.predict(systems), shares

    def predict_stored(
        self, store: LDSStore
    ) -> tuple[NDArray[np.str_], NDArray[np.float64] | None]:
        """Return labels and shares of systems in a store, as :meth:`predict_shares`.

        The store must have been made by an encoder, and from files read, like those of the model.
        """
        classifier = self.pipeline[-1]
        about = store.about
        theirs = {**about.get("encoder", {}), **about.get("reading", {})}
        if "frame" in about:
            theirs["frame_shape"] = about["frame"][1:] or None
        mine = {**self.encoder_of_stores().get_params(), **self.reading.as_dict()}
        self._check_same({**mine, "frame_shape": self.frame_shape}, theirs, "store")
        shares = classifier.predict_proba(store) if hasattr(classifier, "predict_proba") else None
        return classifier.predict(store), shares

    def encoder_of_stores(self) -> LDSEncoder:
        """Return the encoder, by which a store must be made that the model is to label."""
        if len(self.pipeline) > 2:
            raise _errors.invalid(
                "the model", "take channels as they are", "one that scales them",
                "Systems in a store are not scaled: predict from the files.",
            )  # fmt: skip
        return self._encoder

    @property
    def _encoder(self) -> LDSEncoder:
        return self.pipeline[-2]

    @property
    def frame(self) -> tuple[int, ...]:
        """Channels of the training sequences, and the shape of their frames if they have any."""
        return (self._encoder.n_channels_in_, *(self.frame_shape or ()))

    def check_like(self, data: Collection) -> None:
        """Raise unless sequences have the channels of those of training, and were read alike."""
        expected = self._encoder.n_channels_in_
        if len(data.X[0]) != expected:
            frames = "" if self.frame_shape is None else f", frames of shape {self.frame_shape}"
            raise _errors.invalid(
                data.names[0], f"have {expected} channels like the training data{frames}",
                len(data.X[0]), "",
            )  # fmt: skip
        if data.frame_shape is not None and self.frame_shape is not None:
            shapes = {"frame_shape": self.frame_shape}, {"frame_shape": data.frame_shape}
            self._check_same(*shapes, "collection")
        if data.preprocessing:
            theirs = {k: v for k, v in data.preprocessing.items() if k in _DECISIVE}
            self._check_same(self.reading.as_dict(), theirs, "collection")

    @staticmethod
    def _check_same(mine: dict[str, Any], theirs: dict[str, Any], whose: str) -> None:
        for name, got in theirs.items():
            expected, found = (
                list(value) if isinstance(value, tuple) else value
                for value in (mine.get(name), got)
            )
            if found != expected:
                raise _errors.unlike_model(name, whose, found, expected)

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
        save_arrays(path, KIND, _VERSION, body, arrays)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Model":
        """Read a model; nothing in the file is executed, and damage is noticed."""
        header, arrays = load_arrays(path, KIND, _VERSION)
        try:
            body: dict[str, Any] = {name: header.get(name) for name in _PARTS}
            if header.get("digest") != _digest(body, arrays):
                raise ValueError("its contents do not match their checksum")
            model = cls(
                unpack(body["pipeline"], arrays),
                Reading.from_dict(body["reading"]),
                None if body["frame_shape"] is None else tuple(map(int, body["frame_shape"])),
                dict(body["about"]),
            )
            model._check()
        except Exception as error:  # whatever a hostile file makes of its parts
            raise _errors.damaged_contents(path, error) from error
        return model

    def _check(self) -> None:
        """Raise unless the parts belong together."""
        steps = [step for _, step in getattr(self.pipeline, "steps", ())]
        kinds = [type(step) for step in steps[:-1]]
        if kinds not in ([LDSEncoder], [ChannelScaler, LDSEncoder]):
            raise ValueError("it is not an encoder and a classifier")
        check_is_fitted(steps[-1])
        if not isinstance(getattr(steps[-1], "classes_", None), np.ndarray):
            raise ValueError("its classifier is not fitted")
        missing = [name for name in _ABOUT if name not in self.about]
        if missing:
            raise ValueError(f"it does not tell its {missing[0]}")
        shape = self.frame_shape
        if shape is not None and math.prod(shape) != self._encoder.n_channels_in_:
            raise ValueError(f"frames of shape {shape} have another number of channels")
        if shape is not None and self.reading.frames.size != shape[:2]:
            raise ValueError(f"files are not read as frames of shape {shape}")
        theirs, ours = self.about["versions"].get("scikit-learn"), version("scikit-learn")
        foreign = isinstance(steps[-1], LDSSVC | DictionaryClassifier)
        if foreign and str(theirs).split(".")[:2] != ours.split(".")[:2]:
            warnings.warn(_errors.made_elsewhere("scikit-learn", theirs, ours), stacklevel=3)


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
        raise _errors.no_labels(data.names)
    if len(data.classes) < 2:
        raise _errors.too_few_classes(data.classes[0], len(data))
    reading = _reading_of(data)
    fit = fit_method(
        chosen_method, data, settings,
        n_states=n_states, sparsity=sparsity, delays=delays, encoder=encoder,
    )  # fmt: skip
    about = {
        "method": method,
        **fit.choice.values(),
        "tried": fit.choice.tried,
        "report": fit.report,
        "data": describe(data),
        "versions": versions(),
    }
    return Model(fit.pipeline, reading, data.frame_shape, about)


def _reading_of(data: Collection) -> Reading:
    """How new files become like those of a collection."""
    try:
        reading = Reading.from_dict(data.preprocessing)
    except TypeError as error:
        raise _errors.invalid(
            "Collection.preprocessing", "hold options of load_folder", data.preprocessing, ""
        ) from error
    if data.frame_shape is None:
        return reading
    height, width, *colours = data.frame_shape  # new frames of any size become like these
    frames = replace(reading.frames, size=(height, width), colour=bool(colours))
    return replace(reading, frames=frames)


def _digest(body: dict[str, Any], arrays: Arrays) -> str:
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
