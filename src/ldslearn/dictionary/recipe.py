"""How systems become the columns that a kernel compares."""

from dataclasses import dataclass
from typing import Self

from ldslearn.dictionary.columns import Columns
from ldslearn.geometry.kernels import finite_bases
from ldslearn.geometry.static import noise_directions
from ldslearn.models import LDS, canonical_skew, canonical_symmetric

PARTS = {"twofold": ("symmetric", "skew"), "symmetric": ("symmetric",), "skew": ("skew",)}


@dataclass(frozen=True)
class Recipe:
    """The terms of every code: k = sum of weight * k_term.

    Attributes
    ----------
    codes : tuple of dict of str to float
        For each code, the weights of its terms: "symmetric", "skew", "covariance", "finite".
    order : int
        Blocks of the observability matrices of "finite".
    """

    codes: tuple[dict[str, float], ...]
    order: int = 1

    @classmethod
    def twofold(cls, parts: str, mix: float | None, shared: bool) -> Self:
        """Return the recipe of two-fold systems: one code a part, or one for all."""
        names, share = PARTS[parts], 1.0 if mix is None else mix
        rest = {} if share == 1.0 else {"covariance": 1.0 - share}
        if shared:
            return cls(({**{name: share / len(names) for name in names}, **rest},))
        return cls(tuple({name: share, **rest} for name in names))

    @classmethod
    def finite(cls, order: int) -> Self:
        """Return the recipe of finite observability matrices."""
        return cls(({"finite": 1.0},), order)

    def columns(self, systems: LDS) -> list[dict[str, Columns]]:
        """Return the columns of systems: for each code, its terms by name."""
        made = {name: self._make(name, systems) for term in self.codes for name in term}
        return [{name: made[name] for name in term} for term in self.codes]

    def _make(self, name: str, systems: LDS) -> Columns:
        if name == "symmetric":
            return Columns.of(canonical_symmetric(systems))
        if name == "skew":
            return Columns.of(canonical_skew(systems))
        if name == "covariance":
            return Columns.of(noise_directions(systems))
        return Columns.of(finite_bases(systems, self.order))
