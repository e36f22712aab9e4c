"""New sequences from the system of an old one, or from a system or atom of a model."""

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_discrete_lyapunov

from ldslearn import _errors
from ldslearn._files import atomic_write
from ldslearn.datasets.collection import Collection
from ldslearn.evaluate.model import Model
from ldslearn.evaluate.selection import automatic_delays, feasible_states, usual_encoder
from ldslearn.models import LDS
from ldslearn.video import to_video, write_video
from ldslearn.video.writing import FORMATS

Floats = NDArray[np.float64]
Shape = tuple[int, ...] | None


def from_sequence(
    data: Collection, n_states: int | None, n_timepoints: int, seed: int
) -> tuple[Floats, Shape]:
    """Return a new sequence by the system of the first one, and the shape of its frames.

    As many states as possible, up to 20, each with its own noise, and stable by clipping
    eigenvalues: soft normalisation would damp what moves on.
    """
    if n_states is None:
        n_states = max(feasible_states(data, automatic_delays(data)))
    encoder = usual_encoder(data, n_states, None, n_noise=n_states, stabilizer="clip")
    return draw(encoder.fit_transform(data.X)[0], n_timepoints, seed), data.frame_shape


def draw(system: LDS, n_timepoints: int, seed: int) -> Floats:
    """Return one new sequence of a system, which does not start as the training sequence does.

    The first state is drawn at random from the states that the driven system visits in the long
    run. The noise is scaled so that these have the mean square of `x0`, measured without noise of
    its own: noise as fitted to a short sequence, or to a system that was made more stable, is too
    small, and the sequence would fade. A system without noise starts at a random state of the
    length of `x0`.
    """
    assert system.B is not None and system.x0 is not None  # noqa: PT018  of encoders and atoms
    random = np.random.default_rng(seed)
    A, B, size = system.A[0], system.B[0], float(np.linalg.norm(system.x0[0]))
    covariance = solve_discrete_lyapunov(A, B @ B.T)
    energy = float(np.trace(covariance))
    start = random.standard_normal(system.n_states)
    growth = 1.0
    if energy > 0:
        growth = size / np.sqrt(energy)
        values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
        start = growth * (vectors @ (np.sqrt(np.maximum(values, 0.0)) * start))
    else:
        start *= size / np.linalg.norm(start)
    anew = replace(system, x0=start[None], noise_variance=None, B=growth * system.B)
    return anew.simulate(n_timepoints, random)[0]


def from_model(model: Model, index: int, n_timepoints: int, seed: int) -> tuple[Floats, Shape]:
    """Return a sequence of a model's system or atom; one without a mean is stretched to 0...255."""
    systems = systems_of(model)
    if index >= len(systems):
        raise _errors.invalid(
            "index", f"be less than the number of systems, {len(systems)}", index, ""
        )
    system = systems[index]
    sequence = draw(system, n_timepoints, seed)
    if system.mean is None:
        low, high = np.percentile(sequence, [1, 99])
        sequence = (sequence - low) / max(high - low, 1e-12) * 255
    return sequence, model.frame_shape


def systems_of(model: Model) -> LDS:
    """The atoms of a dictionary, or the training systems that other methods keep."""
    classifier = model.pipeline[-1]
    if hasattr(classifier, "dictionary_"):
        return classifier.dictionary_.atoms_.systems()
    if hasattr(classifier, "systems_"):
        return classifier.systems_
    kernel = getattr(classifier, "kernel_", None) or classifier.coder_.kernel_
    return kernel.systems


def check_suffix(path: Path) -> None:
    """Raise unless a sequence could be written to a file of that name."""
    if path.suffix.lower() not in (".npy", *FORMATS):
        raise _errors.unknown_name("the suffix", path.suffix, (".npy", *FORMATS))


def write(
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
