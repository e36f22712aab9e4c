"""Sequences sampled from classes of random linear dynamical systems."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._checks import as_random_state, check_real, check_whole
from ldslearn._types import Floats


def propagate(
    A: Floats,
    x0: Floats,
    inputs: Floats | None,
    n_timepoints: int,
) -> Floats:
    """Return the states x(0), ..., x(n_timepoints - 1) of x(t+1) = A x(t) + inputs(t), Eq. (1).

    Parameters
    ----------
    A : (n_systems, n_states, n_states) array
    x0 : (n_systems, n_states) array
    inputs : (n_systems, n_states, n_timepoints - 1) array or None
        None for an undisturbed run.
    n_timepoints : int

    Returns
    -------
    (n_systems, n_states, n_timepoints) array
    """
    states = np.empty((*x0.shape, n_timepoints))
    states[..., 0] = x0
    for t in range(1, n_timepoints):
        step = (A @ states[..., t - 1, None])[..., 0]
        states[..., t] = step if inputs is None else step + inputs[..., t - 1]
    return states


def make_lds_sequences(
    n_classes: int = 3,
    n_per_class: int = 20,
    *,
    n_channels: int = 10,
    n_states: int = 4,
    n_timepoints: int | tuple[int, int] = 100,
    radius: tuple[float, float] = (0.9, 0.99),
    jitter: float = 0.1,
    noise: float = 0.05,
    random_state: Any = None,
) -> tuple[list[Floats], NDArray[np.int64]]:
    r"""Return sequences sampled from classes of stable systems, and their labels.

    Every class is one random system. Each of its sequences comes from that system with its
    eigenvalues and measurement matrix perturbed, so `jitter` sets how separable the classes are:
    at 0 all sequences of a class share one system, well above 1 the classes overlap.

    Parameters
    ----------
    n_classes : int, default=3
    n_per_class : int, default=20
        Sequences per class.
    n_channels : int, default=10
    n_states : int, default=4
        States of each system, at most n_channels.
    n_timepoints : int or (int, int), default=100
        Length of every sequence, or the range from which each length is sampled, ends included.
    radius : (float, float), default=(0.9, 0.99)
        Range of the eigenvalue moduli, within (0, 1).
    jitter : float, default=0.1
        Standard deviation of the differences within a class, in units of the differences between
        classes.
    noise : float, default=0.05
        Standard deviation of the measurement noise, in units of that of the noise-free signal.
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    sequences : list of (n_channels, n_timepoints) arrays
        Class by class.
    labels : (n_classes * n_per_class,) array of int

    Notes
    -----
    Each sequence is a sample of Eq. (1) of [1]_, whose first states are left out until the system
    has forgotten its start:

    .. math:: x(t + 1) = A x(t) + v(t), \qquad y(t) = C x(t) + w(t).

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 4. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from ldslearn.datasets import make_lds_sequences
    >>> X, y = make_lds_sequences(2, 3, n_channels=5, n_timepoints=(40, 60), random_state=0)
    >>> len(X), X[0].shape[0], y.tolist()
    (6, 5, [0, 0, 0, 1, 1, 1])
    >>> all(40 <= sequence.shape[1] <= 60 for sequence in X)
    True
    """
    check_whole("n_classes", n_classes)
    check_whole("n_per_class", n_per_class)
    check_whole("n_states", n_states)
    check_whole("n_channels", n_channels, least=n_states)
    lengths = n_timepoints if isinstance(n_timepoints, tuple) else (n_timepoints, n_timepoints)
    if len(lengths) != 2:
        raise _errors.invalid_parameter("n_timepoints", "be a number or a pair", n_timepoints)
    shortest, longest = lengths
    check_whole("n_timepoints", shortest, least=2)
    check_whole("n_timepoints", longest, least=shortest)
    if not (isinstance(radius, tuple) and len(radius) == 2 and 0 < radius[0] <= radius[1] < 1):
        raise _errors.invalid_parameter("radius", "be a range within (0, 1)", radius)
    check_real("jitter", jitter, "be non-negative", low=0)
    check_real("noise", noise, "be non-negative", low=0)

    random = as_random_state(random_state)
    sequences: list[Floats] = []
    for _ in range(n_classes):
        modulus = random.uniform(*radius, size=(n_states + 1) // 2)
        angle = random.uniform(0.1, 2.0, size=(n_states + 1) // 2)
        measurement = random.standard_normal((n_channels, n_states))
        for length in random.randint(shortest, longest + 1, size=n_per_class):
            moduli = np.clip(
                modulus + jitter * (radius[1] - radius[0]) * random.standard_normal(modulus.shape),
                0.5 * radius[0],
                0.5 * (1 + radius[1]),
            )
            A = _oscillators(
                moduli, angle + 0.5 * jitter * random.standard_normal(angle.shape), n_states
            )
            C = np.linalg.qr(measurement + jitter * random.standard_normal(measurement.shape))[0]
            burn_in = int(np.ceil(3 / (1 - moduli.max())))  # forget the start: radius^k < e^-3
            shocks = random.standard_normal((n_states, burn_in + length - 1))
            states = propagate(
                A[None], random.standard_normal((1, n_states)), shocks[None], burn_in + length
            )
            clean = C @ states[0, :, burn_in:]
            sequences.append(
                clean + noise * clean.std() * random.standard_normal((n_channels, length))
            )
    return sequences, np.repeat(np.arange(n_classes), n_per_class)


def _oscillators(modulus: Floats, angle: Floats, n_states: int) -> Floats:
    """Block-diagonal rotations with the given moduli and angles; odd n ends in a real mode."""
    A = np.zeros((n_states, n_states))
    for k in range(n_states // 2):
        c, s = modulus[k] * np.cos(angle[k]), modulus[k] * np.sin(angle[k])
        A[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = [[c, -s], [s, c]]
    if n_states % 2:
        A[-1, -1] = modulus[-1]
    return A
