"""LDSImputer: complete sequences for methods that need them."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import ldslearn
from ldslearn import LDSEncoder, NearestLDSClassifier
from ldslearn.datasets import load_basic_motions
from ldslearn.models import LDSImputer
from ldslearn.sequences.gaps import interpolate_gaps

from support.makers import ragged_sequences, remove_some


def waves(n_sequences=6):
    random = np.random.default_rng(0)
    time = np.arange(120)
    mixing = random.standard_normal((n_sequences, 5, 2))
    angle = random.uniform(0.5, 1.2, (n_sequences, 1))
    states = np.stack([np.sin(angle * time), np.cos(angle * time)], axis=1)
    return list(mixing @ states + 0.05 * random.standard_normal((n_sequences, 5, 120)))


def error(filled, X, gaps):
    pairs = [(one - x)[np.isnan(gap)] for one, x, gap in zip(filled, X, gaps, strict=True)]
    return np.sqrt(np.mean(np.concatenate(pairs) ** 2))


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_oscillations_are_filled_better_than_by_interpolation(share):
    X = waves()
    gaps = remove_some(X, share)
    filled = LDSImputer().fit_transform(gaps)
    assert error(filled, X, gaps) < 0.3 * error([interpolate_gaps(x) for x in gaps], X, gaps)
    for one, gap in zip(filled, gaps, strict=True):
        np.testing.assert_array_equal(one[~np.isnan(gap)], gap[~np.isnan(gap)])


def test_a_sensor_that_is_lost_for_long_is_filled_by_the_others():
    """By correlations of the training sequences; noise without memory tells nothing over time."""
    random = np.random.default_rng(0)
    mixing = random.standard_normal((5, 2))
    X = list(mixing @ random.standard_normal((12, 2, 60)))
    X = [x + 0.1 * random.standard_normal(x.shape) for x in X]
    gaps = [x.copy() for x in X]
    for index, x in enumerate(gaps):
        x[index % 5, 10:40] = np.nan
    gaps[0][1] = np.nan  # in all of the sequence
    imputer = LDSImputer().fit(gaps)
    assert imputer.channel_factors_.shape[0] == 5
    assert imputer.channel_weight_ > 0.5
    interpolated = [np.nan_to_num(interpolate_gaps(x)) for x in gaps]
    assert error(imputer.transform(gaps), X, gaps) < 0.3 * error(interpolated, X, gaps)


def test_other_channels_have_no_weight_if_they_say_nothing():
    random = np.random.default_rng(0)
    X = [random.standard_normal((4, 1)) * np.linspace(-1, 1, 80) for _ in range(12)]  # ramps
    for x in X:
        x[1, 20:40] = np.nan
    assert LDSImputer(2, delays=1).fit(X).channel_weight_ < 0.2


def test_slow_channels_are_interpolated():
    """Where the system is wrong, the mixture follows what predicts hidden samples."""
    random = np.random.default_rng(0)
    X = [random.standard_normal((4, 200)).cumsum(axis=1) for _ in range(4)]
    gaps = remove_some(X, 0.3)
    filled = LDSImputer(1, delays=1).fit_transform(gaps)
    assert error(filled, X, gaps) < 1.1 * error([interpolate_gaps(x) for x in gaps], X, gaps)


def test_sequences_that_are_hardly_there():
    X = ragged_sequences(4)
    X[1] = np.full((4, 30), np.nan)
    X[1][2, 7] = 5.0
    X[2] = X[2][:, :3]
    X[2][0, 1] = np.nan
    imputer = LDSImputer().fit(X)
    filled = imputer.transform(X)
    assert all(np.isfinite(x).all() for x in filled)
    np.testing.assert_array_equal(filled[1][2], 5.0)
    np.testing.assert_allclose(filled[1][0], imputer.channel_means_[0])
    assert filled[0] is X[0]
    X[3] = np.full((4, 9), np.nan)
    with pytest.raises(ValueError, match="sequence 3 must have observed samples; got NaN through"):
        imputer.transform(X)
    with pytest.raises(ValueError, match="X must have 4 channels"):
        imputer.transform([np.ones((2, 9))])


def test_constant_channels_stay_constant():
    X = waves(1)
    X[0][2] = 0.1
    gaps = remove_some(X, 0.3)
    filled = LDSImputer().fit_transform(gaps)
    np.testing.assert_array_equal(filled[0][2], 0.1)


def test_threads_do_not_matter_and_types_are_kept():
    gaps = [x.astype(np.float32) for x in remove_some(waves(), 0.3)]
    one, two = (LDSImputer(n_jobs=n).fit_transform(gaps) for n in (1, 2))
    for first, second in zip(one, two, strict=True):
        np.testing.assert_array_equal(first, second)
        assert first.dtype == np.float32


def test_in_a_pipeline(tmp_path):
    X, y, X_test, y_test = load_basic_motions()
    model = make_pipeline(
        LDSImputer(), LDSEncoder(10, delays=5), NearestLDSClassifier("projection")
    )
    complete = model.fit(X, y).score(X_test, y_test)
    model.fit(remove_some(X, 0.3), y)
    gaps = remove_some(X_test, 0.3)
    assert model.score(gaps, y_test) > complete - 0.15
    ldslearn.save(model, tmp_path / "model.lds")
    again = ldslearn.load(tmp_path / "model.lds")
    np.testing.assert_array_equal(again.predict(gaps), model.predict(gaps))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_states": 0}, "n_states must be an integer of at least 1; got 0"),
        ({"delays": 0}, "delays must be an integer of at least 1; got 0"),
        ({"max_iter": 1.5}, "max_iter must be an integer of at least 0; got 1.5"),
        ({"tol": -1}, "tol must be a number of at least 0; got -1"),
    ],
)
def test_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        LDSImputer(**options).fit(waves())


@pytest.mark.parametrize("level", range(8))
def test_channels_at_rest_stay_at_rest(level):
    """The mean of equal numbers may differ from them by rounding, which is no variation."""
    random = np.random.default_rng(0)
    X = [np.cumsum(random.normal(size=(3, 60)), axis=1) for _ in range(8)]
    for x in X:
        x[1] = x[0] + 0.1 * random.normal(size=60)
        x[2] = level
        x[1:, 10:40] = np.nan
    for filled in LDSImputer().fit_transform(X):
        np.testing.assert_array_equal(filled[2], level)
