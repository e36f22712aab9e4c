"""Spectral radii and reconstruction errors before and after stabilization."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ldslearn._reprs import summarize_fields
from ldslearn._types import Floats
from ldslearn.models.spectrum import LARGEST_RADIUS


@dataclass(frozen=True, eq=False)
class StabilityCertificate:
    r"""Spectral radius and state reconstruction error before and after stabilization.

    Returned by :func:`stabilize` and :meth:`ldslearn.LDSEncoder.transform`. It prints as a table.

    Parameters
    ----------
    method : str
        Name of the stabilizer.
    radius_before, radius_after : (N,) arrays
        Largest eigenvalue modulus of each transition matrix.
    error_before, error_after : (N,) arrays or None, default=None
        State reconstruction error of Sec. 4.1; None without states.

    Notes
    -----
    For states :math:`x(t)`, the error is :math:`J^2(A) = \sum_t \|x(t+1) - A x(t)\|^2`.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 4.1 and 4.2. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from ldslearn.models import stabilize
    >>> A, certificate = stabilize([[1.2]], method="scale", bound=0.9, return_certificate=True)
    >>> print(certificate)
    stabilizer 'scale': 1 of 1 systems unstable before, 0 after; 1 changed
     system    radius ->    after
          0    1.2000 ->   0.9000
    """

    method: str
    radius_before: Floats
    radius_after: Floats
    error_before: Floats | None = None
    error_after: Floats | None = None

    __repr__ = summarize_fields

    def __len__(self) -> int:
        return len(self.radius_before)

    @property
    def error_growth(self) -> Floats:
        """error_after / error_before, shape (N,)."""
        if self.error_before is None or self.error_after is None:
            raise ValueError("errors must be known; got a certificate made without states.")
        perfect = self.error_before == 0
        growth = self.error_after / np.where(perfect, 1.0, self.error_before)
        return np.where(perfect, np.where(self.error_after == 0, 1.0, np.inf), growth)

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Return one certificate of several, those of consecutive blocks of one run.

        Parameters
        ----------
        parts : sequence of StabilityCertificate

        Returns
        -------
        StabilityCertificate
        """
        values = {
            name: None
            if getattr(parts[0], name) is None
            else np.concatenate([getattr(part, name) for part in parts])
            for name in ("radius_before", "radius_after", "error_before", "error_after")
        }
        return cls(parts[0].method, **values)  # type: ignore[arg-type]

    def __str__(self) -> str:
        unstable = int((self.radius_before >= LARGEST_RADIUS).sum())
        still = int((self.radius_after >= LARGEST_RADIUS).sum())
        changed = int((self.radius_before != self.radius_after).sum())
        lines = [
            f"stabilizer {self.method!r}: {unstable} of {len(self)} systems unstable before, "
            f"{still} after; {changed} changed",
            f"{'system':>7}  {'radius':>8} -> {'after':>8}"
            + ("" if self.error_before is None else f"  {'error':>10} -> {'after':>10}"),
        ]
        rows = range(len(self)) if len(self) <= 12 else [*range(10), -1]
        for row in rows:
            if row == -1:
                lines.append(f"{'...':>7}")
                row = len(self) - 1
            line = f"{row:>7}  {self.radius_before[row]:8.4f} -> {self.radius_after[row]:8.4f}"
            if self.error_before is not None and self.error_after is not None:
                line += f"  {self.error_before[row]:10.4g} -> {self.error_after[row]:10.4g}"
            lines.append(line)
        return "\n".join(lines)


def reconstruction_errors(A: Floats, states: list[Floats]) -> Floats:
    """Return J^2(A) = |X(1) - A X(0)|_F^2 of every system, shape (N,)."""
    return np.array(
        [np.square(X[:, 1:] - A_i @ X[:, :-1]).sum() for A_i, X in zip(A, states, strict=True)]
    )
