"""Products of the samples of a sequence, from which those of windows and delays follow."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats


@dataclass(frozen=True)
class CentredGram:
    """Products of the samples of a sequence, (tau, tau), without the mean of all samples.

    Attributes
    ----------
    Y : (n_channels, n_timepoints) array
        Samples without their mean.
    offset : (n_channels,) array
        The mean.
    gram : (n_timepoints, n_timepoints) array
        Y'Y.
    """

    Y: Floats
    offset: Floats
    gram: Floats

    @classmethod
    def of(cls, sequence: NDArray[Any], gram: Floats | None = None) -> "CentredGram":
        """Compute the products of a sequence, unless they are known."""
        Y = sequence.astype(np.float64)
        offset = Y @ np.full(Y.shape[1], 1.0 / Y.shape[1])
        Y -= offset[:, None]
        return cls(Y, offset, Y.T @ Y if gram is None else gram)

    @property
    def deviation(self) -> float:
        """Deviation of all channels."""
        return float(np.sqrt(np.trace(self.gram) / self.Y.size))

    def stack(self, delays: int, center: bool) -> Floats:
        """Return products of stacked samples: sums of shifted blocks, with the mean if asked."""
        n = len(self.gram) - delays + 1
        found = self.gram[:n, :n].copy()
        for k in range(1, delays):
            found += self.gram[k : k + n, k : k + n]
        if not center:
            mixed = self.offset @ self.Y
            sums = np.convolve(mixed, np.ones(delays), "valid")
            found += sums + sums[:, None] + delays * (self.offset @ self.offset)
        return found
