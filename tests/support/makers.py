"""Small inputs with known properties."""

from dataclasses import fields, replace

import numpy as np

from ldslearn import LDS
from ldslearn.models.measurements import StateEstimates, StateModel, estimate_states


def random_orthogonal(n, random, stack=()):
    return np.linalg.qr(random.standard_normal((*stack, n, n)))[0]


def random_systems(n_systems, n_channels, n_states, seed=0, radius=0.9, n_noise=2):
    """Stable systems with all fields."""
    random = np.random.default_rng(seed)
    A = random.standard_normal((n_systems, n_states, n_states))
    A *= radius / np.abs(np.linalg.eigvals(A)).max(axis=1)[:, None, None]
    return LDS(
        A,
        np.linalg.qr(random.standard_normal((n_systems, n_channels, n_states)))[0],
        B=random.standard_normal((n_systems, n_states, min(n_noise, n_states))),
        mean=random.standard_normal((n_systems, n_channels)),
        x0=random.standard_normal((n_systems, n_states)),
        noise_variance=random.random(n_systems),
        deviation=random.random((n_systems, n_channels)) + 0.1,
    )


def ragged_sequences(n_sequences=12, n_channels=4, seed=0, shortest=15, longest=40):
    random = np.random.default_rng(seed)
    return [
        random.standard_normal((n_channels, length)).cumsum(axis=1) * 0.3
        + random.standard_normal((n_channels, length))
        for length in random.integers(shortest, longest + 1, n_sequences)
    ]


def jordan_block(n, eigenvalue):
    return eigenvalue * np.eye(n) + np.eye(n, k=1)


def unstable_matrices(count, n, seed=0):
    """Random matrices of spectral radius above 1, some of them defective."""
    random = np.random.default_rng(seed)
    matrices = []
    while len(matrices) < count:
        kind = len(matrices) % 4
        if kind == 0:
            A = random.standard_normal((n, n))
        elif kind == 1:  # defective: one Jordan block in random coordinates
            P = random_orthogonal(n, random)
            A = P @ jordan_block(n, random.uniform(1.01, 2) * random.choice([-1, 1])) @ P.T
        elif kind == 2:  # strongly non-normal
            A = np.triu(random.standard_normal((n, n)), 1) * 10 + np.diag(random.uniform(1, 2, n))
        else:  # rank deficient
            A = np.outer(random.standard_normal(n), random.standard_normal(n))
        current = np.abs(np.linalg.eigvals(A)).max()
        if current > 0:
            matrices.append(A if current > 1 else A * 1.5 / current)
    return np.stack(matrices)


def contractions(n_systems, n_channels, n_states, seed=0, norm=0.95):
    """Systems whose singular values are below 1, as soft normalisation leaves them."""
    batch = random_systems(n_systems, n_channels, n_states, seed)
    norms = np.linalg.norm(batch.A, ord=2, axis=(1, 2))[:, None, None]
    return replace(batch, A=norm * batch.A / norms)


def random_state_model(n, m, random, radius=0.9, n_noise=None):
    """A process with noise of rank `n_noise`, for filters."""
    A = random.standard_normal((n, n))
    A *= radius / np.abs(np.linalg.eigvals(A)).max()
    B = random.standard_normal((n, n_noise or n))
    C = np.linalg.qr(random.standard_normal((m, n)))[0]
    noise = random.uniform(0.05, 2.0, m)
    return StateModel(A, C, B @ B.T, noise, random.standard_normal(n), B @ B.T)


def estimate_one(model, Y, observed, *, smooth):
    """The estimates of one sequence, by the batched function."""
    batch = StateModel(*(getattr(model, each.name)[None] for each in fields(model)))
    lengths = np.array([Y.shape[1]])
    found = estimate_states(batch, Y[None], observed[None], lengths, smooth=smooth)
    return StateEstimates(*(getattr(found, each.name)[0] for each in fields(found)))


def remove_some(X, share, seed=0):
    """Sequences without a share of their samples."""
    random = np.random.default_rng(seed)
    return [np.where(random.random(x.shape) < share, np.nan, x) for x in X]
