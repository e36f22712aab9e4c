"""Random second-order systems: their parameters, and how they are drawn."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._reprs import summarize_fields
from ldslearn._types import Floats, Indices

MOST_INPUTS = 9  # channels that one system reads
_WITHOUT_MEAN = 0.7  # probability that a system ignores constant inputs
_WINDOWS = (0.5, 0.25)  # parts of a sequence that systems are pooled over
_NO_SUM = 1e-14  # relative to the numbers; a smaller sum is a rounding error


@dataclass(frozen=True)
class SystemBank:
    r"""Random systems of second order, each with one input and one output.

    Attributes
    ----------
    channels : (n_systems, n_most) array
        Channels that each system reads; entries from its number of inputs on are not used.
    weights : (n_systems, n_most) array
        Their weights; 0 where a channel is not used.
    n_inputs : (n_systems,) array
        Number of channels that each system reads.
    decay_times : (n_systems,) array
        Time points until an impulse response has decayed by 1 / e.
    angles : (n_systems,) array
        Of the poles, in radians per time point; 0 where a system does not oscillate.
    numerators : (n_systems, 3) array
        Weights of the present input and of the two before it.
    backward : (n_systems,) array of bool
        Whether a system runs backwards in time; all that do come after all that do not.
    starts, stops : (n_systems,) arrays
        The part of a sequence that is counted, as fractions of its length.
    thresholds : (n_systems, n_thresholds) array
        Ascending.

    Notes
    -----
    With the input :math:`u`, the weighted sum of its channels, the output of a system is

    .. math:: y_t = 2 r \cos(\theta) y_{t-1} - r^2 y_{t-2} + b_0 u_t + b_1 u_{t-1} + b_2 u_{t-2},

    where :math:`r = \exp(-1 / \tau)`, :math:`\tau` is the decay time and :math:`\theta` the angle.
    Before the first time point the input is constant, and the output in its steady state.

    Examples
    --------
    >>> from ldslearn import RandomSystems
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, _, _, _ = load_basic_motions()
    >>> bank = RandomSystems(n_systems=100, random_state=0).fit(X_train).bank_
    >>> len(bank), bank.thresholds.shape, int(bank.backward.sum())
    (100, (100, 8), 50)
    """

    channels: Indices
    weights: Floats
    n_inputs: Indices
    decay_times: Floats
    angles: Floats
    numerators: Floats
    backward: NDArray[np.bool_]
    starts: Floats
    stops: Floats
    thresholds: Floats

    __repr__ = summarize_fields

    def __len__(self) -> int:
        return len(self.n_inputs)

    @property
    def recursions(self) -> Floats:
        """Weights of the two outputs before, (n_systems, 2)."""
        radii = np.exp(-1 / self.decay_times)
        return np.stack([2 * radii * np.cos(self.angles), -(radii**2)], axis=1)

    @property
    def gains(self) -> Floats:
        """Steady outputs for a constant input of one, (n_systems,)."""
        radii = np.exp(-1 / self.decay_times)
        # |1 - r exp(i theta)|^2, without the cancellation of 1 - 2 r cos(theta) + r^2
        below = np.square(np.expm1(-1 / self.decay_times))
        below += 4 * radii * np.square(np.sin(self.angles / 2))
        sums = self.numerators.sum(axis=1)
        sums[np.abs(sums) <= _NO_SUM * np.abs(self.numerators).sum(axis=1)] = 0.0
        return sums / below

    @property
    def bounds(self) -> Floats:
        """Bounds of the outputs for inputs from -1 to 1, (n_systems,)."""
        sums = np.abs(self.numerators).sum(axis=1)
        return sums / np.square(np.expm1(-1 / self.decay_times))

    def take(self, which: Any) -> "SystemBank":
        """Return some of the systems.

        Parameters
        ----------
        which : slice or array of indices

        Returns
        -------
        SystemBank
        """
        return SystemBank(*(getattr(self, field.name)[which] for field in fields(self)))

    def find_spans(self, n_timepoints: int) -> Indices:
        """Return the first time point that counts, and the one after the last.

        Parameters
        ----------
        n_timepoints : int
            Of the sequence.

        Returns
        -------
        (n_systems, 2) array
            At least one time point per system.
        """
        low = (self.starts * n_timepoints).astype(np.intp)
        high = np.maximum((self.stops * n_timepoints).astype(np.intp), low + 1)
        return np.stack([low, high], axis=1)


def draw_bank(
    n_systems: int,
    n_thresholds: int,
    n_channels: int,
    n_timepoints: float,
    random: np.random.RandomState,
) -> SystemBank:
    """Return random systems; their thresholds are levels of quantiles, from 0.05 to 0.95.

    Parameters
    ----------
    n_systems, n_thresholds, n_channels : int
    n_timepoints : float
        Median length of the training sequences, which limits decay times and periods.
    random : RandomState
    """
    most = min(n_channels, MOST_INPUTS)
    n_inputs = (2 ** random.uniform(0, np.log2(most + 0.99), n_systems)).astype(np.intp)
    channels = _draw_different(n_systems, most, n_channels, random)
    used = np.arange(most) < n_inputs[:, None]
    signs = random.choice([-1.0, 1.0], size=used.shape)
    decay_times = np.exp(random.uniform(0, np.log(max(n_timepoints / 2, 1.0)), n_systems))
    slowest = min(2 * np.pi / n_timepoints, np.pi)
    angles = np.exp(random.uniform(np.log(slowest), np.log(np.pi), n_systems))
    numerators = random.normal(size=(n_systems, 3))
    centred = random.uniform(size=n_systems) < _WITHOUT_MEAN
    widths = np.where(
        random.uniform(size=n_systems) < 0.5, 1.0, random.choice(_WINDOWS, size=n_systems)
    )
    starts = random.uniform(size=n_systems) * (1 - widths)
    return SystemBank(
        channels=channels,
        weights=np.where(used, signs / np.sqrt(n_inputs)[:, None], 0.0),
        n_inputs=n_inputs,
        decay_times=decay_times,
        angles=np.where(random.uniform(size=n_systems) < 0.5, 0.0, angles),
        numerators=numerators - centred[:, None] * numerators.mean(axis=1, keepdims=True),
        backward=np.arange(n_systems) >= n_systems - n_systems // 2,
        starts=starts,
        stops=starts + widths,
        thresholds=np.sort(random.uniform(0.05, 0.95, size=(n_systems, n_thresholds)), axis=1),
    )


def _draw_different(
    n_rows: int, n_columns: int, below: int, random: np.random.RandomState
) -> Indices:
    """Return rows of different numbers from 0 to `below` - 1, each as likely as any other."""
    found = np.empty((n_rows, n_columns), dtype=np.intp)
    for column in range(n_columns):
        drawn = random.randint(0, below - column, n_rows)  # a place among those that are left
        for taken in np.sort(found[:, :column], axis=1).T:
            drawn += drawn >= taken
        found[:, column] = drawn
    return found
