"""New sequences from the system of a given one, or from a system or atom of a model."""

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import solve_discrete_lyapunov

from ldslearn import _errors
from ldslearn._types import Floats
from ldslearn._writing import atomic_write
from ldslearn.datasets.collection import Collection
from ldslearn.models import LDS
from ldslearn.models.defaults import choose_delays, list_feasible_states, make_default_encoder
from ldslearn.video import to_video, write_video
from ldslearn.video.writing import FORMATS

Shape = tuple[int, ...] | None
_LARGEST = 0.999  # singular value, or eigenvalue: a mode that decays in a thousand steps
_NEGLIGIBLE = 1e-12  # of the largest variance of a state


def synthesize_from_sequence(
    data: Collection, n_states: int | None, n_timepoints: int, seed: int
) -> tuple[Floats, Shape]:
    """Return a new sequence by the system of the first one, and the shape of its frames.

    The system has as many states as possible, up to 20. Its eigenvalues are clipped, as soft
    normalisation would damp movements. The states keep their covariance in the first sequence.
    """
    if n_states is None:
        n_states = max(list_feasible_states(data, choose_delays(data)))
    encoder = make_default_encoder(data, n_states, None, stabilizer="clip", bound=_LARGEST)
    system = encoder.fit_transform(data.X[:1])
    (states,) = system.states(data.X[:1])
    covariance = states @ states.T / states.shape[1]
    return sample_sequence(system, n_timepoints, seed, covariance), data.frame_shape


def sample_sequence(
    system: LDS, n_timepoints: int, seed: int, covariance: Floats | None = None
) -> Floats:
    """Return one new sequence of a system, without measurement noise.

    The first state is sampled at random, so that the sequence does not start as the training
    sequence does. The process noise is such that the covariance of the states is stationary. Noise
    as fitted to a short sequence, or to a system that was made more stable, is too small, and the
    sequence would decay. Where no noise suffices the transition matrix contracts more, by the least
    change of its singular values in coordinates of unit covariance.

    Parameters
    ----------
    system : LDS
        A batch of one, with B and x0.
    n_timepoints, seed : int
    covariance : (n_states, n_states) array, optional
        Covariance of the states. By default the stationary one, with the mean square of x0.

    Returns
    -------
    (n_channels, n_timepoints) array
    """
    random = np.random.default_rng(seed)
    if covariance is None:
        covariance = _stationary_covariance(system)
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    used = values > _NEGLIGIBLE * values.max()
    root = vectors[:, used] * np.sqrt(values[used])  # covariance = root root'
    inverse = vectors[:, used].T / np.sqrt(values[used])[:, None]
    left, gains, right = np.linalg.svd(inverse @ system.A[0] @ root)
    gains = np.minimum(gains, _LARGEST)
    anew = replace(
        system,
        A=(root @ (left * gains) @ right @ inverse)[None],
        B=(root @ (left * np.sqrt(1 - gains**2)))[None],  # B B' = covariance - A covariance A'
        x0=(root @ random.standard_normal(root.shape[1]))[None],
        noise_variance=None,
    )
    return anew.simulate(n_timepoints, random)[0]


def _stationary_covariance(system: LDS) -> Floats:
    """Return the stationary covariance of the states, scaled to the trace of x0 x0'."""
    assert system.B is not None and system.x0 is not None  # noqa: PT018  of encoders and atoms
    shape = solve_discrete_lyapunov(system.A[0], system.B[0] @ system.B[0].T)
    if not np.trace(shape) > 0:
        shape = np.eye(system.n_states)
    return np.asarray(shape * float(system.x0[0] @ system.x0[0]) / np.trace(shape))


def synthesize_from_systems(systems: LDS, index: int, n_timepoints: int, seed: int) -> Floats:
    """Return a new sequence of one system; one without a mean is stretched to 0...255."""
    if index >= len(systems):
        raise _errors.invalid(
            "index", f"be less than the number of systems, {len(systems)}", index, ""
        )
    system = systems[index]
    sequence = sample_sequence(system, n_timepoints, seed)
    if system.mean is None:
        low, high = np.percentile(sequence, [1, 99])
        sequence = (sequence - low) / max(high - low, 1e-12) * 255
    return sequence


def check_suffix(path: Path) -> None:
    """Raise unless a sequence can be written to a file of that suffix."""
    if path.suffix.lower() not in (".npy", *FORMATS):
        raise _errors.unknown_name("the suffix", path.suffix, (".npy", *FORMATS))


def write_sequence(
    path: str | PathLike[str],
    sequence: Floats,
    frame_shape: Shape,
    *,
    enlarge: int = 1,
    frame_rate: float = 25.0,
) -> None:
    """Write a sequence as an array, or as a video if it is made of frames."""
    target = Path(path)
    if target.suffix.lower() == ".npy":
        with atomic_write(target) as file:
            np.save(file, sequence)
        return
    if frame_shape is None:
        raise _errors.bad_file(target, "be an .npy file: there are no frames", target.suffix)
    frames: Any = to_video(sequence, frame_shape)
    frames = frames.repeat(enlarge, axis=1).repeat(enlarge, axis=2)
    write_video(target, frames, frame_rate=frame_rate)
