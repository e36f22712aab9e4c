"""Learned atoms as what they are: systems."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn.dictionary.columns import Columns
from ldslearn.geometry.static import noise_directions
from ldslearn.models import LDS, SkewForm, SymmetricForm, canonical_skew, canonical_symmetric

Floats = NDArray[np.float64]

PARTS = {"twofold": ("symmetric", "skew"), "symmetric": ("symmetric",), "skew": ("skew",)}


def columns_of(systems: LDS, part: str) -> Columns:
    """Return the columns of the "symmetric" or "skew" part, or the "covariance", of systems."""
    if part == "symmetric":
        return Columns.of(canonical_symmetric(systems))
    if part == "skew":
        return Columns.of(canonical_skew(systems))
    return Columns.of(noise_directions(systems))


@dataclass(frozen=True)
class Atoms:
    """The atoms of a dictionary, one set of columns for every term of every code.

    Attributes
    ----------
    terms : list of dict of str to Columns
        For each code, its terms by name: "symmetric", "skew", "covariance", "finite".
    delays : int
    """

    terms: list[dict[str, Columns]]
    delays: int = 1

    def __len__(self) -> int:
        """Atoms of each code."""
        return len(next(iter(self.terms[0].values())))

    @property
    def symmetric(self) -> SymmetricForm | None:
        """Symmetric parts, None without them."""
        return self._form("symmetric")  # type: ignore[return-value]

    @property
    def skew(self) -> SkewForm | None:
        """Skew-symmetric parts, None without them."""
        return self._form("skew")  # type: ignore[return-value]

    @property
    def covariance(self) -> list[Floats] | None:
        """Noise directions H of the atoms of each code, (J, m, n_noise); None without them."""
        found = [term["covariance"].form() for term in self.terms if "covariance" in term]
        return found or None  # type: ignore[return-value]

    @property
    def subspaces(self) -> Floats | None:
        """Finite observability bases, (J, order m, n); None of other dictionaries."""
        return self._form("finite")  # type: ignore[return-value]

    def systems(self) -> LDS:
        """Return the atoms as systems: the symmetric parts, then the skew ones.

        With separate codes these are the atoms in the order of the columns of the codes. An atom
        says nothing of how it is driven: to be simulated it starts with all states at
        1/sqrt(n_states), and noise drives every state alike.
        """
        parts = [form.systems() for form in (self.symmetric, self.skew) if form is not None]
        if not parts:
            raise _errors.not_systems_but_subspaces()
        A, C = (np.concatenate([getattr(part, name) for part in parts]) for name in "AC")
        start = np.full(C.shape[::2], C.shape[2] ** -0.5)
        return LDS(A, C, B=np.eye(C.shape[2]) + np.zeros_like(A), x0=start, delays=self.delays)

    @classmethod
    def concatenate(cls, batches: Sequence[Self]) -> Self:
        """Return one dictionary of several of the same kind."""
        terms = [
            {
                name: Columns.concatenate([batch.terms[i][name] for batch in batches])
                for name in term
            }
            for i, term in enumerate(batches[0].terms)
        ]
        return cls(terms, batches[0].delays)

    def _form(self, part: str) -> SymmetricForm | SkewForm | Floats | None:
        for term in self.terms:
            if part in term:
                return term[part].form(self.delays)
        return None


def term_weights(parts: str, mix: float | None, shared: bool) -> list[dict[str, float]]:
    """Return, for each code, the terms of its kernel and their weights."""
    names, cov = PARTS[parts], {} if mix is None else {"covariance": 1.0 - mix}
    share = 1.0 if mix is None else mix
    if shared:
        return [{**{name: share / len(names) for name in names}, **cov}]
    return [{name: share, **cov} for name in names]


def check_given(atoms: object, weights: list[dict[str, float]], n_atoms: int) -> "Atoms":
    """Return atoms given by the user if they are those of such a dictionary."""
    if not isinstance(atoms, Atoms):
        raise _errors.invalid_parameter("init", "be 'kmeans', 'random', an LDS or atoms", atoms)
    if [set(term) for term in atoms.terms] != [set(term) for term in weights]:
        raise _errors.invalid(
            "init",
            f"have the terms {[sorted(term) for term in weights]} of this dictionary",
            [sorted(term) for term in atoms.terms],
            "parts, mix and shared_codes must be those it was learned with.",
        )
    if len(atoms) != n_atoms:
        raise _errors.invalid("init", f"hold n_atoms={n_atoms} atoms", len(atoms), "")
    return atoms
