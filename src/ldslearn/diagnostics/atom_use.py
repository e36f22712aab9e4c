"""Which classes lean on which atoms of a dictionary."""

from dataclasses import dataclass

import numpy as np
from sklearn.pipeline import Pipeline

from ldslearn._types import Floats
from ldslearn.datasets.collection import Collection
from ldslearn.diagnostics.similarity import space_evenly

_MOST_CODED = 200


@dataclass(frozen=True)
class AtomUse:
    """Of each column of the codes.

    Attributes
    ----------
    users : tuple of str
        The class whose coefficients are the largest.
    shares : (J,) array
        Of the coefficients of all classes, those of this class.
    sizes : (J,) array
        Mean absolute coefficients, summed over classes.
    """

    users: tuple[str, ...]
    shares: Floats
    sizes: Floats


def measure_atom_use(pipeline: Pipeline, known: Collection) -> AtomUse:
    """Return how training sequences, or two hundred of them, use a dictionary."""
    some = known[space_evenly(len(known), _MOST_CODED)]
    codes = pipeline[-1].dictionary_.transform(pipeline[:-1].transform(some.X))
    of_classes = np.array([np.abs(codes[some.y == label]).mean(axis=0) for label in some.classes])
    sizes = of_classes.sum(axis=0)
    shares = of_classes.max(axis=0) / np.where(sizes > 0, sizes, 1.0)
    return AtomUse(tuple(some.classes[c] for c in of_classes.argmax(axis=0)), shares, sizes)
