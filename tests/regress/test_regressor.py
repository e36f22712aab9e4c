import numpy as np
import pytest
from sklearn.base import is_regressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, PairwiseKernel, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from ldslearn import LDS, LDSEncoder, LDSRegressor
from ldslearn.classify.ridge_path import RidgePath
from ldslearn.geometry import projection_kernel
from ldslearn.geometry.fitted_kernels import ReferenceKernel
from ldslearn.regress.leave_one_out import choose_penalties
from ldslearn.scale import LDSStore

from support.contract import check_estimator_on_systems
from support.makers import contractions

MIXTURE = {"projection": 0.7, "covariance": 0.1, "mean": 0.2}
REGRESSORS = {
    "ridge": LDSRegressor(),
    "ridge-mixture": LDSRegressor(MIXTURE, length_scale=None),
    "ridge-fixed": LDSRegressor(penalty=0.01, length_scale=2.0),
    "process": LDSRegressor(method="gaussian_process"),
    "process-martin": LDSRegressor(
        "martin", method="gaussian_process", kernel_params={"bandwidth": "median"}
    ),
    "function": LDSRegressor(projection_kernel),
}


def make_oscillations(n, seed, noise=0.1):
    """Two channels that turn by an angle per sample, and the angle."""
    random, t = np.random.default_rng(seed), np.arange(80)
    angles = random.uniform(0.2, 1.2, n)
    phases = random.uniform(0, 6, n)
    X = [
        np.stack([np.cos(a * t + p), np.sin(a * t + p)]) + noise * random.normal(size=(2, 80))
        for a, p in zip(angles, phases, strict=True)
    ]
    return X, angles


@pytest.fixture(scope="module")
def systems():
    X, y = make_oscillations(60, 0)
    encoded = LDSEncoder(2, delays=3).fit_transform(X)
    return encoded[:40], y[:40], encoded[40:], y[40:]


@pytest.mark.filterwarnings("ignore:the kernel matrix is indefinite")  # Martin's
@pytest.mark.parametrize("name", REGRESSORS)
def test_contract(name, systems):
    X, y, Z, z = systems
    check_estimator_on_systems(REGRESSORS[name], X, y, Z)
    assert is_regressor(REGRESSORS[name])
    assert REGRESSORS[name].fit(X, y).score(Z, z) > 0.8


def refit_without(i, gram, y, penalty):
    """Prediction of one example by a ridge regression with an intercept on the others."""
    rest = np.delete(np.arange(len(y)), i)
    K = gram[np.ix_(rest, rest)]
    # An intercept without penalty: bordered equations.
    n = len(rest)
    system = np.block([[K + penalty * np.eye(n), np.ones((n, 1))], [np.ones((1, n)), 0.0]])
    found = np.linalg.solve(system, np.append(y[rest], 0.0))
    return gram[i, rest] @ found[:-1] + found[-1]


def test_left_out_predictions_are_those_of_refits(systems):
    X, y, _, _ = systems
    model = LDSRegressor(penalty=0.03, length_scale=None).fit(X, y)
    gram = projection_kernel(X)
    centred = gram - gram.mean(0) - gram.mean(1)[:, None] + gram.mean()
    penalty = 0.03 * np.trace(centred) / len(y)
    expected = [refit_without(i, gram, y, penalty) for i in range(len(y))]
    np.testing.assert_allclose(model.left_out_predictions_, expected, rtol=1e-8)


def log_density_without(i, gram, y, penalty, noise):
    """Of the left-out target by a process with a constant of almost unknown value."""
    rest = np.delete(np.arange(len(y)), i)
    K = noise / penalty * gram + 1e5
    C = K[np.ix_(rest, rest)] + noise * np.eye(len(rest))
    k = K[i, rest]
    mean = k @ np.linalg.solve(C, y[rest])
    variance = K[i, i] + noise - k @ np.linalg.solve(C, k)
    return -0.5 * (np.log(2 * np.pi * variance) + (y[i] - mean) ** 2 / variance)


def test_the_density_of_left_out_targets_is_that_of_refits(systems):
    X, y, _, _ = systems
    gram, y = projection_kernel(X), (y - y.mean()) / y.std()
    for penalty in (0.01, 0.5):
        choice = choose_penalties(RidgePath.decompose(gram), y[:, None], [penalty], True)
        found = [log_density_without(i, gram, y, penalty, choice.noise[0]) for i in range(len(y))]
        np.testing.assert_allclose(choice.losses[0], -np.mean(found), rtol=1e-4)
        for factor in (0.8, 1.25):  # the noise has the largest density
            other = [
                log_density_without(i, gram, y, penalty, factor * choice.noise[0])
                for i in range(len(y))
            ]
            assert np.mean(other) < np.mean(found)


def test_the_best_penalty_is_chosen_for_each_output(systems):
    X, y, Z, _ = systems
    random = np.random.default_rng(0)
    both = np.stack([y, random.normal(size=len(y))], axis=1)
    model = LDSRegressor().fit(X, both)
    assert model.penalty_[1] > 10 * model.penalty_[0]
    assert model.predict(Z).shape == (len(Z), 2)
    errors = []
    for penalty in (model.penalty_[0] / 3, model.penalty_[0], model.penalty_[0] * 3):
        one = LDSRegressor(penalty=penalty, length_scale=model.length_scale_).fit(X, y)
        errors.append(np.square(one.left_out_predictions_ - y).mean())
    assert errors[1] == min(errors)


def test_one_column_or_none(systems):
    X, y, Z, _ = systems
    flat = LDSRegressor().fit(X, y)
    column = LDSRegressor().fit(X, y[:, None])
    assert flat.predict(Z).shape == (len(Z),)
    assert column.predict(Z).shape == (len(Z), 1)
    np.testing.assert_array_equal(flat.predict(Z), column.predict(Z)[:, 0])


def test_units_of_the_targets_do_not_matter(systems):
    X, y, Z, _ = systems
    for method in ("ridge", "gaussian_process"):
        plain = LDSRegressor(method=method).fit(X, y)
        other = LDSRegressor(method=method).fit(X, 1e6 * y - 5e7)
        np.testing.assert_allclose(other.predict(Z), 1e6 * plain.predict(Z) - 5e7, rtol=1e-6)
        np.testing.assert_allclose(other.noise_std_, 1e6 * plain.noise_std_, rtol=1e-6)


def test_the_mean_is_that_of_kernel_ridge(systems):
    """Of centred targets and kernels, which have no intercept."""
    X, y, Z, _ = systems
    model = LDSRegressor(penalty=0.1, length_scale=None).fit(X, y)
    K, cross = projection_kernel(X), projection_kernel(Z, X)
    means = K.mean(axis=0)
    centred = K - means - means[:, None] + means.mean()
    centred_cross = cross - cross.mean(axis=1)[:, None] - means + means.mean()
    penalty = 0.1 * np.trace(centred) / len(X)
    plain = KernelRidge(alpha=penalty, kernel="precomputed").fit(centred, y - y.mean())
    np.testing.assert_allclose(model.predict(Z), plain.predict(centred_cross) + y.mean(), rtol=1e-8)


def test_standard_deviations_are_those_of_a_gaussian_process(systems):
    """With a constant of almost unknown value, and the same variances."""
    X, y, Z, _ = systems
    model = LDSRegressor(MIXTURE, method="gaussian_process", length_scale=None).fit(X, y)
    both = LDS.concatenate([X, Z])
    values, vectors = np.linalg.eigh(ReferenceKernel(both, model.kernel_.parts, None).cross(both))
    points = vectors * np.sqrt(np.maximum(values, 0))
    noise, penalty = model.noise_std_[0] ** 2, model._penalties[0]
    kernel = ConstantKernel(noise / penalty) * PairwiseKernel(metric="linear")
    process = GaussianProcessRegressor(
        kernel + ConstantKernel(1e4) + WhiteKernel(noise), alpha=0.0, optimizer=None
    ).fit(points[: len(X)], y)
    mean, std = process.predict(points[len(X) :], return_std=True)
    found = model.predict(Z, return_std=True)
    np.testing.assert_allclose(found[0], mean, rtol=1e-4)
    np.testing.assert_allclose(found[1], std, rtol=1e-3)


def test_standard_deviations_are_calibrated():
    X, y = make_oscillations(200, 5, noise=0.5)
    y = y + 0.1 * np.random.default_rng(1).normal(size=200)
    encoded = LDSEncoder(2, delays=3).fit_transform(X)
    model = LDSRegressor(method="gaussian_process").fit(encoded[:100], y[:100])
    mean, std = model.predict(encoded[100:], return_std=True)
    inside = np.mean(np.abs(mean - y[100:]) < 1.96 * std)
    assert 0.85 < inside <= 1.0
    assert 0.07 < std.mean() < 0.25


def test_far_systems_have_larger_deviations(systems):
    X, y, Z, _ = systems
    model = LDSRegressor(method="gaussian_process", length_scale=0.5).fit(X, y)
    others = contractions(5, 6, 2, seed=4)
    far = LDS(others.A, others.C, delays=3)
    assert model.predict(far, return_std=True)[1].min() > model.predict(Z, return_std=True)[1].max()


@pytest.mark.parametrize("method", ["ridge", "gaussian_process"])
def test_constant_targets_and_copies(method, systems):
    X, y, Z, _ = systems
    constant = LDSRegressor(method=method).fit(X, np.full(len(X), 3.1))
    np.testing.assert_allclose(constant.predict(Z), 3.1)
    copies = LDSRegressor(method=method).fit(X[[0] * 12], y[:12])
    np.testing.assert_allclose(copies.predict(Z), y[:12].mean(), rtol=1e-6)
    two = LDSRegressor(method=method).fit(X[:2], y[:2])
    assert np.isfinite(two.predict(Z)).all()


def test_stores_are_predicted_block_by_block(systems, tmp_path):
    X, y, Z, _ = systems
    store = LDSStore.write(tmp_path / "store", [Z[:7], Z[7:]])
    for model in (LDSRegressor().fit(X, y), LDSRegressor(method="gaussian_process").fit(X, y)):
        np.testing.assert_allclose(model.predict(store), model.predict(Z), rtol=1e-10)
    stored, plain = (model.predict(one, return_std=True)[1] for one in (store, Z))
    np.testing.assert_allclose(stored, plain, rtol=1e-8)


def test_pipelines_and_searches():
    X, y = make_oscillations(45, 2)
    model = make_pipeline(LDSEncoder(2, delays=3), LDSRegressor(method="gaussian_process"))
    search = GridSearchCV(model, {"ldsencoder__delays": [1, 3]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.8
    assert cross_val_score(model, X, y, cv=3).mean() > 0.8
    assert len(search.best_estimator_.predict(X[:5], return_std=True)) == 2


def test_bad_input(systems):
    X, y, Z, _ = systems
    for values, message in (
        (y[:-1], "y must hold one row per system; got 39 for 40 systems"),
        (np.where(y == y[3], np.nan, y), "y must hold finite numbers.*; got NaN .* for system 3"),
        (np.full(40, "a"), "y must hold finite numbers, one row per system; got dtype <U1"),
        (np.array(["a", 1.0] * 20, dtype=object), "y must hold finite numbers.* such as 'a'"),
        (np.zeros((40, 2, 2)), r"y must hold finite numbers.*; got shape \(40, 2, 2\)"),
        (np.zeros((40, 0)), r"y must hold finite numbers.*; got shape \(40, 0\)"),
        (None, "y must hold finite numbers"),
    ):
        with pytest.raises(ValueError, match=message):
            LDSRegressor().fit(X, values)
    with pytest.raises(ValueError, match="X must hold at least two systems; got 1. Add examples"):
        LDSRegressor().fit(X[:1], y[:1])
    with pytest.raises(ValueError, match="method must be one of 'ridge', .*; got 'gp'"):
        LDSRegressor(method="gp").fit(X, y)
    with pytest.raises(ValueError, match="penalty must be positive or 'loo'; got 0"):
        LDSRegressor(penalty=0).fit(X, y)
    with pytest.raises(
        ValueError, match="length_scale must be positive, 'loo' or None; got 'auto'"
    ):
        LDSRegressor(length_scale="auto").fit(X, y)
    with pytest.raises(ValueError, match="return_std must be False for method='ridge'; got True"):
        LDSRegressor().fit(X, y).predict(Z, return_std=True)
    with pytest.raises(ValueError, match="X must have n_states=2, as the model"):
        LDSRegressor().fit(X, y).predict(
            LDS(*(getattr(contractions(3, 6, 3), f) for f in "AC"), delays=3)
        )
