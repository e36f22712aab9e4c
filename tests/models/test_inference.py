"""States, gaps and forecasts of systems, with honest deviations."""

import numpy as np
import pytest

from ldslearn import LDS, LDSEncoder
from ldslearn.models.measurements import StateModel

from support.makers import random_systems, remove_some
from support.oracles import condition_states

INSIDE = (0.88, 0.92)


def simulate(n_systems=60, n_states=3, n_channels=6, n_timepoints=300, seed=0, noise=(0.05, 1.0)):
    random = np.random.default_rng(seed)
    A = random.standard_normal((n_systems, n_states, n_states))
    A *= 0.9 / np.abs(np.linalg.eigvals(A)).max(axis=1)[:, None, None]
    systems = LDS(
        A,
        np.linalg.qr(random.standard_normal((n_systems, n_channels, n_states)))[0],
        B=np.tile(np.eye(n_states), (n_systems, 1, 1)),
        mean=random.standard_normal((n_systems, n_channels)),
        x0=np.zeros((n_systems, n_states)),
        noise_variance=random.uniform(*noise, (n_systems, n_channels)),
    )
    return systems, systems.simulate(n_timepoints, seed + 1)


def measure_coverage(systems, past, future):
    _, lower, upper = systems.forecast(past, future.shape[2], interval=0.9)
    return np.mean((lower < future) & (future < upper))


def measure_imputation(systems, gaps, X):
    filled, deviations = systems.impute(gaps, return_deviations=True)
    ratios = [
        (np.abs(one - x)[np.isnan(gap)] / d[np.isnan(gap)])
        for one, d, x, gap in zip(filled, deviations, X, gaps, strict=True)
    ]
    return np.mean(np.concatenate(ratios) < 1.6449)  # the 90 % interval of a normal variable


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_intervals_cover_nine_of_ten(share):
    """Under the true systems, and under systems fitted to the sequences."""
    truth, X = simulate()
    past = remove_some([x[:, :280] for x in X], share)
    encoder = LDSEncoder(3, n_noise=3, stabilizer="clip", missing="smooth")
    for systems in (truth, encoder.fit_transform(past)):
        assert INSIDE[0] <= measure_coverage(systems, past, X[:, :, 280:]) <= INSIDE[1]
        if share:
            complete = [x[:, :280] for x in X]
            assert INSIDE[0] <= measure_imputation(systems, past, complete) <= INSIDE[1]


@pytest.mark.parametrize("noise", [(0.005, 0.02), (0.5, 1.0)])
def test_intervals_of_short_sequences_cover_nine_of_ten(noise):
    """Where samples are precise, the prior of the fit must hardly add to their noise."""
    _, X = simulate(300, n_timepoints=120, noise=noise)
    complete = [x[:, :100] for x in X]
    past = remove_some(complete, 0.3)
    encoder = LDSEncoder(3, n_noise=3, stabilizer="clip", missing="smooth")
    systems = encoder.fit_transform(past)
    assert INSIDE[0] - 0.01 <= measure_coverage(systems, past, X[:, :, 100:]) <= INSIDE[1]
    most = INSIDE[1] if noise[0] > 0.1 else 0.955
    assert INSIDE[0] <= measure_imputation(systems, past, complete) <= most


@pytest.mark.parametrize("n_samples", [1, 2, 3])
def test_channels_of_few_samples_have_noise(n_samples):
    """Their samples are fitted exactly, which says nothing about their noise."""
    truth, X = simulate(40, 2, 6, 80, noise=(0.4, 0.6))
    gaps = [x.copy() for x in X]
    for gap in gaps:
        gap[0, n_samples:] = np.nan
    systems = LDSEncoder(2, missing="smooth").fit_transform(gaps)
    ratios = systems.noise_variance[:, 0] / truth.noise_variance[:, 0]
    assert ratios.min() > 0.1
    assert np.median(ratios) > 0.5


def test_states_are_conditional_expectations():
    """With delays each sample counts once: all of the first column, one of every other."""
    truth = random_systems(1, 6, 2, n_noise=2)
    for delays in (1, 3):
        system = LDS(**{**truth.__getstate__(), "delays": delays})
        x = np.random.default_rng(0).standard_normal((6 // delays, 9))
        x[0, 3] = np.nan
        stacked = np.array([x[:, k : k + 10 - delays] for k in range(delays)]).reshape(6, -1)
        observed = ~np.isnan(stacked)
        observed[: 6 - 6 // delays, 1:] = False
        process = system.B[0] @ system.B[0].T
        noise = np.full(6, system.noise_variance[0])
        model = StateModel(system.A[0], system.C[0], process, noise, system.x0[0], process)
        Y = np.where(observed, stacked - system.mean[0][:, None], 0.0)
        states, cov, log_likelihood = condition_states(model, Y, observed.astype(float))
        (found,), (covariances,) = system.smooth([x])
        np.testing.assert_allclose(found.T, states, atol=1e-9)
        np.testing.assert_allclose(covariances[-1], cov[-2:, -2:], atol=1e-9)
        np.testing.assert_allclose(system.log_likelihood([x]), log_likelihood, rtol=1e-9)
        (filtered,), (last,) = system.filter([x])
        np.testing.assert_allclose(filtered[:, -1], found[:, -1], atol=1e-9)
        np.testing.assert_allclose(last[-1], covariances[-1], atol=1e-9)
        (filled,), (deviations,) = system.impute([x], return_deviations=True)
        assert np.isfinite(filled).all()
        np.testing.assert_array_equal(filled[~np.isnan(x)], x[~np.isnan(x)])
        row, column = (6 - 6 // delays, 4 - delays)
        expected = system.C[0][row] @ states[column] + system.mean[0][row]
        np.testing.assert_allclose(filled[0, 3], expected)
        block = cov[2 * column : 2 * column + 2, 2 * column : 2 * column + 2]
        variance = system.C[0][row] @ block @ system.C[0][row] + noise[row]
        np.testing.assert_allclose(deviations[0, 3], np.sqrt(variance))
        assert (deviations > 0).sum() == 1


def test_gaps_are_filled_by_other_channels():
    truth, X = simulate(10, n_timepoints=100)
    gaps = [x.copy() for x in X]
    for gap in gaps:
        gap[0, 30:60] = np.nan
    errors = [
        np.abs(one - x)[0, 30:60].mean() for one, x in zip(truth.impute(gaps), X, strict=True)
    ]
    plain = [np.abs(x[0, 30:60] - x[0].mean()).mean() for x in X]
    assert np.mean(errors) < 0.8 * np.mean(plain)


def test_sequences_without_gaps_are_returned_as_they_are():
    truth, X = simulate(2, n_timepoints=20)
    filled, deviations = truth.impute(X, return_deviations=True)
    assert all(np.shares_memory(one, x) for one, x in zip(filled, X, strict=True))
    assert not np.any(deviations)


def test_forecasts_of_complete_sequences_are_as_before():
    truth, X = simulate(4, n_timepoints=30)
    forecast = truth.forecast(X, 5)
    for index, system in enumerate(truth):
        state = system.C[0].T @ (X[index][:, -1] - system.mean[0])
        for step in range(5):
            state = system.A[0] @ state
            expected = system.C[0] @ state + system.mean[0]
            np.testing.assert_allclose(forecast[index, :, step], expected, atol=1e-12)
    gaps = [x.copy() for x in X]
    gaps[0][:, -1] = np.nan
    mixed = truth.forecast(gaps, 5)
    np.testing.assert_array_equal(mixed[1:], forecast[1:])
    assert np.isfinite(mixed[0]).all()
    expected, lower, upper = truth.forecast(gaps, 5, interval=0.5)
    np.testing.assert_array_equal(expected[0], mixed[0])
    np.testing.assert_allclose(expected, (lower + upper) / 2)
    wide = truth.forecast(gaps, 5, interval=0.99)
    assert (wide[2] - wide[1] > upper - lower).all()
    widths = (upper - lower)[0].mean(axis=0)
    assert widths[0] < widths[-1]


def test_noise_of_one_variance_is_that_variance_in_every_channel():
    truth, X = simulate(3, n_timepoints=40)
    arrays = {**truth.__getstate__(), "noise_variance": np.array([0.1, 0.2, 0.3])}
    one = LDS(**arrays)
    spread = LDS(**{**arrays, "noise_variance": np.repeat([[0.1], [0.2], [0.3]], 6, axis=1)})
    np.testing.assert_array_equal(one.log_likelihood(X), spread.log_likelihood(X))
    np.testing.assert_array_equal(one.simulate(9, 0), spread.simulate(9, 0))
    assert one.noise_variance.shape == (3, 6)
    assert not one.noise_variance.flags.writeable
    old = LDS.__new__(LDS)  # as a pickle of an earlier release is read
    old.__setstate__(arrays)
    np.testing.assert_array_equal(old.noise_variance, spread.noise_variance)
    joined = LDS.concatenate([one, spread])
    assert joined.noise_variance.shape == (6, 6)
    np.testing.assert_array_equal(joined.noise_variance[:3], joined.noise_variance[3:])
    with pytest.raises(ValueError, match=r"noise_variance must have shape \(3, 6\); got \(3, 5\)"):
        LDS(**{**arrays, "noise_variance": np.ones((3, 5))})


def test_intervals_without_all_of_the_noise_are_not_trusted():
    _, X = simulate(3, n_timepoints=60)
    systems = LDSEncoder(3, stabilizer="clip").fit_transform(X)
    with pytest.warns(UserWarning, match=r"the process noise has 2 of 3 directions\. Encode"):
        _, lower, upper = systems.forecast(X, 4, interval=0.9)
    complete = LDSEncoder(3, n_noise=3, stabilizer="clip").fit_transform(X)
    _, low, high = complete.forecast(X, 4, interval=0.9)  # without a warning
    assert (high - low >= upper - lower - 1e-9).all()
    systems.forecast(X, 4)


def test_systems_without_noise():
    """As many states as channels leave no residual: deviations are those of the states."""
    _, X = simulate(3, n_timepoints=60)
    systems = LDSEncoder(6, n_noise=6).fit_transform(X)
    np.testing.assert_allclose(systems.noise_variance, 0, atol=1e-12)
    states, _ = systems.filter(X)
    expected = systems.states(X)
    np.testing.assert_allclose(states[0], expected[0], atol=1e-3 * np.abs(expected[0]).max())


def test_without_a_first_state_the_process_is_stationary():
    truth, X = simulate(3, n_timepoints=40)
    arrays = {**truth.__getstate__(), "x0": None}
    states, covariances = LDS(**arrays).filter(np.full_like(X, np.nan))
    assert not np.any(states)
    np.testing.assert_allclose(covariances[0][0], covariances[0][-1], rtol=1e-8)
    unstable = LDS(**{**arrays, "A": 1.2 * truth.A / 0.9})
    with pytest.raises(ValueError, match="system 0 must be stable or have x0, to estimate states"):
        unstable.filter(X)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s, X: s.filter(X[:1]), "sequences must be one for each of the 2 systems; got 1"),
        (lambda s, X: s.smooth(np.full_like(X, np.inf)), "must be finite; got 0 NaN and"),
        (lambda s, X: s.impute(X[:, :3]), "sequences must have 6 channels"),
        (lambda s, X: s.forecast(X, 3, interval=1.0), "interval must lie strictly between 0 and 1"),
        (lambda s, X: s.forecast(X, 0, interval=0.9), "n_timepoints must be an integer"),
        (lambda s, X: LDS(s.A, s.C).smooth(X), "must have noise_variance, and B or x0, to est"),
    ],
)
def test_bad_input(call, message):
    truth, X = simulate(2, n_timepoints=20)
    with pytest.raises(ValueError, match=message):
        call(truth, X)


def test_files_keep_the_noise_of_channels(tmp_path):
    truth, _ = simulate(3, n_timepoints=20)
    truth.save(tmp_path / "systems.npz")
    np.testing.assert_array_equal(
        LDS.load(tmp_path / "systems.npz").noise_variance, truth.noise_variance
    )
