"""One dictionary per class: learning them, and what the atoms of each class explain."""

import numpy as np
from sklearn.base import clone

from ldslearn import _errors
from ldslearn._checks import check_whole
from ldslearn._places import locate_systems
from ldslearn._types import Floats, Indices
from ldslearn.coding import residual_reductions
from ldslearn.dictionary.base import SystemDictionary
from ldslearn.models.lds import LDS


def check_residual(per_class: bool, weights: Floats | None) -> None:
    """Raise unless systems can be classified by the residuals of classes."""
    if not per_class:
        raise _errors.invalid(
            "per_class", "be True for classifier='residual'", per_class,
            "Residuals compare the atoms of classes: give per_class=True.",
        )  # fmt: skip
    if weights is not None:
        raise _errors.invalid(
            "sample_weight", "be None for classifier='residual'", "weights",
            "Nothing is fitted to the codes.",
        )  # fmt: skip


def fit_classes(
    template: SystemDictionary, systems: LDS, members: list[Indices]
) -> list[SystemDictionary]:
    """Learn a dictionary of the systems of each class."""
    check_whole("n_atoms", template.n_atoms)
    if not isinstance(template.init, str):
        raise ValueError(
            "dictionary must have init='kmeans' or 'random' with per_class=True; got "
            "atoms. Every class learns its own atoms."
        )
    found = []
    for own in members:
        dictionary = clone(template).set_params(n_atoms=min(template.n_atoms, len(own)))
        with locate_systems(own.tolist()):
            found.append(dictionary.fit(systems[own]))
    return found


def compute_class_reductions(
    dictionary: SystemDictionary, systems: LDS, atom_classes: Indices, n_classes: int
) -> Floats:
    """Return a table, (len(systems), n_classes + 2), of the atoms of all classes.

    The residual reductions of the classes, k(x, x), and the nearest class of codes of zeros, else
    -1.
    """
    groups, n_jobs = dictionary.make_groups(systems), dictionary.n_jobs
    reductions, own = np.zeros((len(systems), n_classes)), np.zeros(len(systems))
    coded = np.zeros(len(systems), dtype=bool)
    similar = np.full((len(systems), len(atom_classes)), -np.inf)
    for group in groups:
        codes = group.find_codes(n_jobs)
        gram, cross = group.compute_kernels(n_jobs)
        reductions += residual_reductions(gram, cross, codes, atom_classes, n_classes)
        own += group.self_kernel
        coded |= codes.any(axis=1)
        similar = np.maximum(similar, cross)
    nearest = np.where(coded, -1, atom_classes[similar.argmax(axis=1)])
    return np.column_stack([reductions, own, nearest])
