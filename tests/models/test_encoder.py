import tracemalloc
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from ldslearn import LDSEncoder
from ldslearn.datasets import load_japanese_vowels, make_lds_sequences
from ldslearn.models import STABILIZERS
from ldslearn.models.fields import FIELD_SHAPES

from support.makers import ragged_sequences
from support.oracles import fit_literally, hankel_by_loop, soft_normalise

FIELDS = tuple(FIELD_SHAPES)


def eigenvalue_moduli(systems):
    return np.sort(np.abs(np.linalg.eigvals(systems.A)), axis=1)


def classifier(encoder):
    """A stand-in for what will come: nearest neighbours on eigenvalue moduli."""
    return make_pipeline(encoder, FunctionTransformer(eigenvalue_moduli), KNeighborsClassifier(1))


def assert_same(first, second):
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name), err_msg=name)


@pytest.mark.parametrize("delays", [1, 3])
@pytest.mark.parametrize("center", [True, False])
def test_every_field_as_printed(delays, center):
    """A, C, mean, x0, B and the noise variance against Sec. 4.1 and 7, line by line."""
    X = ragged_sequences(5, n_channels=4)
    systems = LDSEncoder(3, delays=delays, center=center, n_noise=2).fit_transform(X)
    for i, sequence in enumerate(X):
        Y = hankel_by_loop(sequence, delays)
        mean = Y.mean(axis=1) if center else np.zeros(len(Y))
        Y = Y - mean[:, None]
        A, C, states = fit_literally(Y, 3)
        signs = np.sign((C * systems.C[i]).sum(axis=0))
        A, C, states = A * signs * signs[:, None], C * signs, states * signs[:, None]
        np.testing.assert_allclose(systems.C[i], C, atol=1e-10)
        np.testing.assert_allclose(systems.A[i], soft_normalise(A, 2.5), atol=1e-10)
        np.testing.assert_allclose(systems.mean[i], mean, atol=1e-12)
        np.testing.assert_allclose(systems.x0[i], states[:, 0], atol=1e-9)
        residuals = states[:, 1:] - systems.A[i] @ states[:, :-1]
        U, s, _ = np.linalg.svd(residuals / np.sqrt(residuals.shape[1]))
        expected = U[:, :2] * s[:2]
        expected *= np.sign(U[np.abs(U[:, :2]).argmax(axis=0), [0, 1]])
        np.testing.assert_allclose(systems.B[i], expected, atol=1e-8)
        variances = np.mean((Y - C @ states) ** 2, axis=1)
        np.testing.assert_allclose(systems.noise_variance[i], variances, atol=1e-12)
    assert systems.delays == delays
    assert (systems.spectral_radius < 1).all()


def test_uncentred_systems_keep_the_mean_in_the_states():
    X = [sequence + 50.0 for sequence in ragged_sequences(4)]
    systems = LDSEncoder(2, center=False, stabilizer="none").fit_transform(X)
    np.testing.assert_array_equal(systems.mean, 0.0)
    assert (systems.spectral_radius > 0.95).all()  # the mean is a mode that stays


@pytest.mark.parametrize("n_jobs", [2, -1, np.int64(2)])
@pytest.mark.parametrize("stabilizer", ["soft", "dwls"])
def test_same_answer_for_any_number_of_jobs(n_jobs, stabilizer):
    X = ragged_sequences(50)
    one = LDSEncoder(3, stabilizer=stabilizer, n_jobs=1).fit_transform(X)
    assert_same(one, LDSEncoder(3, stabilizer=stabilizer, n_jobs=n_jobs).fit_transform(X))


def test_a_sequence_does_not_depend_on_its_neighbours():
    X = ragged_sequences(40)
    together = LDSEncoder(3).fit_transform(X)
    assert_same(together[[33]], LDSEncoder(3).fit_transform([X[33]]))


def test_three_dimensional_array_equals_list():
    X = np.random.default_rng(0).standard_normal((5, 4, 30))
    assert_same(LDSEncoder(3).fit_transform(X), LDSEncoder(3).fit_transform(list(X)))


@pytest.mark.parametrize("dtype", [np.float32, np.int16, np.uint8])
def test_other_dtypes_equal_their_float64(dtype):
    X = [np.round(20 * sequence + 100).astype(dtype) for sequence in ragged_sequences(6)]
    assert_same(
        LDSEncoder(3).fit_transform(X),
        LDSEncoder(3).fit_transform([sequence.astype(float) for sequence in X]),
    )


def test_fortran_order_strided_and_read_only_input():
    X = [np.asfortranarray(sequence) for sequence in ragged_sequences(3)]
    X[0].flags.writeable = False
    X[1] = np.repeat(X[1], 2, axis=1)[:, ::2]
    expected = LDSEncoder(2).fit_transform([np.ascontiguousarray(sequence) for sequence in X])
    found = LDSEncoder(2).fit_transform(X)
    np.testing.assert_allclose(found.A, expected.A, atol=1e-12)


def test_input_is_not_changed():
    X = ragged_sequences(4)
    before = [sequence.copy() for sequence in X]
    for stabilizer in STABILIZERS:
        LDSEncoder(3, stabilizer=stabilizer).fit_transform(X)
    for sequence, copy in zip(X, before, strict=True):
        np.testing.assert_array_equal(sequence, copy)


def test_one_state_one_channel_one_sequence():
    sequence = np.random.default_rng(0).standard_normal((1, 20))
    systems = LDSEncoder(1).fit_transform([sequence])
    assert systems.shape == (1, 1, 1)
    assert systems.n_noise == 1
    centred = sequence[0] - sequence[0].mean()
    ratio = (centred[1:] @ centred[:-1]) / (centred[:-1] @ centred[:-1])
    np.testing.assert_allclose(systems.A[0, 0, 0], np.tanh(1.25 * abs(ratio)) * np.sign(ratio))
    np.testing.assert_allclose(systems.C, np.sign(centred[np.abs(centred).argmax()]))


def test_the_shortest_sequence_that_works():
    random = np.random.default_rng(0)
    systems = LDSEncoder(4, delays=2).fit_transform([random.standard_normal((3, 6))])
    assert systems.is_stable.all()
    with pytest.raises(ValueError, match="sequence 0 must have at least 6 time points"):
        LDSEncoder(4, delays=2).fit_transform([random.standard_normal((3, 5))])


@pytest.mark.parametrize("stabilizer", [name for name in STABILIZERS if name != "none"])
def test_real_sequences_become_stable(stabilizer):
    X = load_japanese_vowels()[0]
    assert (LDSEncoder(5, stabilizer="none").fit_transform(X).spectral_radius > 1).any()
    assert LDSEncoder(5, stabilizer=stabilizer).fit_transform(X).is_stable.all()


def test_thousands_of_sequences():
    X = np.random.default_rng(0).standard_normal((3000, 3, 12))
    assert LDSEncoder(2, n_jobs=2).fit_transform(X).shape == (3000, 3, 2)


def test_certificate_comes_with_the_systems():
    X = ragged_sequences(40)
    encoder = LDSEncoder(3, stabilizer="clip", bound=0.8).fit(X)
    systems, certificate = encoder.transform(X, return_certificate=True)
    assert_same(systems, encoder.transform(X))
    assert len(certificate) == 40
    np.testing.assert_array_equal(certificate.radius_after, systems.spectral_radius)
    assert (certificate.radius_after <= 0.8).all()
    plain = LDSEncoder(3, stabilizer="none").fit_transform(X)
    np.testing.assert_array_equal(certificate.radius_before, plain.spectral_radius)
    for i, states in enumerate(plain.states(X)):
        error = np.linalg.norm(states[:, 1:] - systems.A[i] @ states[:, :-1]) ** 2
        np.testing.assert_allclose(certificate.error_after[i], error)


# A fraction for n_states


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
def test_fraction_keeps_its_share_in_every_sequence(share):
    X = ragged_sequences(10, n_channels=8, shortest=30)
    encoder = LDSEncoder(share).fit(X)

    def kept(n_states):
        shares = []
        for sequence in X:
            s = np.linalg.svd(sequence - sequence.mean(axis=1, keepdims=True), compute_uv=False)
            shares.append((s[:n_states] ** 2).sum() / (s**2).sum())
        return min(shares)

    assert kept(encoder.n_states_) >= share
    assert kept(encoder.n_states_ - 1) < share
    assert encoder.transform(X).n_states == encoder.n_states_


def test_fraction_counts_what_will_be_encoded():
    """Delays and the mean change the spectrum, and so the count."""
    X = [sequence + 40.0 for sequence in ragged_sequences(6, shortest=30)]
    assert LDSEncoder(0.99, center=False).fit(X).n_states_ < LDSEncoder(0.99).fit(X).n_states_
    assert LDSEncoder(0.99, delays=4).fit(X).n_states_ > LDSEncoder(0.99).fit(X).n_states_


def test_scale_reaches_the_stabilizer():
    X = ragged_sequences(3)
    plain = LDSEncoder(2, stabilizer="none").fit_transform(X)
    for i, A in enumerate(LDSEncoder(2, scale=1.0).fit_transform(X).A):
        np.testing.assert_allclose(A, soft_normalise(plain.A[i], 1.0), atol=1e-12)


def test_fraction_is_decided_by_fit_alone():
    X, _ = make_lds_sequences(1, 4, n_channels=6, n_states=2, noise=0.01, random_state=0)
    encoder = LDSEncoder(0.9).fit(X)
    assert encoder.n_states_ == 2
    noise = np.random.default_rng(0).standard_normal((3, 6, 50))
    assert encoder.transform(noise).n_states == 2


# In scikit-learn


def test_cross_validation_on_a_plain_list_of_ragged_sequences():
    X, y = make_lds_sequences(
        2, 12, n_timepoints=(60, 90), radius=(0.3, 0.95), jitter=0.02, random_state=3
    )
    assert isinstance(X, list)
    scores = cross_val_score(classifier(LDSEncoder(4)), X, y, cv=4)
    assert scores.mean() > 0.8


def test_grid_search_over_the_encoder():
    X, y = make_lds_sequences(2, 10, n_timepoints=(60, 90), jitter=0.02, random_state=0)
    search = GridSearchCV(
        classifier(LDSEncoder()),
        {"ldsencoder__n_states": [2, 4], "ldsencoder__stabilizer": ["soft", "none"]},
        cv=3,
        error_score="raise",
    ).fit(X, y)
    assert search.best_params_["ldsencoder__n_states"] in (2, 4)
    assert len(search.predict(X[:3])) == 3


def test_clone_parameters_and_repr():
    encoder = LDSEncoder(0.9, delays=3, stabilizer="wls")
    assert clone(encoder).get_params() == encoder.get_params()
    assert repr(encoder) == "LDSEncoder(delays=3, n_states=0.9, stabilizer='wls')"


def test_fit_returns_itself_and_transform_changes_nothing():
    X = ragged_sequences(4)
    encoder = LDSEncoder(2)
    assert encoder.fit(X) is encoder
    before = dict(vars(encoder))
    encoder.transform(X)
    assert vars(encoder) == before
    with pytest.raises(NotFittedError, match="not fitted"):
        LDSEncoder(2).transform(X)


# Bad input


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_states": 0}, r"n_states must be an integer of at least 1 or a fraction .*; got 0"),
        ({"n_states": -3}, "n_states must be an integer of at least 1"),
        ({"n_states": 1.0}, "n_states must be an integer of at least 1"),
        ({"n_states": 2.5}, "n_states must be an integer of at least 1"),
        ({"n_states": True}, "n_states must be an integer of at least 1"),
        ({"n_states": "ten"}, "n_states must be an integer of at least 1 .*; got 'ten'"),
        ({"n_noise": 0}, "n_noise must be an integer of at least 1; got 0"),
        ({"delays": 0}, "delays must be an integer of at least 1; got 0"),
        ({"delays": 1.5}, "delays must be an integer of at least 1; got 1.5"),
        ({"center": "yes"}, "center must be True or False; got 'yes'"),
        ({"stabilizer": "SN"}, "stabilizer must be one of 'soft', .*; got 'SN'"),
        ({"stabilizer": ["soft"]}, "stabilizer must be one of 'soft'"),
        ({"scale": -1}, "scale must be positive; got -1"),
        ({"scale": "big"}, "scale must be positive; got 'big'"),
        ({"bound": 1.2}, "bound must lie strictly between 0 and 1; got 1.2"),
        (
            {"n_states": 5},
            "at most 4 for 4 channels; got 5. .* at most 4 states, or at least 2 delays",
        ),
        (
            {"n_states": 13, "delays": 3},
            "at most 12 for 4 channels with 3 delays; got 13. .* 4 delays",
        ),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        LDSEncoder(**{"n_states": 2, **parameters}).fit(ragged_sequences(3))


def test_too_short_says_which_and_the_largest_that_works():
    X = ragged_sequences(4, n_channels=30)
    X[2] = X[2][:, :9]
    with pytest.raises(
        ValueError,
        match="sequence 2 must have at least 11 time points for 10 states; got 9. "
        "Fit with at most 8 states, or leave it out",
    ):
        LDSEncoder(10).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert LDSEncoder(8).fit_transform(X).n_states == 8
    with pytest.raises(ValueError, match="for 2 states and 9 delays; got 9. Fit with fewer delays"):
        LDSEncoder(2, delays=9).fit(X)
    with pytest.raises(ValueError, match="sequence 2 must have at least"):
        LDSEncoder(0.99, delays=9).fit(X)


def test_transform_checks_what_fit_never_saw():
    encoder = LDSEncoder(10, delays=3).fit(ragged_sequences(3))
    with pytest.raises(ValueError, match="X must have 4 channels, as .* fitted with; got 5"):
        encoder.transform(ragged_sequences(3, n_channels=5))
    with pytest.raises(ValueError, match="sequence 0 must have at least 13 time points"):
        encoder.transform([np.zeros((4, 7))])
    with pytest.raises(ValueError, match="sequence 0 must be finite"):
        encoder.transform([np.full((4, 20), np.nan)])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bound": 2.0}, "bound must lie strictly between 0 and 1; got 2.0"),
        ({"stabilizer": "bogus"}, "stabilizer must be one of"),
        ({"n_noise": 0}, "n_noise must be an integer of at least 1"),
        ({"n_jobs": 0}, "n_jobs must be a non-zero integer or None; got 0"),
    ],
)
def test_parameters_set_after_fit_are_checked(changes, message):
    X = ragged_sequences(3)
    encoder = LDSEncoder(2).fit(X).set_params(**changes)
    with pytest.raises(ValueError, match=message):
        encoder.transform(X)


def test_constancy_is_a_matter_of_each_channel():
    random = np.random.default_rng(0)
    X = np.vstack([np.full(30, 1e13), 0.01 * random.standard_normal((2, 30))])
    with pytest.warns(UserWarning, match="sequence 0 varies by so little of its offset"):
        assert LDSEncoder(2).fit_transform([X]).is_stable.all()
    faint = 1e3 + 1e-7 * random.standard_normal((2, 200_000))
    assert LDSEncoder(2).fit_transform([faint]).is_stable.all()


def test_a_failed_fit_leaves_no_trace():
    encoder = LDSEncoder(9)
    with pytest.raises(ValueError, match="states must be at most"):
        encoder.fit(ragged_sequences(2))
    assert not hasattr(encoder, "n_states_")
    assert not hasattr(encoder, "n_channels_in_")


@pytest.mark.parametrize("factor", [1e200, 1e-170])
@pytest.mark.parametrize("n_states", [2, 0.9])
def test_values_without_squares_are_named(factor, n_states):
    X = ragged_sequences(3)
    X[1] = X[1] * factor
    with pytest.raises(ValueError, match="sequence 1 must have values whose squares are represent"):
        LDSEncoder(n_states).fit_transform(X)


@pytest.mark.parametrize("factor", [1e100, 1e-100])
def test_large_and_small_units_do_not_matter(factor):
    X = ragged_sequences(3)
    plain = LDSEncoder(2).fit_transform(X)
    scaled = LDSEncoder(2).fit_transform([factor * sequence for sequence in X])
    np.testing.assert_allclose(scaled.A, plain.A, atol=1e-12)
    np.testing.assert_allclose(scaled.x0, factor * plain.x0, rtol=1e-9)


def test_a_warning_points_at_the_caller():
    X = [np.outer([1.0, 2.0, 3.0], np.random.default_rng(0).standard_normal(20))]
    with pytest.warns(UserWarning, match="rank below") as caught:
        LDSEncoder(2).fit_transform(X)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("n_states", [2, 0.9])
def test_constant_sequences_are_named(n_states):
    X = ragged_sequences(20)
    X[17] = np.full((4, 20), 3.7)
    X[19] = np.broadcast_to(np.array([[0.1], [1e5], [-3.0], [7.7]]), (4, 30))
    with pytest.raises(ValueError, match=r"17 and sequence 19 \(2 of 20 .* must vary"):
        LDSEncoder(n_states).fit_transform(X)


def test_constant_sequences_are_fine_with_their_mean():
    constant = np.full((4, 20), 3.7)
    with pytest.warns(
        UserWarning, match=r"1 sequence has a rank below the 2 states \(sequence 0: r"
    ):
        systems = LDSEncoder(2, center=False, stabilizer="none").fit_transform([constant])
    np.testing.assert_allclose(systems.spectral_radius, 1.0)
    with pytest.raises(ValueError, match="sequence 0 must not be zero throughout"):
        LDSEncoder(2, center=False).fit_transform([0 * constant])


def test_rank_deficient_sequences_are_warned_of_once():
    random = np.random.default_rng(0)
    X = ragged_sequences(4)
    X[1] = np.outer(random.standard_normal(4), random.standard_normal(20))
    X[3] = X[1]
    with pytest.warns(UserWarning, match=r"2 sequences have .* \(sequence 1: rank 1\)") as caught:
        systems = LDSEncoder(3).fit_transform(X)
    assert len(caught) == 1
    assert systems.is_stable.all()
    np.testing.assert_array_equal(systems.A[1, 1:], 0.0)
    assert np.isfinite(systems.B).all()


def test_peak_memory_is_near_the_output():
    """Observation matrices live one at a time; no m x m matrix, no float64 copy of the input."""
    X = np.random.default_rng(0).standard_normal((100, 3000, 40), dtype=np.float32)
    encoder = LDSEncoder(5).fit(X[:2])
    tracemalloc.start()
    systems = encoder.transform(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    output = sum(getattr(systems, name).nbytes for name in FIELDS)
    one_sequence = 3000 * 40 * 8
    assert peak < output + 4 * one_sequence


@pytest.mark.parametrize("center", [True, False])
def test_deviations_of_channels(center):
    X = ragged_sequences(4, n_channels=3)
    X[1][2] = 5.0  # a channel at rest
    systems = LDSEncoder(2, delays=2, center=center).fit_transform(X)
    for x, found in zip(X, systems.deviation, strict=True):
        deviations = np.concatenate([w.std(axis=1) for w in (x[:, :-1], x[:, 1:])])
        floor = 0.01 * np.sqrt(np.mean(x.std(axis=1) ** 2))
        np.testing.assert_allclose(found, np.sqrt(deviations**2 + floor**2), rtol=1e-12)


@pytest.mark.parametrize("center", [True, False])
def test_deviations_do_not_depend_on_where_channels_are(center):
    X = ragged_sequences(3, n_channels=3)
    moved = [x + np.array([[0.0], [1e3], [-1e7]]) for x in X]
    here, there = (LDSEncoder(2, center=center).fit_transform(Z).deviation for Z in (X, moved))
    np.testing.assert_allclose(there, here, rtol=1e-8)


def test_deviations_of_large_single_precision_numbers():
    X = [(1e25 * x).astype(np.float32) for x in ragged_sequences(3, n_channels=3)]
    systems = LDSEncoder(2).fit_transform(X)
    exact = LDSEncoder(2).fit_transform([x.astype(np.float64) for x in X])
    np.testing.assert_allclose(systems.deviation, exact.deviation)


def test_deviations_tell_of_size():
    X = ragged_sequences(2, n_channels=3)
    small, large = (LDSEncoder(2).fit_transform([s * x for x in X]) for s in (1.0, 3.0))
    np.testing.assert_allclose(large.deviation, 3 * small.deviation)


def test_constant_sequences_can_be_systems_at_rest():
    random = np.random.default_rng(0)
    X = [random.standard_normal((4, 20)), np.full((4, 20), 3.0)]
    remedy = "Leave it out, or encode in Python with center=False, which keeps the mean."
    with pytest.raises(ValueError, match=f"sequence 1 must vary over time; .*{remedy}$"):
        LDSEncoder(2).fit_transform(X)
    LDSEncoder(1, center=False).fit_transform(X)
    with pytest.raises(ValueError, match=r"must vary .* it out, .* with constant=\"rest\"\.$"):
        LDSEncoder(2).fit_transform([X[0], np.zeros((4, 20))])  # which has no mean to keep
    gap = np.zeros((4, 20))
    gap[0, 3] = np.nan
    with pytest.raises(ValueError, match=r"must vary .* it out, .* with constant=\"rest\"\.$"):
        LDSEncoder(2, missing="smooth").fit_transform([X[0], gap])
    with pytest.warns(UserWarning, match=r"^1 sequence has rank 0 \(sequence 1\); .* is idle\.$"):
        LDSEncoder(1, constant="rest").fit_transform([X[0], np.zeros((4, 20))])
    with pytest.warns(UserWarning, match=r"sequence 1: rank 0"):
        systems = LDSEncoder(2, constant="rest").fit_transform(X)
    assert not systems.A[1].any()
    np.testing.assert_allclose(systems.C[1].T @ systems.C[1], np.eye(2), atol=1e-12)
    np.testing.assert_allclose(systems.mean[1], 3.0)
    with pytest.raises(ValueError, match=r"constant must be one of 'raise', 'rest'; got 'drop'"):
        LDSEncoder(2, constant="drop").fit(X)


@pytest.mark.parametrize("windows", [1, 2])
def test_offsets_that_dwarf_the_variation_are_reported(windows):
    X = [np.random.default_rng(i).normal(size=(3, 60)).cumsum(axis=1) for i in range(3)]
    encoder = LDSEncoder(2, windows=windows)
    encoder.fit_transform([X[0], X[1] + 1e9, X[2] * 1e-9])
    X[1] = X[1] + 1e14
    with pytest.warns(UserWarning, match="sequence 1 varies by so little of its offset that fewer"):
        encoder.fit_transform(X)
    X[1][:] = 1e14
    with pytest.warns(UserWarning, match="rank below the 2 states") as caught:
        LDSEncoder(2, windows=windows, constant="rest").fit_transform(X)
    assert len(caught) == 1
