"""LDSEncoder(missing="smooth"): gaps of all kinds, and nothing new without gaps."""

import numpy as np
import pytest
from sklearn.base import clone

import ldslearn
from ldslearn import LDS, LDSEncoder
from ldslearn.models.fields import FIELD_SHAPES
from ldslearn.models.missing import GapSettings, fit_with_gaps
from ldslearn.sequences import place_on_grid
from ldslearn.sequences.gaps import channel_statistics

from support.makers import ragged_sequences, remove_some

OPTIONS = [{}, {"delays": 3}, {"center": False}, {"windows": (1, 2)}, {"stabilizer": "wls"}]


def simulate(n_systems=6, n_channels=5, n_states=2, n_timepoints=150, noise=0.02, seed=0):
    """Sequences of slow rotations, almost without process noise."""
    random = np.random.default_rng(seed)
    angles = random.uniform(0.2, 1.0, n_systems)
    A = 0.995 * np.array([[[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]] for a in angles])
    C = np.linalg.qr(random.standard_normal((n_systems, n_channels, n_states)))[0]
    systems = LDS(
        A, C, B=np.tile(0.1 * np.eye(2), (n_systems, 1, 1)), x0=np.ones((n_systems, 2)),
        mean=random.standard_normal((n_systems, n_channels)),
        noise_variance=np.full((n_systems, n_channels), noise),
    )  # fmt: skip
    return systems, list(systems.simulate(n_timepoints, seed))


def assert_same(first, second):
    for name in FIELD_SHAPES:
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_complete_sequences_have_the_digits_of_a_complete_fit(options):
    X = ragged_sequences(8)
    with_gaps = remove_some(X[:4], 0.3) + X[4:]
    encoder = LDSEncoder(3, missing="smooth", **options)
    systems = encoder.fit_transform(with_gaps)
    expected = LDSEncoder(3, **options).fit_transform(X)
    assert_same(systems[4:], expected[4:])
    assert not np.array_equal(systems[:4].A, expected[:4].A)
    assert (encoder.n_iter_[4:] == 0).all()
    assert (encoder.n_iter_[:4] > 0).all()
    assert np.isnan(encoder.log_likelihood_[4:]).all()
    assert np.isfinite(encoder.log_likelihood_[:4]).all()
    assert_same(LDSEncoder(3, missing="smooth", **options).fit_transform(X), expected)
    assert_same(encoder.transform(with_gaps), systems)


@pytest.mark.parametrize("delays", [1, 3])
@pytest.mark.parametrize("center", [True, False])
def test_without_gaps_and_iterations_the_fit_is_that_of_a_complete_sequence(delays, center):
    for x in ragged_sequences(4):
        settings = GapSettings(0, 0.0, *channel_statistics([x]))
        found = fit_with_gaps([x], 3, delays, center, settings)[0]
        options = {"delays": delays, "center": center, "stabilizer": "none", "n_noise": 3}
        expected = LDSEncoder(3, **options).fit_transform([x])
        for name in ("A", "C", "mean"):
            np.testing.assert_allclose(getattr(found, name), getattr(expected, name)[0], atol=1e-12)
        np.testing.assert_allclose(found.variances, expected.noise_variance[0], atol=1e-12)
        covariance = found.moments.residual_covariance(found.A)
        B = expected.B[0]
        np.testing.assert_allclose(covariance, B @ B.T, atol=1e-9 * np.abs(covariance).max())
        assert found.n_iter == 0


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_systems_are_found_in_spite_of_gaps(share):
    truth, X = simulate()
    complete = LDSEncoder(2, stabilizer="clip").fit_transform(X)
    systems = LDSEncoder(2, stabilizer="clip", missing="smooth").fit_transform(
        remove_some(X, share)
    )
    for one, whole, true in zip(systems, complete, truth, strict=True):
        values = np.sort_complex(np.linalg.eigvals(one.A[0]))
        expected = np.sort_complex(np.linalg.eigvals(true.A[0]))
        assert np.abs(np.angle(values) - np.angle(expected)).max() < 0.03
        angles = np.linalg.svd(one.C[0].T @ whole.C[0], compute_uv=False)
        assert angles.min() > 0.99


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_gaps_of_all_kinds(options):
    _, X = simulate(n_timepoints=60)
    gaps = remove_some(X, 0.2)
    gaps[0][1] = np.nan  # a channel
    gaps[1][:, 20:30] = np.nan  # time points
    gaps[2][:, :5] = np.nan
    gaps[3][:, -5:] = np.nan
    gaps[4][2:, 10:40] = np.nan
    encoder = LDSEncoder(2, missing="smooth", **options)
    systems = encoder.fit_transform(gaps)
    again = LDS(**systems.__getstate__())  # checks all fields
    assert again.is_stable.all()
    if encoder.center:
        np.testing.assert_allclose(systems.mean[0][1], encoder.channel_means_[1])
    assert systems.noise_variance.min() > 0 or options.get("windows")
    two = LDSEncoder(2, missing="smooth", n_jobs=2, **options).fit_transform(gaps)
    assert_same(systems, two)


@pytest.mark.parametrize(("n_states", "n_channels"), [(1, 1), (1, 4), (3, 3), (5, 7)])
def test_all_orders(n_states, n_channels):
    X = [x.astype(np.float32) for x in ragged_sequences(5, n_channels, shortest=40, longest=60)]
    systems = LDSEncoder(n_states, missing="smooth").fit_transform(remove_some(X, 0.2))
    assert systems.shape == (5, n_channels, n_states)
    assert systems.is_stable.all()


def test_sequences_of_low_rank():
    time = np.arange(60.0)
    X = [np.outer([1.0, 2.0, -1.0, 0.5], np.sin(0.3 * time + k)) for k in range(4)]
    with pytest.warns(UserWarning, match="rank below the 3 states"):
        LDSEncoder(3).fit_transform(X)
    gaps = remove_some(X, 0.3)
    systems = LDSEncoder(3, missing="smooth", stabilizer="clip").fit_transform(gaps)
    assert np.isfinite(systems.A).all()
    filled = systems.impute(gaps)
    assert max(np.abs(one - x).max() for one, x in zip(filled, X, strict=True)) < 0.3


def test_constant_sequences_with_gaps():
    X = ragged_sequences(3)
    X[1] = np.full((4, 30), 2.0)
    gaps = remove_some(X, 0.2)
    with pytest.raises(ValueError, match="sequence 1 must vary over time"):
        LDSEncoder(2, missing="smooth").fit_transform(gaps)
    with pytest.warns(UserWarning, match="rank below"):
        systems = LDSEncoder(2, missing="smooth", constant="rest").fit_transform(gaps)
    np.testing.assert_array_equal(systems.A[1], 0)
    np.testing.assert_allclose(systems.mean[1], 2.0)


def test_a_fraction_of_the_variance():
    _, X = simulate()
    encoder = LDSEncoder(0.9, missing="smooth").fit(remove_some(X, 0.1))
    assert 2 <= encoder.n_states_ <= 5


def wrong(change):
    X = [x.copy() for x in ragged_sequences(3, shortest=20, longest=20)]
    change(X)
    return X


def clear(X, keep):
    hidden = np.full(X[1].shape, np.nan)
    hidden[keep] = X[1][keep]
    X[1] = hidden


BAD = [
    (lambda X: clear(X, (0, slice(0, 0))), "sequence 1 must have observed samples; got NaN thr"),
    (
        lambda X: clear(X, (slice(None), slice(0, 4))),
        r"sequence 1 must have at least 5 time points with an observed sample for 4 states; got 4",
    ),
    (
        lambda X: clear(X, (0, slice(0, 10))),
        "sequence 1 must have at least 21 observed samples for 4 states, as many as unknowns; got "
        "10. Fit with fewer states, or leave it out",
    ),
    (
        lambda X: [x.__setitem__(2, np.nan) for x in X],
        "channel 2 must be observed in at least one sequence; got NaN throughout. Leave it out",
    ),
    (
        lambda X: X[2].__setitem__((0, 0), np.inf),
        "sequence 2 must be finite; got 0 NaN and 1 infinite of 80 values, the first in channel 0, "
        "time point 0. Replace",
    ),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_bad_input(change, message):
    with pytest.raises(ValueError, match=message):
        LDSEncoder(4, missing="smooth").fit_transform(wrong(change))


def test_the_default_names_the_option():
    X = remove_some(ragged_sequences(3), 0.1)
    with pytest.raises(ValueError, match=r'must be finite; .* missing="smooth" of encoders'):
        LDSEncoder(2).fit(X)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"missing": "smoth"}, "missing must be one of 'raise', 'smooth'; got 'smoth'. Did you"),
        ({"missing": "smooth", "max_iter": -1}, "max_iter must be an integer of at least 0"),
        ({"missing": "smooth", "tol": -1.0}, "tol must be a number of at least 0"),
    ],
)
def test_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        LDSEncoder(2, **options).fit(ragged_sequences(3))


def test_the_option_is_given_before_fit():
    encoder = LDSEncoder(2).fit(ragged_sequences(3)).set_params(missing="smooth")
    with pytest.raises(ValueError, match='missing="smooth" must be set before fit; got an encoder'):
        encoder.transform(ragged_sequences(3))


def test_files_keep_the_encoder(tmp_path):
    X = remove_some(ragged_sequences(6), 0.2)
    X[0][0] = np.nan
    encoder = LDSEncoder(2, missing="smooth", max_iter=7, tol=0.5)
    systems = encoder.fit_transform(X)
    ldslearn.save(encoder, tmp_path / "encoder.lds")
    again = ldslearn.load(tmp_path / "encoder.lds")
    assert again.get_params() == encoder.get_params()
    np.testing.assert_array_equal(again.n_iter_, encoder.n_iter_)
    assert_same(again.transform(X), systems)
    assert clone(again).get_params() == encoder.get_params()


@pytest.mark.parametrize("unit", [1e-7, 1e-3, 1e4, 1e8])
def test_the_fit_does_not_depend_on_the_unit(unit):
    gaps = remove_some(simulate()[1], 0.3)
    encoder = LDSEncoder(2, n_noise=2, stabilizer="clip", missing="smooth", max_iter=20, tol=0.0)
    one, two = clone(encoder), clone(encoder)
    systems, scaled = one.fit_transform(gaps), two.fit_transform([unit * x for x in gaps])
    np.testing.assert_allclose(
        np.sort(np.linalg.eigvals(scaled.A), axis=1),
        np.sort(np.linalg.eigvals(systems.A), axis=1),
        atol=1e-6,
    )
    n_observed = [np.isfinite(x).sum() for x in gaps]
    expected = one.log_likelihood_ - np.multiply(n_observed, np.log(unit))
    np.testing.assert_allclose(two.log_likelihood_, expected, rtol=1e-6, atol=1e-3)


def test_a_channel_that_is_absent_keeps_its_size_without_centring():
    random = np.random.default_rng(0)
    X = [x + 10 for x in simulate(seed=3)[1]]
    X[0] = X[0].copy()
    X[0][2] = np.nan
    encoder = LDSEncoder(3, n_noise=3, center=False, missing="smooth")
    systems = encoder.fit_transform([np.where(random.random(x.shape) < 0.1, np.nan, x) for x in X])
    filled, deviations = systems[0].impute(X[:1], return_deviations=True)
    assert (np.abs(filled[0][2] - 10) < 3 * deviations[0][2]).all()


def test_statistics_of_channels_belong_to_the_last_fit():
    encoder = LDSEncoder(2, missing="smooth").fit(simulate()[1])
    encoder.set_params(missing="raise").fit(simulate(n_channels=3)[1])
    assert not hasattr(encoder, "channel_means_")


def uneven(n_sequences=4, seed=0):
    """Sequences without some of their time points, and the times of the others, in steps of 0.1."""
    random = np.random.default_rng(seed)
    X = [random.standard_normal((3, 40)).cumsum(axis=1) for _ in range(n_sequences)]
    kept = [np.sort(random.choice(40, 33, replace=False)) for _ in X]
    for one in kept:
        one[[0, -1]] = 0, 39
    times = [0.1 * (one + random.uniform(-0.2, 0.2, len(one))) for one in kept]
    return [x[:, one] for x, one in zip(X, kept, strict=True)], times


def test_samples_at_uneven_times_are_placed_on_a_grid():
    X, times = uneven()
    encoder = LDSEncoder(2, missing="smooth")
    systems = encoder.fit_transform(X, times=times)
    placed, step, merged, missing = place_on_grid(X, times)
    assert encoder.step_ == step
    np.testing.assert_array_equal(encoder.n_merged_, merged)
    np.testing.assert_array_equal(encoder.n_missing_, missing)
    assert encoder.grid_note_ == (
        f"grid: steps of {step:.4g}; {merged.sum()} samples merged, {missing.sum()} time points "
        "missing"
    )
    expected = LDSEncoder(2, missing="smooth").fit_transform(placed)
    np.testing.assert_array_equal(systems.A, expected.A)
    np.testing.assert_array_equal(
        encoder.fit(X, times=times).transform(X, times=times).A, systems.A
    )


def test_new_sequences_have_the_grid_of_the_training_sequences():
    X, times = uneven()
    encoder = LDSEncoder(2, missing="smooth", step=0.1).fit(X, times=times)
    assert encoder.step_ == 0.1
    slower = [x[:, ::2] for x in X], [one[::2] for one in times]
    placed, *_ = place_on_grid(*slower, step=0.1)
    np.testing.assert_array_equal(
        encoder.transform(slower[0], times=slower[1]).A, encoder.transform(placed).A
    )
    assert not hasattr(encoder.fit(X), "step_")  # of the earlier fit
    np.testing.assert_array_equal(
        encoder.transform(slower[0], times=slower[1]).A, encoder.transform(placed).A
    )
    stamps = [np.datetime64("2024-01-01") + (1e9 * one).astype("timedelta64[ns]") for one in times]
    encoder = LDSEncoder(2, missing="smooth", step=0.1)
    systems = encoder.fit_transform(X, times=stamps)
    np.testing.assert_allclose(systems.A, encoder.fit_transform(X, times=times).A, atol=1e-6)
    assert encoder.fit(X, times=stamps).grid_note_.startswith("grid: steps of 0.1 s; ")


def test_the_step_of_a_grid_is_kept_in_files(tmp_path):
    X, times = uneven()
    encoder = LDSEncoder(2, missing="smooth").fit(X, times=times)
    ldslearn.save(encoder, tmp_path / "encoder.lds")
    loaded = ldslearn.load(tmp_path / "encoder.lds")
    assert loaded.step_ == encoder.step_
    np.testing.assert_array_equal(
        loaded.transform(X, times=times).A, encoder.transform(X, times=times).A
    )


def test_times_that_are_of_no_use():
    X, times = uneven()
    encoder = LDSEncoder(2, missing="smooth").fit([x[:, :30] for x in X])
    with pytest.raises(ValueError, match=r"times must be given to fit, too, .* or set step\."):
        encoder.transform(X, times=times)
    with pytest.raises(ValueError, match="times must be one array for each of 4 sequences; got 3"):
        encoder.fit(X, times=times[:3])
    with pytest.raises(ValueError, match=r'sequence 0 must .*missing="smooth"'):
        LDSEncoder(2).fit(X, times=times)
    with pytest.raises(ValueError, match=r"times of sequence 0 must increase"):
        encoder.fit(X, times=[one[::-1] for one in times])
    with pytest.raises(ValueError, match="step must be positive; got -1"):
        LDSEncoder(2, missing="smooth", step=-1).fit(X, times=times)
