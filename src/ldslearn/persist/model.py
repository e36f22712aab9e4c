"""A trained classifier with all that is needed to use it on new files, in one file."""

import math
from dataclasses import dataclass
from os import PathLike
from typing import Any

from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from ldslearn import _errors
from ldslearn._files import DAMAGE
from ldslearn.auto import AutoLDSClassifier
from ldslearn.auto.certainty import Prediction, predict_with_certainty
from ldslearn.auto.scaling import channels_are_scaled
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.rates import parse_rates, warn_of_other_rates
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.models import LDS, LDSEncoder
from ldslearn.persist.checks import try_out
from ldslearn.persist.files import explain_damage, read, save
from ldslearn.scale import LDSStore

_DECISIVE = ("crop", "stride", "features", "rate")  # of reading: else channels mean something else
_ABOUT = ("method", "n_states", "delays", "sparsity", "tried", "data", "versions")


@dataclass(frozen=True)
class Model:
    """A fitted classifier of sequences, and how files become sequences.

    Attributes
    ----------
    estimator : AutoLDSClassifier or Pipeline
        Fitted; of sequences. A pipeline has an :class:`~ldslearn.LDSEncoder`.
    reading : ReadingSettings
        What was done to the training files; done to new ones, too.
    frame_shape : tuple of int or None
    about : dict
        Method, what was chosen and how it did, description and fingerprint of the training data,
        versions: plain values. Empty for an estimator saved by :func:`ldslearn.save`.
    """

    estimator: Any
    reading: ReadingSettings
    frame_shape: tuple[int, ...] | None
    about: dict[str, Any]

    @property
    def pipeline(self) -> Pipeline:
        """Steps of the estimator; of an automatic one, those that were chosen."""
        return getattr(self.estimator, "pipeline_", self.estimator)

    def predict(self, X: list[NDArray[Any]]) -> NDArray[Any]:
        """Return the label of each sequence."""
        return self.estimator.predict(X)

    def predict_with_certainty(self, X: list[NDArray[Any]]) -> Prediction:
        """Return labels of sequences, and how sure they are."""
        return predict_with_certainty(self.estimator, X)

    def predict_stored(self, store: LDSStore) -> Prediction:
        """Return what :meth:`predict_with_certainty` does, of systems in a store.

        The store must have been made by an encoder, and from files read, like those of the model.
        """
        about = store.about
        theirs = {**about.get("encoder", {}), **about.get("reading", {})}
        if "frame" in about:
            theirs["frame_shape"] = about["frame"][1:] or None
        mine = {**self.encoder_of_stores().get_params(), **self.reading.as_dict()}
        for name in ("time", "channels"):  # recognised when the store was made: nothing else asked
            if mine[name] is None:
                theirs.pop(name, None)
        self._check_same({**mine, "frame_shape": self.frame_shape}, theirs, "store")
        rates, known = parse_rates(store.read_texts("rates")), self.about.get("data") or {}
        names = store.read_texts("names") or [f"sequence {i}" for i in range(len(store))]
        warn_of_other_rates(names, rates, known.get("rates"))
        automatic = isinstance(self.estimator, AutoLDSClassifier)
        return predict_with_certainty(self.estimator if automatic else self._rest, store)

    def encoder_of_stores(self) -> LDSEncoder:
        """Return the encoder, by which a store must be made that the model is to label."""
        if self._n_before > 1:
            raise channels_are_scaled()
        return self._encoder

    @property
    def _n_before(self) -> int:
        """Steps up to the encoder."""
        kinds = [isinstance(step, LDSEncoder) for _, step in self.pipeline.steps]
        return 1 + kinds.index(True)

    @property
    def _encoder(self) -> LDSEncoder:
        return self.pipeline[self._n_before - 1]

    @property
    def _rest(self) -> Any:
        """What labels systems: the steps after the encoder."""
        rest = self.pipeline[self._n_before :]
        return rest[0] if len(rest) == 1 else rest

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
        rates = (self.about.get("data") or {}).get("rates")
        warn_of_other_rates(data.names, data.rates, rates)

    @staticmethod
    def _check_same(mine: dict[str, Any], theirs: dict[str, Any], whose: str) -> None:
        for name, got in theirs.items():
            expected, found = (
                list(value) if isinstance(value, tuple) else value
                for value in (mine.get(name), got)
            )
            if found != expected:
                raise _unlike_model(name, whose, found, expected)

    @property
    def classes(self) -> list[str]:
        """Labels the model can give."""
        return [str(label) for label in self.estimator.classes_]

    @property
    def systems(self) -> LDS:
        """The atoms of a dictionary, or the training systems that other methods keep.

        Support vector machines keep the support systems; of indefinite kernels, all.
        """
        for _, step in self.pipeline.steps:
            dictionary = getattr(step, "dictionary_", step)
            if hasattr(dictionary, "atoms_"):
                return dictionary.atoms_.systems()
            if hasattr(step, "systems_"):
                return step.systems_
            fitted = getattr(step, "coder_", step)
            if hasattr(fitted, "kernel_"):
                return fitted.kernel_.systems
        raise _errors.invalid("the model", "keep systems or atoms", "none", "Train another method.")

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to one file, whole or not at all; see :func:`ldslearn.save`."""
        shape = None if self.frame_shape is None else list(self.frame_shape)
        about = {**self.about, "reading": self.reading.as_dict(), "frame_shape": shape}
        save(self.estimator, path, about=about)

    @classmethod
    def load(cls, path: str | PathLike[str], *, try_it: bool = True) -> "Model":
        """Read a model; nothing in the file is executed, and damage is noticed.

        A classifier of sequences that was saved by :func:`ldslearn.save` is a model, too. It does
        not know how files were read: they are read as they are.
        """
        found = read(path)
        if not cls._takes_sequences(found.estimator):
            raise _errors.bad_file(
                path,
                "hold a classifier of sequences",
                type(found.estimator).__name__,
                "Train one with `ldslearn train`, or save a pipeline with an LDSEncoder and a "
                "classifier.",
            )
        about = dict(found.about)
        with explain_damage(path):
            reading = about.pop("reading", ReadingSettings().as_dict())
            shape = about.pop("frame_shape", None)
            model = cls(
                found.estimator,
                ReadingSettings.from_dict(reading),
                None if shape is None else tuple(map(int, shape)),
                about,
            )
            model._check()
        if try_it:
            with explain_damage(path, DAMAGE):
                try_out(model.estimator)
        return model

    @staticmethod
    def _takes_sequences(estimator: Any) -> bool:
        if isinstance(estimator, AutoLDSClassifier):
            return True
        steps = getattr(estimator, "steps", [])
        encoders = [isinstance(step, LDSEncoder) for _, step in steps]
        return any(encoders[:-1]) and hasattr(steps[-1][1], "predict")

    def _check(self) -> None:
        """Raise unless the parts belong together."""
        missing = [name for name in _ABOUT if self.about and name not in self.about]
        if missing:
            raise ValueError(f"it does not tell its {missing[0]}")
        if self.about and not isinstance(self.about["data"], dict):
            raise ValueError("it does not tell its data")
        shape = self.frame_shape
        if shape is not None and math.prod(shape) != self._encoder.n_channels_in_:
            raise ValueError(f"frames of shape {shape} have another number of channels")
        if shape is not None and self.reading.frames.size != shape[:2]:
            raise ValueError(f"files are not read as frames of shape {shape}")


def _unlike_model(name: str, whose: str, got: object, expected: object) -> ValueError:
    """A store or collection that was made in another way than what a model was trained on."""
    remedies = {
        "store": "Encode the files as the model does: ldslearn encode --like MODEL.",
        "collection": "Predict from the files: the model reads them as those of training.",
    }
    return _errors.invalid(
        f"{name} of the {whose}",
        f"be {expected!r}, as the model was trained with",
        repr(got),
        remedies[whose],
    )
