import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldslearn.classify.calibration import calibrated_probabilities, fit_factor


def make_scores(n_rows, n_classes, factor, seed):
    """Scores, and labels sampled from the softmax of `factor` times them."""
    random = np.random.default_rng(seed)
    scores = random.normal(size=(n_rows, n_classes))
    p = np.exp(factor * scores)
    p /= p.sum(axis=1, keepdims=True)
    return scores, np.array([random.choice(n_classes, p=row) for row in p])


@pytest.mark.parametrize("factor", [0.5, 2.0, 6.0])
def test_the_factor_comes_back(factor):
    scores, labels = make_scores(3000, 4, factor, 0)
    assert fit_factor(scores, labels) == pytest.approx(factor, rel=0.15)
    assert fit_factor(10 * scores, labels) == pytest.approx(factor / 10, rel=0.15)


@given(seed=st.integers(0, 10_000), n_classes=st.integers(2, 30), n_rows=st.integers(4, 60))
def test_the_factor_is_the_best_of_all(seed, n_classes, n_rows):
    """Also when the largest score is always the right one, where a plateau is in wait."""
    scores, labels = make_scores(n_rows, n_classes, 1.0, seed)
    scores[np.arange(n_rows), labels] += 3 * scores.std()
    target = np.full(scores.shape, 1 / (n_rows * n_classes))
    target[np.arange(n_rows), labels] += 1
    target /= target.sum(axis=1, keepdims=True)

    def loss(factor):
        logs = factor * scores
        logs = logs - np.log(np.exp(logs - logs.max(axis=1, keepdims=True)).sum(axis=1))[:, None]
        return -(target * (logs - (factor * scores).max(axis=1, keepdims=True))).sum()

    found = fit_factor(scores, labels)
    grid = np.exp(np.linspace(-4, 6, 60)) / scores.std()
    assert loss(found) <= min(map(loss, grid)) + 1e-3 * n_rows


def test_larger_margins_have_smaller_losses():
    labels = np.array([0, 1, 2] * 10)
    right = np.eye(3)[labels]
    random = np.random.default_rng(0)
    losses = []
    for noise in (0.05, 0.2, 0.3):
        scores = right + noise * random.uniform(-1, 1, size=right.shape)
        assert (scores.argmax(axis=1) == labels).all()
        p = calibrated_probabilities(scores, fit_factor(scores, labels))
        losses.append(-np.log(p[np.arange(30), labels]).mean())
    assert losses == sorted(losses)
    assert losses[0] > 1e-3


def test_classes_out_of_the_question():
    scores = np.array([[1.0, 0.0, -np.inf], [0.0, 1.0, -np.inf]] * 5)
    labels = np.array([0, 1] * 5)
    factor = fit_factor(scores, labels)
    p = calibrated_probabilities(scores, factor)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (p[:, 2] > 0).all()
    assert (p[:, 2] < 1e-5).all()
    assert fit_factor(np.zeros((4, 2)), labels[:4]) == 1.0
