import numpy as np
import pytest
from sklearn.base import clone, is_regressor
from sklearn.exceptions import NotFittedError

import ldslearn
from ldslearn import AutoLDSRegressor
from ldslearn.auto import RegressionReport
from ldslearn.auto.number_search import assign_number_folds, search_regressors
from ldslearn.random_systems import standardization
from ldslearn.regress.targets import scale_targets

SETTINGS = {"time_budget": 1e9, "n_jobs": None, "clock": lambda: 0.0}  # time stands still


def make_data(n, seed=0):
    """Two channels that turn by an angle per sample, of a size; angle and size are the targets."""
    random, t = np.random.default_rng(seed), np.arange(40)
    angles, sizes = random.uniform(0.2, 1.2, n), random.uniform(0.5, 2, n)
    X = [
        size * np.stack([np.cos(a * t + p), np.sin(a * t + p)]) + 0.05 * random.normal(size=(2, 40))
        for a, size, p in zip(angles, sizes, random.uniform(0, 6, n), strict=True)
    ]
    return X, np.stack([angles, sizes], axis=1)


@pytest.fixture
def quick(monkeypatch):
    """A small space of candidates, which ends without a clock."""
    monkeypatch.setattr("ldslearn.auto.candidates.ORDERS", (2, 4))
    monkeypatch.setattr("ldslearn.auto.candidates.DELAYS", (1, 3))
    monkeypatch.setattr("ldslearn.auto.candidates.WINDOWS", ((1,),))
    monkeypatch.setattr("ldslearn.auto.search._FINALISTS", 1)
    monkeypatch.setattr("ldslearn.auto.number_trials._PENALTIES", np.logspace(-6, 1, 4))
    monkeypatch.setattr("ldslearn.auto.number_search._N_BANKS", 1)


def search(X, y, groups=None, seed=0, **options):
    settings = {"max_members": 20, **SETTINGS, **options}
    targets = scale_targets(y, len(X), "sequences")
    return search_regressors(X, targets, groups, random=np.random.RandomState(seed), **settings)


def assemble(fitted, y):
    """Return the estimator of what a search found."""
    model, targets = AutoLDSRegressor(), scale_targets(y, len(y))
    model.pipelines_, model.random_systems_, model.weights_ = fitted
    model.n_channels_in_, model.imputer_, model._is_column = 2, None, False
    model._mean, model._scale = targets.mean, targets.scale
    return model


def test_the_best_candidates_are_members(quick):
    X, y = make_data(40)
    fitted, report = search(X[:20], y[:20])
    losses = [one["loss"] for one in report.tried]
    assert losses == sorted(losses)
    assert report.stopped == "nothing better was left to try"
    assert {one["kind"] for one in report.members} <= {"fitted systems", "random systems"}
    assert max(one["loss"] for one in report.members) <= 2 * losses[0]
    assert fitted.weights.sum() == pytest.approx(1.0)
    n_rules = sum(len(pipeline[-1].rules) for pipeline in fitted.pipelines)
    assert n_rules + len(fitted.random_systems) == len(fitted.weights) == len(report.members)
    # The expected error is that of new sequences.
    errors = assemble(fitted, y[:20]).predict(X[20:]) - y[20:]
    found, expected = np.sqrt(np.square(errors).mean(axis=0)), np.array(report.expected_error)
    assert (expected > 0.2 * found).all()
    assert (expected < 5 * found).all()
    assert (np.array(report.standard_error) > 0.02 * expected).all()
    assert (np.array(report.standard_error) < expected).all()


def test_errors_are_roots_of_squares_in_the_units_of_targets(quick, monkeypatch):
    """The standard error of a root is that of the square, divided by twice the root."""
    X, y = make_data(12)
    monkeypatch.setattr(
        "ldslearn.auto.number_search._expect_squared_error", lambda *arguments: (0.25, 0.04)
    )
    _, report = search(X, y)
    scale = scale_targets(y, len(y)).scale
    np.testing.assert_allclose(report.expected_error, 0.5 * scale)
    np.testing.assert_allclose(report.standard_error, 0.04 * scale)


def test_banks_of_random_systems_share_a_standardization(quick, monkeypatch):
    monkeypatch.setattr("ldslearn.auto.number_search._N_BANKS", 3)
    original, n_fitted = standardization._fit_standardization, []

    def count(sequences, n_components):
        n_fitted.append(len(sequences))
        return original(sequences, n_components)

    monkeypatch.setattr(standardization, "_fit_standardization", count)
    X, y = make_data(12)
    _, report = search(X, y)
    assert sum(one["kind"] == "random systems" for one in report.tried) == 3
    assert n_fitted.count(len(X)) == 1


def test_one_member(quick):
    X, y = make_data(12)
    fitted, report = search(X, y, max_members=1)
    assert fitted.weights.tolist() == [1.0]
    assert report.members[0]["loss"] == report.tried[0]["loss"]


def test_noise_is_not_predicted(quick):
    X, _ = make_data(20)
    y = np.random.default_rng(3).normal(size=20)
    _, report = search(X, y)
    assert report.expected_score < 0.3
    assert report.expected_error[0] > 0.7 * y.std()


def test_a_clock_that_runs_stops_the_search():
    X, y = make_data(24)
    now = iter(np.arange(0, 1e6))
    _, report = search(X, y, time_budget=30.0, clock=lambda: float(next(now)))
    assert report.stopped.startswith("stopped by the time budget, without further")
    assert report.members


def test_folds_keep_groups_whole():
    groups = np.repeat(np.arange(4), 5)
    (fold,) = assign_number_folds(20, groups, np.random.RandomState(0))
    assert all(len(set(fold[groups == g])) == 1 for g in range(4))
    assert len(set(fold)) == 4
    (fold,) = assign_number_folds(7, None, np.random.RandomState(0))
    assert sorted(fold) == list(range(7))


def test_estimator(tmp_path):
    X, y = make_data(40)
    model = AutoLDSRegressor(2, random_state=0)
    assert is_regressor(model)
    with pytest.raises(NotFittedError):
        model.predict(X)
    assert clone(model).get_params() == model.get_params()
    groups = np.arange(30) % 6
    model.fit(X[:30], y[:30], groups=groups)
    assert model.predict(X[30:]).shape == (10, 2)
    assert isinstance(model.report_, RegressionReport)
    assert "expected error" in str(model.report_)
    assert "expected error" in model.report_._repr_html_()
    ldslearn.save(model, tmp_path / "m.lds")
    loaded = ldslearn.load(tmp_path / "m.lds")
    np.testing.assert_allclose(loaded.predict(X[30:]), model.predict(X[30:]), rtol=1e-12)
    column = AutoLDSRegressor(1, random_state=0).fit(X[:30], y[:30, 0])
    assert column.predict(X[30:]).shape == (10,)


def test_gaps_are_filled():
    X, y = make_data(12)
    X[0] = X[0].copy()
    X[0][:, 5:8] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        AutoLDSRegressor(1).fit(X, y)
    model = AutoLDSRegressor(1, missing="smooth", random_state=0).fit(X, y)
    assert np.isfinite(model.predict(X)).all()


def test_bad_input():
    X, y = make_data(6)
    with pytest.raises(ValueError, match="X must hold at least four sequences; got 3"):
        AutoLDSRegressor(1).fit(X[:3], y[:3])
    with pytest.raises(ValueError, match="y must hold one row per sequence; got 5 for 6 sequences"):
        AutoLDSRegressor(1).fit(X, y[:5])
    with pytest.raises(ValueError, match="y must hold finite numbers, one row per sequence; got d"):
        AutoLDSRegressor(1).fit(X, list("abcdef"))
    with pytest.raises(ValueError, match="time_budget must be positive; got 0"):
        AutoLDSRegressor(0).fit(X, y)
    with pytest.raises(ValueError, match="max_members must be an integer of at least 1; got 0"):
        AutoLDSRegressor(1, max_members=0).fit(X, y)
    with pytest.raises(ValueError, match="groups must name at least two groups"):
        AutoLDSRegressor(1).fit(X, y, groups=["a"] * 6)
