"""What a page shows of an evaluation besides its numbers."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ldslearn.datasets.collection import Collection
from ldslearn.evaluate.clips import AtomClip, Clip, atom_clips, class_clips
from ldslearn.evaluate.examples import CodeExample, code_examples
from ldslearn.evaluate.methods import Settings
from ldslearn.evaluate.runs import Round
from ldslearn.evaluate.similarity import MOST_POINTS, Similarity, evenly, similarity

_MOST_EIGENVALUES = 360


@dataclass(frozen=True)
class Exhibits:
    """Things to look at, of all sequences or of the first round.

    Attributes
    ----------
    similarity : Similarity
    eigenvalues : dict of str to array of complex
        As fitted, and after the stabilizer if there is one.
    codes : tuple of CodeExample
    clips : tuple of Clip
    atoms : tuple of AtomClip
    """

    similarity: Similarity
    eigenvalues: dict[str, NDArray[np.complex128]]
    codes: tuple[CodeExample, ...] = ()
    clips: tuple[Clip, ...] = ()
    atoms: tuple[AtomClip, ...] = ()


def exhibit(data: Collection, first: Round, settings: Settings | None = None) -> Exhibits:
    """Return what to show of an evaluation.

    Parameters
    ----------
    data : Collection
        All of it.
    first : Round
        What :func:`~ldslearn.evaluate.evaluate` gives to `on_first`.
    settings : Settings, optional
    """
    with warnings.catch_warnings():
        # Of idle states and empty codes the evaluation has warned already.
        warnings.simplefilter("ignore", UserWarning)
        return _look(data, first, settings or Settings())


def _look(data: Collection, first: Round, settings: Settings) -> Exhibits:
    *before, encoder, _ = first.fit.pipeline
    one_window = clone(encoder).set_params(windows=1)
    shown = data[evenly(len(data), MOST_POINTS)]
    inputs: Any = shown.X
    for step in before:
        inputs = step.transform(inputs)
    systems = one_window.fit_transform(inputs)
    some = evenly(len(shown), max(1, _MOST_EIGENVALUES // systems.n_states))
    fitted = clone(one_window).set_params(stabilizer="none", n_states=systems.n_states)
    found = {"as fitted": fitted.fit_transform([inputs[i] for i in some])}
    if encoder.stabilizer != "none":
        found[f"made stable ({encoder.stabilizer})"] = systems[some]
    return Exhibits(
        similarity(systems, shown, settings.n_jobs),
        {name: np.linalg.eigvals(one.A).ravel() + 0j for name, one in found.items()},
        code_examples(first.fit.pipeline, first.known, first.unknown, first.predicted),
        class_clips(data, settings.seed),
        atom_clips(first.fit.pipeline, first.known, settings.seed),
    )
