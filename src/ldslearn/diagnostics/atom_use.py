"""Which classes use which atoms of a dictionary."""

from dataclasses import dataclass

import numpy as np
from sklearn.pipeline import Pipeline

from ldslearn._reprs import summarize_fields
from ldslearn._types import Floats
from ldslearn.datasets.collection import Collection
from ldslearn.drawing.sampling import space_evenly

_MOST_CODED = 200  # sequences


@dataclass(frozen=True)
class AtomUse:
    """Use of each column of the codes.

    Attributes
    ----------
    users : tuple of str
        Class with the largest mean absolute coefficient.
    shares : (J,) array
        Fraction of this class in the sum over classes.
    sizes : (J,) array
        Sum over classes of the mean absolute coefficients.
    """

    users: tuple[str, ...]
    shares: Floats
    sizes: Floats

    __repr__ = summarize_fields


def measure_atom_use(pipeline: Pipeline, known: Collection) -> AtomUse:
    """Return how at most two hundred training sequences use a dictionary."""
    few = known[space_evenly(len(known), _MOST_CODED)]
    codes = pipeline[-1].dictionary_.transform(pipeline[:-1].transform(few.X))
    by_class = np.array([np.abs(codes[few.y == label]).mean(axis=0) for label in few.classes])
    sizes = by_class.sum(axis=0)
    shares = by_class.max(axis=0) / np.where(sizes > 0, sizes, 1.0)
    return AtomUse(tuple(few.classes[c] for c in by_class.argmax(axis=0)), shares, sizes)
