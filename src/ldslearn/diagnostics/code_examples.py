"""Sparse codes of some test sequences."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from ldslearn._reprs import summarize_fields
from ldslearn.datasets.collection import Collection
from ldslearn.diagnostics.atom_use import measure_atom_use
from ldslearn.diagnostics.similarity import find_long_enough

_MOST = 6
_MOST_WRONG = 3
_MOST_BARS = 8


@dataclass(frozen=True)
class AtomName:
    """A training sequence with its label, or a learned atom with the class that uses it most."""

    label: str
    name: str
    learned: bool = False


@dataclass(frozen=True)
class CodeExample:
    """One test sequence and its largest coefficients.

    Attributes
    ----------
    name, label, predicted : str
    coefficients : tuple of float
        Largest first.
    atoms : tuple of AtomName
        Atom of each coefficient.
    n_nonzero : int
        Number of nonzero coefficients.
    """

    name: str
    label: str
    predicted: str
    coefficients: tuple[float, ...]
    atoms: tuple[AtomName, ...]
    n_nonzero: int

    __repr__ = summarize_fields


def choose_code_examples(
    pipeline: Pipeline, known: Collection, unknown: Collection, predicted: NDArray[Any]
) -> tuple[CodeExample, ...]:
    """Return codes of some wrong and some correct predictions; none of methods without codes."""
    coder = _find_coder(pipeline, known)
    if coder is None or unknown.y is None:
        return ()
    long = find_long_enough(unknown, pipeline[-2])
    chosen = long[_choose_indices(unknown.y[long], predicted[long])].tolist()
    compute_codes, atoms = coder
    codes = compute_codes(pipeline[:-1].transform(unknown[chosen].X))
    examples = []
    for index, code in zip(chosen, codes, strict=True):
        order = np.argsort(-np.abs(code), kind="stable")[:_MOST_BARS]
        used = [k for k in order if code[k] != 0]
        examples.append(
            CodeExample(
                unknown.names[index],
                str(unknown.y[index]),
                str(predicted[index]),
                tuple(float(code[k]) for k in used),
                tuple(atoms[k] for k in used),
                int(np.count_nonzero(code)),
            )
        )
    return tuple(examples)


def _find_coder(pipeline: Pipeline, known: Collection) -> tuple[Any, list[AtomName]] | None:
    """Return the function that codes systems, and the names of its atoms."""
    classifier = pipeline[-1]
    if hasattr(classifier, "codes_for"):
        labels = [str(label) for label in classifier.classes_[classifier.atom_classes_]]
        # A search over very many sequences keeps only some of them.
        names = known.names if len(known) == len(labels) else ("",) * len(labels)
        return classifier.codes_for, [AtomName(*pair) for pair in zip(labels, names, strict=True)]
    if hasattr(classifier, "dictionary_"):
        users = measure_atom_use(pipeline, known).users
        atoms = [AtomName(label, f"atom {k}", True) for k, label in enumerate(users, 1)]
        return classifier.dictionary_.transform, atoms
    return None


def _choose_indices(y: NDArray[np.str_], predicted: NDArray[Any]) -> list[int]:
    """Return indices of wrong, then of correct predictions, different classes first."""
    chosen: list[int] = []
    for kind, most in ((predicted != y, _MOST_WRONG), (predicted == y, _MOST)):
        indices = np.flatnonzero(kind)
        firsts = np.sort(np.unique(y[indices], return_index=True)[1])
        ordered = [*indices[firsts], *np.delete(indices, firsts)]
        chosen += [int(i) for i in ordered[: most - len(chosen)]]
    return chosen
