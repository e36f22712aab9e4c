"""Which channels and which random systems decided the label of a sequence."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats
from ldslearn.random_systems.bank import SystemBank

_SYSTEMS = 5  # in a text
_CHANNELS = 8
_INPUTS = 3  # channels of one system in a text
_LONGEST = 40  # characters of a name


@dataclass(frozen=True)
class Explanation:
    """The score of a class less that of another, as a sum over systems or over channels.

    Attributes
    ----------
    labels, against : (N,) arrays
        The two classes that are compared, per sequence.
    differences : (N,) array
        Score of `labels` less that of `against`.
    intercepts : (N,) array
        What is left of `differences` for a sequence whose features are the mean ones.
    systems : (N, n_systems) array
        Contribution of every system; with `intercepts` they sum to `differences`.
    channels : (N, n_channels) array
        Contribution of every channel. A system is shared out to its channels by the squares of
        their weights, so that channels and systems have the same sum.
    shares : (n_systems, n_channels) array
        The part of each system that belongs to each channel; rows sum to one.
    bank : SystemBank
    rate : float or None
        Time points per second; None if unknown.
    channel_names : tuple of str

    Notes
    -----
    ``print(explanation)`` prints the largest contributions; of several sequences, their means.

    Examples
    --------
    >>> from ldslearn import RandomSystemsClassifier
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> model = RandomSystemsClassifier(random_state=0).fit(X_train, y_train)
    >>> explanation = model.explain(X_test, rate=10.0)
    >>> explanation
    Explanation(40 sequences, 1000 systems, 6 channels)
    >>> print(str(explanation[0]).split(":")[0])
    Standing rather than Badminton
    """

    labels: NDArray[Any]
    against: NDArray[Any]
    differences: Floats
    intercepts: Floats
    systems: Floats
    channels: Floats
    shares: Floats
    bank: SystemBank
    rate: float | None
    channel_names: tuple[str, ...]

    def __repr__(self) -> str:
        n, (n_systems, n_channels) = len(self), self.shares.shape
        return (
            f"Explanation({n} sequence{'s' * (n != 1)}, {n_systems} systems, "
            f"{n_channels} channel{'s' * (n_channels != 1)})"
        )

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: Any) -> "Explanation":
        """Return the explanation of one sequence, or of several."""
        rows = np.atleast_1d(np.arange(len(self))[index])
        names = ("labels", "against", "differences", "intercepts", "systems", "channels")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def __str__(self) -> str:
        lines = [self._describe_classes(), f"  {'intercept':<34}{self.intercepts.mean():+.4f}"]
        channels, systems = self.channels.mean(axis=0), self.systems.mean(axis=0)
        lines.append(_head("channels", _CHANNELS, len(channels)))
        for channel in self.rank_channels()[:_CHANNELS]:
            name = _shorten(self.channel_names[channel], 30)
            lines.append(f"    {name:<32}{channels[channel]:+.4f}")
        lines.append("  frequencies")
        for low, high, contributions in self.sum_by_frequency():
            band = f"{low:.2g} to {high:.2g} {self._units[0]}" if high else "no oscillation"
            lines.append(f"    {band:<32}{contributions.mean():+.4f}")
        lines.append(_head("systems", _SYSTEMS, len(systems)))
        for system in self.rank_systems()[:_SYSTEMS]:
            lines.append(f"    {systems[system]:+.4f}  {self.describe_system(int(system))}")
        return "\n".join(lines)

    def rank_channels(self) -> NDArray[np.intp]:
        """Return the channels, the one with the largest mean contribution of either sign first.

        Returns
        -------
        (n_channels,) array
        """
        return np.argsort(-np.abs(self.channels.mean(axis=0)), kind="stable")

    def rank_systems(self) -> NDArray[np.intp]:
        """Return the systems, the one with the largest mean contribution of either sign first.

        Returns
        -------
        (n_systems,) array
        """
        return np.argsort(-np.abs(self.systems.mean(axis=0)), kind="stable")

    def sum_by_frequency(self, n_bands: int = 3) -> list[tuple[float, float, Floats]]:
        """Return the contributions of all systems, summed over bands of their frequencies.

        Parameters
        ----------
        n_bands : int, default=3
            Bands of equal width on a logarithmic scale, for systems that oscillate.

        Returns
        -------
        list of (low, high, contributions) tuples
            The first, from 0 to 0, is of systems that do not oscillate. `contributions` has one
            value per sequence.
        """
        frequencies = self.frequencies
        found = [(0.0, 0.0, self.systems[:, frequencies == 0].sum(axis=1))]
        moving = frequencies > 0
        if moving.any():
            logs = np.log(frequencies[moving])
            edges = np.linspace(logs.min(), logs.max(), n_bands + 1)
            band = np.clip(np.searchsorted(edges, logs, side="right") - 1, 0, n_bands - 1)
            for number, (low, high) in enumerate(pairwise(np.exp(edges))):
                total = self.systems[:, moving][:, band == number].sum(axis=1)
                found.append((float(low), float(high), total))
        return found

    @property
    def frequencies(self) -> Floats:
        """Frequencies of the systems, in Hz, or in cycles per time point if the rate is unknown."""
        return self.bank.angles / (2 * np.pi) * (self.rate or 1.0)

    @property
    def decay_times(self) -> Floats:
        """Decay times of the systems, in seconds, or in time points if the rate is unknown."""
        return self.bank.decay_times / (self.rate or 1.0)

    def describe_system(self, system: int) -> str:
        """Return a text about a system: its channels, frequency, decay time, and what is counted.

        Parameters
        ----------
        system : int

        Returns
        -------
        str
        """
        per, unit = self._units
        frequency, decay = self.frequencies[system], self.decay_times[system]
        parts = [
            self._name_inputs(system),
            f"{frequency:.3g} {per}" if frequency else "no oscillation",
            f"decay time {decay:.3g} {unit}",
        ]
        if self.bank.backward[system]:
            parts.append("backwards")
        start, stop = float(self.bank.starts[system]), float(self.bank.stops[system])
        if stop - start < 1:
            parts.append(f"{100 * start:.0f} to {100 * stop:.0f} % of the sequence")
        return ", ".join(parts)

    @property
    def _units(self) -> tuple[str, str]:
        return ("cycles/point", "time points") if self.rate is None else ("Hz", "s")

    def _name_inputs(self, system: int) -> str:
        shares = self.shares[system]
        order = np.argsort(-shares, kind="stable")[: int((shares > 0).sum())]
        names = [_shorten(self.channel_names[channel], _LONGEST) for channel in order[:_INPUTS]]
        rest = len(order) - len(names)
        return " + ".join(names) + (f" + {rest} more" if rest else "")

    def _describe_classes(self) -> str:
        if len(self) > 1:
            return (
                f"mean of {len(self)} sequences: score difference {self.differences.mean():.2f} "
                "of a class and the one it is compared with"
            )
        own, other = (_shorten(str(one[0]), _LONGEST) for one in (self.labels, self.against))
        return f"{own} rather than {other}: score difference {self.differences[0]:.2f}"


def share_channels(bank: SystemBank, components: Floats | None, n_channels: int) -> Floats:
    """Return the part of each system that belongs to each channel, (n_systems, n_channels).

    Squares of weights, relative to their sum. Weights of principal directions become those of the
    standardised channels.
    """
    n_read = n_channels if components is None else len(components)
    weights = np.zeros((len(bank), n_read))
    used = np.arange(bank.weights.shape[1]) < bank.n_inputs[:, None]
    weights[np.nonzero(used)[0], bank.channels[used]] = bank.weights[used]
    squares = np.square(weights if components is None else weights @ components)
    sums = squares.sum(axis=1, keepdims=True)
    return np.where(sums > 0, squares / np.where(sums > 0, sums, 1.0), 1 / n_channels)


def name_channels(names: Sequence[str] | None, n_channels: int) -> tuple[str, ...]:
    """Return the names that were given, or ``channel 0`` and so on."""
    if names is None:
        return tuple(f"channel {number}" for number in range(n_channels))
    if isinstance(names, str) or len(names) != n_channels:
        raise ValueError(
            f"channel_names must be one text per channel, {n_channels}; got {len(names)}."
        )
    return tuple(map(str, names))


def _head(what: str, most: int, count: int) -> str:
    return f"  {what}" + (f", the {most} largest of {count}" if count > most else "")


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."
