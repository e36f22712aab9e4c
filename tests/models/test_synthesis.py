import numpy as np
import pytest

from ldslearn.datasets import Collection, make_dynamic_textures
from ldslearn.models import LDS, LDSEncoder
from ldslearn.models.synthesis import sample_sequence, synthesize_from_sequence
from ldslearn.video import to_sequence


@pytest.fixture(scope="module")
def waves():
    videos, kinds = make_dynamic_textures(n_per_class=1, size=16, n_frames=60, random_state=0)
    return to_sequence(videos[list(kinds).index("waves")])


def centred(sequence, mean):
    return sequence - mean[:, None]


def test_a_new_sequence_does_not_start_as_the_old_one(waves):
    data, mean = Collection([waves]), waves.mean(axis=1)
    old = centred(waves, mean)
    likeness = []
    for seed in range(20):
        new = centred(synthesize_from_sequence(data, 10, 5, seed)[0], mean)
        likeness.append(np.corrcoef(new[:, 0], old[:, 0])[0, 1])
    # Random states are not correlated with any given one on average.
    assert abs(np.mean(likeness)) < 0.3
    assert max(np.abs(likeness)) < 0.95
    np.testing.assert_array_equal(
        synthesize_from_sequence(data, 10, 5, 3)[0], synthesize_from_sequence(data, 10, 5, 3)[0]
    )


def test_new_sequences_keep_the_covariance_of_the_old_states(waves):
    system = LDSEncoder(4, stabilizer="clip").fit_transform([waves])
    (states,) = system.states([waves])
    covariance = states @ states.T / states.shape[1]
    new = np.stack([sample_sequence(system, 40, seed, covariance) for seed in range(300)])
    C, mean = system.C[0], system.mean[0]
    drawn = np.einsum("mn,smt->snt", C, new - mean[:, None])
    for time in (0, 39):  # at the start, and later
        found = drawn[:, :, time].T @ drawn[:, :, time] / len(drawn)
        np.testing.assert_allclose(found, covariance, atol=0.25 * covariance.max())


def test_an_expanding_system_becomes_stationary():
    # Along the first axis the covariance is small, and A carries much of the second into it.
    A = np.array([[0.5, 0.8], [0.0, 0.9]])
    system = LDS(A[None], np.eye(2)[None], B=np.eye(2)[None], x0=np.ones((1, 2)))
    covariance = np.diag([0.01, 1.0])
    new = np.stack([sample_sequence(system, 30, seed, covariance)[:, -1] for seed in range(500)])
    np.testing.assert_allclose(new.T @ new / 500, covariance, atol=0.12)


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_without_a_covariance_the_size_of_the_first_state_counts(noise):
    A, B = np.diag([0.9, 0.5])[None], noise * np.ones((1, 2, 1))
    system = LDS(A, np.eye(2)[None], B=B, x0=np.array([[3.0, 4.0]]))
    new = np.stack([sample_sequence(system, 2, seed) for seed in range(2000)])
    for time in range(2):
        assert np.square(new[:, :, time]).sum(axis=1).mean() == pytest.approx(25, rel=0.15)
    # The transition matrix is as it was.
    start, end = new[:, :, 0], new[:, :, 1]
    np.testing.assert_allclose(end.T @ start / 2000, A[0] @ start.T @ start / 2000, atol=1)
