"""All diagnostics of an evaluation."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ldslearn._reprs import summarize_fields
from ldslearn._types import Complexes, Indices
from ldslearn.datasets.collection import Collection
from ldslearn.diagnostics.chosen_kernel import compute_chosen_kernel, describe_chosen_kernel
from ldslearn.diagnostics.clips import AtomClip, Clip, make_atom_clips, make_class_clips
from ldslearn.diagnostics.code_examples import CodeExample, choose_code_examples
from ldslearn.diagnostics.mistakes import Mistake, choose_mistakes, extract_mistakes
from ldslearn.diagnostics.similarity import (
    MOST_POINTS,
    Similarity,
    compute_similarity,
    find_long_enough,
)
from ldslearn.drawing.sampling import space_evenly
from ldslearn.evaluate.runs import Round
from ldslearn.evaluate.settings import Settings
from ldslearn.random_systems import RandomSystemsClassifier

_MOST_EIGENVALUES = 360
_MOST_NUMBERS = 40_000_000  # in the measurement matrices that a map is computed from


@dataclass(frozen=True)
class Diagnostics:
    """Diagnostics of the collection and of the first round.

    Attributes
    ----------
    similarity : Similarity
    eigenvalues : dict of str to array of complex
        As fitted, and after the stabilizer if there is one.
    codes : tuple of CodeExample
    clips : tuple of Clip
    atoms : tuple of AtomClip
    mistakes : tuple of Mistake
    """

    similarity: Similarity
    eigenvalues: dict[str, Complexes]
    codes: tuple[CodeExample, ...] = ()
    clips: tuple[Clip, ...] = ()
    atoms: tuple[AtomClip, ...] = ()
    mistakes: tuple[Mistake, ...] = ()

    __repr__ = summarize_fields


def compute_diagnostics(
    data: Collection,
    first: Round,
    settings: Settings | None = None,
    misclassified: Sequence[Mapping[str, Any]] = (),
) -> Diagnostics:
    """Return the diagnostics of an evaluation.

    Parameters
    ----------
    data : Collection
        All sequences of the evaluation.
    first : Round
        As :func:`~ldslearn.evaluate.evaluate` passes it to `on_first`.
    settings : Settings, optional
    misclassified : sequence of dict
        ``record["misclassified"]`` of the evaluation; some of these sequences are included.
    """
    settings = settings or Settings()
    with warnings.catch_warnings():
        # The evaluation has warned already, for example of empty codes.
        warnings.simplefilter("ignore", UserWarning)
        fit = first.fit
        if isinstance(fit.estimator, RandomSystemsClassifier):
            return _diagnose_random_systems(data, fit.estimator, settings, misclassified)
        *before, encoder, _ = fit.pipeline
        shown = data[_choose_sequences(data, encoder)]
        inputs: Any = shown.X
        for step in before:
            inputs = step.transform(inputs)
        systems = encoder.transform(inputs)
        some = space_evenly(len(shown), max(1, _MOST_EIGENVALUES // systems.n_states))
        few = [inputs[i] for i in some]
        one_window = clone(encoder).set_params(windows=1, n_states=systems.n_states)
        found = {"as fitted": clone(one_window).set_params(stabilizer="none").fit_transform(few)}
        if encoder.stabilizer != "none":
            found[f"stabilized ({encoder.stabilizer})"] = one_window.fit_transform(few)
        K = compute_chosen_kernel(fit, systems, settings.n_jobs)
        mistakes = choose_mistakes(misclassified)
        return Diagnostics(
            compute_similarity(K, shown, describe_chosen_kernel(fit), len(data)),
            {name: np.linalg.eigvals(one.A).ravel() + 0j for name, one in found.items()},
            choose_code_examples(fit.pipeline, first.known, first.unknown, first.predicted),
            make_class_clips(data, settings.seed, len(mistakes)),
            make_atom_clips(fit.pipeline, first.known, settings.seed, len(mistakes)),
            extract_mistakes(data, mistakes),
        )


def _diagnose_random_systems(
    data: Collection,
    classifier: RandomSystemsClassifier,
    settings: Settings,
    misclassified: Sequence[Mapping[str, Any]],
) -> Diagnostics:
    """Return the diagnostics of a classifier that encodes no systems: no eigenvalues, no codes."""
    shown = data[space_evenly(len(data), MOST_POINTS)]
    features = classifier.compute_features(shown.X)
    K, mistakes = features @ features.T / features.shape[1], choose_mistakes(misclassified)
    name = "inner product of the scaled features of random systems"
    return Diagnostics(
        compute_similarity(K, shown, name, len(data)),
        {},
        clips=make_class_clips(data, settings.seed, len(mistakes)),
        mistakes=extract_mistakes(data, mistakes),
    )


def _choose_sequences(data: Collection, encoder: Any) -> Indices:
    """Return indices of at most a thousand sequences, fewer of large systems, none too short."""
    long = find_long_enough(data, encoder)
    n_windows = int(np.sum(encoder.windows))
    size = len(data.X[0]) * encoder.delays * encoder.n_states_ * n_windows
    return long[space_evenly(len(long), min(MOST_POINTS, max(100, _MOST_NUMBERS // size)))]
