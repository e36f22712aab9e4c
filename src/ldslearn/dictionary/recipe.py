"""Recipes: which columns of systems the kernels of a dictionary compare, and their weights."""

from dataclasses import dataclass, replace
from typing import Self

from ldslearn.dictionary.columns import Columns
from ldslearn.geometry.finite_observability import finite_bases
from ldslearn.geometry.static_kernels import noise_directions
from ldslearn.models import LDS, canonical_skew, canonical_symmetric

PARTS = {"twofold": ("symmetric", "skew"), "symmetric": ("symmetric",), "skew": ("skew",)}


def name_term(part: str, window: int) -> str:
    """Return the name of a part in one window."""
    return f"{part} of window {window}"


def split_name(term: str) -> tuple[str, int]:
    """Return part and window of a term's name; the window is 0 if there is only one."""
    part, _, window = term.partition(" of window ")
    return part, int(window or 0)


@dataclass(frozen=True)
class Recipe:
    """The terms of every code: k = sum of weight * k_term.

    Attributes
    ----------
    codes : tuple of dict of str to float
        For each code, the weights of its terms: "symmetric", "skew", "covariance", "finite", or
        those of one window, "skew of window 3".
    order : int
        Blocks of the observability matrices of "finite".
    """

    codes: tuple[dict[str, float], ...]
    order: int = 1

    def for_windows(self, windows: int) -> Self:
        """Return the recipe for several windows, in which every term is a mean over windows."""
        if windows == 1:
            return self
        codes = tuple(
            {
                name_term(name, k): weight / windows
                for name, weight in code.items()
                for k in range(windows)
            }
            for code in self.codes
        )
        return replace(self, codes=codes)

    @classmethod
    def twofold(cls, parts: str, mix: float | None, shared: bool) -> Self:
        """Return the recipe of two-fold systems: one code per part, or one for all."""
        names, weight = PARTS[parts], 1.0 if mix is None else mix
        rest = {} if weight == 1.0 else {"covariance": 1.0 - weight}
        if shared:
            return cls(({**{name: weight / len(names) for name in names}, **rest},))
        return cls(tuple({name: weight, **rest} for name in names))

    @classmethod
    def finite(cls, order: int) -> Self:
        """Return the recipe of finite observability matrices."""
        return cls(({"finite": 1.0},), order)

    def make_columns(self, systems: LDS) -> list[dict[str, Columns]]:
        """Return the columns of systems: for each code, its terms by name."""
        made = {name: self._make_term(name, systems) for term in self.codes for name in term}
        return [{name: made[name] for name in term} for term in self.codes]

    def _make_term(self, term: str, batch: LDS) -> Columns:
        name, window = split_name(term)
        systems = batch.window(window)
        if name == "symmetric":
            return Columns.of(canonical_symmetric(systems))
        if name == "skew":
            return Columns.of(canonical_skew(systems))
        if name == "covariance":
            return Columns.of(noise_directions(systems))
        return Columns.of(finite_bases(systems, self.order))
