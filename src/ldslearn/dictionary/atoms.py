"""Learned atoms, as canonical forms and as systems."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ldslearn import _errors
from ldslearn._types import Floats
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.recipe import split_name
from ldslearn.models import LDS, SkewForm, SymmetricForm


@dataclass(frozen=True, repr=False)
class Atoms:
    """The atoms of a dictionary, or the centres of clusters.

    Attributes
    ----------
    terms : list of dict of str to Columns
        For each code, its terms by name: "symmetric", "skew", "covariance", "finite".
    delays : int
        Consecutive samples stacked in a measurement.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 6. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from ldslearn import LDSDictionary, LDSEncoder
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> systems = LDSEncoder(n_states=4).fit_transform(X_train)
    >>> dictionary = LDSDictionary(n_atoms=4, max_iter=2, random_state=0).fit(systems)
    >>> dictionary.atoms_
    Atoms(4 of each: symmetric, skew)
    >>> dictionary.atoms_.systems()
    LDS(8 systems, n_channels=6, n_states=4, with B, x0)
    """

    terms: list[dict[str, Columns]]
    delays: int = 1

    def __len__(self) -> int:
        """Number of atoms per code."""
        return len(next(iter(self.terms[0].values())))

    def __repr__(self) -> str:
        codes = ", ".join(
            " + ".join(dict.fromkeys(split_name(name)[0] for name in term)) for term in self.terms
        )
        windows = f"; {self.windows} windows" if self.windows > 1 else ""
        return f"Atoms({len(self)} of each: {codes}{windows})"

    @property
    def symmetric(self) -> SymmetricForm | None:
        """Symmetric parts, None without them."""
        return self._find_form("symmetric")  # type: ignore[return-value]

    @property
    def skew(self) -> SkewForm | None:
        """Skew-symmetric parts, None without them."""
        return self._find_form("skew")  # type: ignore[return-value]

    @property
    def covariance(self) -> list[Floats] | None:
        """Noise directions H of the atoms of each code, (J, m, n_noise); None without them."""
        found = [_join_windows(term, "covariance") for term in self.terms]
        return [x.as_form() for x in found if x is not None] or None  # type: ignore[misc]

    @property
    def subspaces(self) -> Floats | None:
        """Finite observability bases, (J, order m, n); None in other dictionaries."""
        return self._find_form("finite")  # type: ignore[return-value]

    @property
    def windows(self) -> int:
        """Windows per atom; forms have those of one atom one after the other."""
        return 1 + max(split_name(name)[1] for name in self.terms[0])

    def systems(self) -> LDS:
        """Return the atoms as systems: the symmetric parts, then the skew ones.

        With separate codes they are in the order of the columns of the codes. A part does not
        define its noise or initial state: for simulation all states start at ``1/sqrt(n_states)``,
        and noise drives every state equally, whatever `covariance` is.

        Returns
        -------
        LDS
        """
        parts = [form.systems() for form in (self.symmetric, self.skew) if form is not None]
        if not parts:
            raise _errors.InputTypeError(
                "finite atoms are subspaces, not systems: use .subspaces, or LDSDictionary."
            )
        A, C = (np.concatenate([getattr(part, name) for part in parts]) for name in "AC")
        start = np.full(C.shape[::2], C.shape[2] ** -0.5)
        B = np.eye(C.shape[2]) + np.zeros_like(A)
        return LDS(A, C, B=B, x0=start, delays=self.delays, windows=self.windows)

    @classmethod
    def concatenate(cls, batches: Sequence[Self]) -> Self:
        """Return one dictionary of several of the same kind.

        Parameters
        ----------
        batches : sequence of Atoms

        Returns
        -------
        Atoms
        """
        terms = [
            {name: Columns.concatenate([b.terms[i][name] for b in batches]) for name in term}
            for i, term in enumerate(batches[0].terms)
        ]
        return cls(terms, batches[0].delays)

    def arrange_like(self, terms: list[dict[str, Columns]], delays: int) -> Self:
        """Return these atoms, arranged as the codes that `terms` of systems have.

        Centres of clusters have all parts in one code; a dictionary may have one code per part.

        Parameters
        ----------
        terms : list of dict of str to Columns
        delays : int

        Returns
        -------
        Atoms
        """
        if self.delays != delays:
            raise _errors.invalid("init", f"have delays={delays}", f"delays={self.delays}", "")
        available = {name: columns for term in self.terms for name, columns in term.items()}
        wanted = [list(term) for term in terms]
        if [list(term) for term in self.terms] == wanted:
            arranged = self.terms
        elif len(self.terms) == 1 and set(available) == {n for term in wanted for n in term}:
            arranged = [{name: available[name] for name in term} for term in wanted]
        else:
            raise _other_atoms(repr(self), [" + ".join(names) for names in wanted])
        for mine, theirs in zip(arranged, terms, strict=True):
            for name, columns in mine.items():
                if columns.rows.shape[1:] != theirs[name].rows.shape[1:]:
                    got, expected = (c.rows.shape[:0:-1] for c in (columns, theirs[name]))
                    raise _errors.invalid("init", f"have {name} columns {expected}", got, "")
        return type(self)(arranged, self.delays)

    def complete(self) -> Self:
        """Return a copy whose columns of zeros are replaced by arbitrary orthonormal ones."""
        terms = [{name: x.complete() for name, x in term.items()} for term in self.terms]
        return type(self)(terms, self.delays)

    def _find_form(self, part: str) -> SymmetricForm | SkewForm | Floats | None:
        for term in self.terms:
            columns = _join_windows(term, part)
            if columns is not None:
                return columns.as_form(self.delays)
        return None


def _join_windows(term: dict[str, Columns], part: str) -> Columns | None:
    """Return the columns of one part in all windows, those of one atom one after the other."""
    found = [columns for name, columns in term.items() if split_name(name)[0] == part]
    if len(found) < 2:
        return found[0] if found else None
    return replace(
        found[0],
        rows=np.stack([x.rows for x in found], axis=1).reshape(-1, *found[0].rows.shape[1:]),
        eigenvalues=np.stack([x.eigenvalues for x in found], axis=1).reshape(
            -1, found[0].eigenvalues.shape[1]
        ),
    )


def _other_atoms(got: str, wanted: Sequence[str]) -> ValueError:
    """Return the error about atoms of another kind of dictionary."""
    return ValueError(
        f"init must hold atoms for these codes: {', '.join(wanted)}; got {got}. Use those of a "
        "dictionary with the same parts, mix and shared_codes, or of LDSKMeans."
    )
