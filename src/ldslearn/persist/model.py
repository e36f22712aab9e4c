"""A trained classifier in one file, with everything that new files need."""

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
from ldslearn.datasets.rates import parse_rates, warn_of_other_rates, warn_of_unchecked_rates
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.models import LDS, LDSEncoder, LDSImputer
from ldslearn.persist.examples import try_out
from ldslearn.persist.files import explain_damage, read_saved, save
from ldslearn.persist.model_html import describe_model, render_model
from ldslearn.persist.setting_checks import check_settings
from ldslearn.random_systems import RandomSystems, RandomSystemsClassifier
from ldslearn.scale import LDSStore

_DECISIVE = ("crop", "stride", "features", "rate")  # settings that change what channels mean
_ENCODERS = (LDSEncoder, RandomSystems, RandomSystemsClassifier)  # know the channels of training
_ABOUT = ("method", "n_states", "delays", "sparsity", "tried", "data", "versions")


@dataclass(frozen=True)
class Model:
    """A fitted classifier of sequences, and how files become sequences.

    Attributes
    ----------
    estimator : AutoLDSClassifier, RandomSystemsClassifier or Pipeline
        Fitted; of sequences. A pipeline has an :class:`~ldslearn.LDSEncoder`,
        :class:`~ldslearn.RandomSystems` or :class:`~ldslearn.RandomSystemsClassifier`.
    reading : ReadingSettings
        How the training files were read, and new files are.
    frame_shape : tuple of int or None
        Shape of the frames of videos.
    about : dict
        Plain values: method, chosen parameters and their scores, description and fingerprint of
        the training data, versions. Empty for an estimator saved by :func:`ldslearn.save`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.pipeline import make_pipeline
    >>> from ldslearn import LDSEncoder, NearestLDSClassifier, save
    >>> from ldslearn.persist import Model
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> pipeline = make_pipeline(LDSEncoder(n_states=4), NearestLDSClassifier("projection"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(pipeline.fit(X_train, y_train), Path(folder) / "model.lds")
    ...     model = Model.load(Path(folder) / "model.lds")
    >>> model.classes
    ['Badminton', 'Running', 'Standing', 'Walking']
    >>> model.systems
    LDS(40 systems, n_channels=6, n_states=4, with B, mean, x0, noise_variance)
    """

    estimator: Any
    reading: ReadingSettings
    frame_shape: tuple[int, ...] | None
    about: dict[str, Any]

    def __repr__(self) -> str:
        return describe_model(self)

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return render_model(self)

    @property
    def pipeline(self) -> Pipeline:
        """The pipeline of the estimator; of an automatic one, the chosen pipeline."""
        found = getattr(self.estimator, "pipeline_", self.estimator)
        return found if isinstance(found, Pipeline) else Pipeline([("classifier", found)])

    def predict(self, X: list[NDArray[Any]]) -> NDArray[Any]:
        """Return the label of each sequence.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays

        Returns
        -------
        (N,) array
        """
        return self.estimator.predict(X)

    def predict_with_certainty(self, X: list[NDArray[Any]]) -> Prediction:
        """Return labels of sequences, and how certain they are.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays

        Returns
        -------
        Prediction
        """
        self._check_classifies()
        return predict_with_certainty(self.estimator, X)

    def _check_classifies(self) -> None:
        """Raise for a detector or a regressor."""
        if not self.classes:
            remedy = "Load it by ldslearn.load, and call predict."
            if not hasattr(self.pipeline[-1], "score"):
                remedy = "A detector of novelty scores recordings: ldslearn watch MODEL RECORDING."
            raise _errors.invalid(
                "the model", "be a classifier to predict labels", type(self.pipeline[-1]).__name__,
                remedy,
            )  # fmt: skip

    def predict_stored(self, store: LDSStore) -> Prediction:
        """Return labels of the systems in a store, and how certain they are.

        Parameters
        ----------
        store : LDSStore
            With the encoder and the reading settings of the model.

        Returns
        -------
        Prediction
        """
        self._check_classifies()
        about = store.about
        theirs = {**about.get("encoder", {}), **about.get("reading", {})}
        if "frame" in about:
            theirs["frame_shape"] = about["frame"][1:] or None
        mine = {**self.find_store_encoder().get_params(), **self.reading.as_dict()}
        for name in ("time", "channels"):  # found in the files, and not set by the model
            if mine[name] is None:
                theirs.pop(name, None)
        check_settings({**mine, "frame_shape": self.frame_shape}, theirs, "store")
        rates, known = parse_rates(store.read_texts("rates")), self.about.get("data") or {}
        names = store.read_texts("names") or [f"sequence {i}" for i in range(len(store))]
        warn_of_other_rates(names, rates, known.get("rates"))
        automatic = isinstance(self.estimator, AutoLDSClassifier)
        return predict_with_certainty(self.estimator if automatic else self._classifier, store)

    def find_store_encoder(self) -> LDSEncoder:
        """Return the encoder that a store needs for this model to predict its labels."""
        if isinstance(self.estimator, AutoLDSClassifier):
            self.estimator.check_systems_suffice()
        if not isinstance(self._encoder, LDSEncoder):
            raise _errors.invalid(
                "the model", "encode sequences as systems to label a store",
                "random systems, which are driven by sequences",
                "Predict from the sequences or files.",
            )  # fmt: skip
        if self._n_before > 1:
            raise channels_are_scaled()
        return self._encoder

    @property
    def _n_before(self) -> int:
        """Steps up to the one that takes sequences of the channels of training."""
        kinds = [isinstance(step, _ENCODERS) for _, step in self.pipeline.steps]
        return 1 + kinds.index(True)

    @property
    def _encoder(self) -> Any:
        """The encoder, or random systems."""
        return self.pipeline[self._n_before - 1]

    @property
    def _classifier(self) -> Any:
        """The classifier of systems: the steps after the encoder."""
        rest = self.pipeline[self._n_before :]
        return rest[0] if len(rest) == 1 else rest

    @property
    def frame(self) -> tuple[int, ...]:
        """Channels of the training sequences, and the shape of their frames if they have any."""
        return (self._encoder.n_channels_in_, *(self.frame_shape or ()))

    def check_data(self, data: Collection) -> None:
        """Raise unless a collection has the channels and reading settings of the training data.

        Parameters
        ----------
        data : Collection
        """
        expected = self._encoder.n_channels_in_
        if len(data.X[0]) != expected:
            frames = "" if self.frame_shape is None else f", frames of shape {self.frame_shape}"
            raise _errors.invalid(
                data.names[0], f"have {expected} channels like the training data{frames}",
                len(data.X[0]), "",
            )  # fmt: skip
        if data.frame_shape is not None and self.frame_shape is not None:
            shapes = {"frame_shape": self.frame_shape}, {"frame_shape": data.frame_shape}
            check_settings(*shapes, "collection")
        if data.preprocessing:
            theirs = {k: v for k, v in data.preprocessing.items() if k in _DECISIVE}
            check_settings(self.reading.as_dict(), theirs, "collection")
        rates = (self.about.get("data") or {}).get("rates")
        warn_of_other_rates(data.names, data.rates, rates)
        if not self.about:
            warn_of_unchecked_rates(data.rates)

    @property
    def classes(self) -> list[str]:
        """Labels that the model predicts; none of a detector of novelty."""
        return [str(label) for label in getattr(self.estimator, "classes_", ())]

    @property
    def systems(self) -> LDS:
        """The atoms of a dictionary, or the training systems that other methods keep.

        Support vector machines keep their support systems, or all if the kernel is indefinite.
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
        """Write the model to one file, completely or not at all; see :func:`ldslearn.save`.

        Parameters
        ----------
        path : path-like
        """
        shape = None if self.frame_shape is None else list(self.frame_shape)
        about = {**self.about, "reading": self.reading.as_dict(), "frame_shape": shape}
        save(self.estimator, path, about=about)

    @classmethod
    def load(cls, path: str | PathLike[str], *, try_it: bool = True) -> "Model":
        """Return the model in a file; nothing in it is executed, and damage is an error.

        A classifier of sequences that was saved by :func:`ldslearn.save` is a model as well. It
        reads files with default settings, and with gaps if it takes them.

        Parameters
        ----------
        path : path-like
        try_it : bool, default=True
            Also predict one example, which finds damage that other checks do not.

        Returns
        -------
        Model
        """
        found = read_saved(path)
        if not cls._is_sequence_classifier(found.estimator):
            raise _errors.bad_file(
                path,
                "hold a classifier of sequences",
                type(found.estimator).__name__,
                "Train one with `ldslearn train`, or save a pipeline with an LDSEncoder and a "
                "classifier, or a RandomSystemsClassifier.",
            )
        about = dict(found.about)
        with explain_damage(path):
            defaults = ReadingSettings(gaps=cls._takes_gaps(found.estimator))
            reading = about.pop("reading", defaults.as_dict())
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
    def _is_sequence_classifier(estimator: Any) -> bool:
        if isinstance(estimator, AutoLDSClassifier | RandomSystemsClassifier):
            return True
        steps = getattr(estimator, "steps", [])
        encoders = [isinstance(step, _ENCODERS) for _, step in steps]
        return any(encoders) and hasattr(steps[-1][1], "predict")

    @staticmethod
    def _takes_gaps(estimator: Any) -> bool:
        """Return whether NaN is a missing sample to the first step, which sees it."""
        first = getattr(estimator, "steps", [("", estimator)])[0][1]
        return isinstance(first, LDSImputer) or getattr(first, "missing", "raise") == "smooth"

    def _check(self) -> None:
        """Raise unless the parts belong together."""
        missing = [name for name in _ABOUT if self.about and name not in self.about]
        if missing:
            raise ValueError(f"about has no {missing[0]}")
        if self.about and not isinstance(self.about["data"], dict):
            raise ValueError("data must be a dict")
        shape = self.frame_shape
        if shape is not None and math.prod(shape) != self._encoder.n_channels_in_:
            raise ValueError(f"frames of shape {shape} have another number of channels")
        if shape is not None and self.reading.frames.size != shape[:2]:
            raise ValueError(f"files are not read as frames of shape {shape}")
