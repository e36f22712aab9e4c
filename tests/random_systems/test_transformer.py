import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from ldslearn import RandomSystems
from ldslearn.random_systems.bank import draw_bank
from ldslearn.random_systems.outputs import RunningSystems

from support import random_systems as oracle


def make_sequences(seed=0, n=6, n_channels=3, lengths=(2, 40)):
    random = np.random.default_rng(seed)
    return [
        random.normal(size=(n_channels, random.integers(*lengths))).cumsum(axis=1) for _ in range(n)
    ]


@given(
    seed=st.integers(0, 2**32 - 1),
    n_channels=st.integers(1, 12),
    n_systems=st.integers(1, 23),
    n_thresholds=st.integers(1, 10),
    longest=st.sampled_from([2, 5, 40, 700]),
    project=st.booleans(),
)
@settings(max_examples=60)
def test_features_are_those_of_lfilter(seed, n_channels, n_systems, n_thresholds, longest, project):
    X = make_sequences(seed, n_channels=n_channels, lengths=(1, longest))
    model = RandomSystems(
        n_systems,
        n_thresholds=n_thresholds,
        n_components=min(2, n_channels) if project else None,
        random_state=seed,
    ).fit(X[:4])
    features = model.transform(X)
    assert features.shape == (6, n_systems * n_thresholds)
    np.testing.assert_allclose(features, oracle.compute_features(model, X), rtol=0, atol=1e-12)


@given(seed=st.integers(0, 2**32 - 1), n_timepoints=st.integers(1, 1300))
@settings(max_examples=30)
def test_outputs_are_those_of_lfilter(seed, n_timepoints):
    """Longer than two tiles, too."""
    X = make_sequences(seed, lengths=(n_timepoints, n_timepoints + 1))
    model = RandomSystems(9, random_state=seed).fit(X)
    x = oracle.standardize(model, X[0])
    outputs = model.compute_outputs(X[:1])[0]
    expected = np.array([oracle.compute_output(model.bank_, k, x) for k in range(9)])
    size = np.abs(expected).max(axis=1, keepdims=True) + 1e-300
    np.testing.assert_allclose(outputs / size, expected / size, rtol=0, atol=1e-10)


@pytest.mark.parametrize("tile", [1, 2, 3, 7, 512])
def test_the_size_of_tiles_does_not_matter(tile):
    X = make_sequences(lengths=(20, 60))
    model = RandomSystems(30, random_state=0).fit(X)
    x = oracle.standardize(model, X[0])
    found, expected = np.empty((30, 8)), np.empty((30, 8))
    RunningSystems(model.bank_, tile).compute_shares(x, found)
    RunningSystems(model.bank_).compute_shares(x, expected)
    np.testing.assert_array_equal(found, expected)


def test_jobs_order_and_company_do_not_matter():
    X = make_sequences(n=37)
    model = RandomSystems(50, random_state=0).fit(X)
    features = model.transform(X)
    np.testing.assert_array_equal(features, model.set_params(n_jobs=2).transform(X))
    order = np.random.default_rng(0).permutation(37)
    np.testing.assert_array_equal(features[order], model.transform([X[i] for i in order]))
    np.testing.assert_array_equal(features[5:6], model.transform([X[5]]))
    again = clone(model).fit(X)
    np.testing.assert_array_equal(features, again.transform(X))


@given(seed=st.integers(0, 2**32 - 1), scale=st.floats(1e-3, 1e3), offset=st.floats(-1e3, 1e3))
@settings(max_examples=30)
def test_units_of_channels_do_not_matter(seed, scale, offset):
    """Features are the same if all sequences change units."""
    X = make_sequences(seed, lengths=(5, 40))
    other = [scale ** np.arange(3)[:, None] * x + offset for x in X]
    features = RandomSystems(20, random_state=0).fit_transform(X)
    changed = RandomSystems(20, random_state=0).fit_transform(other)
    # A value between the same two outputs up to rounding: no more than one time point may differ.
    assert np.abs(features - changed).max() <= 1e-12 or (features != changed).mean() < 0.01


def test_a_sequence_in_reverse_drives_backward_systems_as_forward_ones():
    X = make_sequences(lengths=(40, 41))
    model = RandomSystems(40, random_state=0).fit(X)
    bank = model.bank_
    assert bank.backward.sum() == 20
    x = oracle.standardize(model, X[0])
    forward = RunningSystems(bank).compute_outputs(x)[:20]
    turned = RunningSystems(
        type(bank)(**{**vars(bank), "backward": np.ones(40, bool)})
    ).compute_outputs(x[:, ::-1].copy())[:20]
    np.testing.assert_allclose(forward, turned[:, ::-1], atol=1e-12)


def test_shares_fall_with_the_threshold():
    X = make_sequences(n=12)
    features = RandomSystems(30, random_state=0).fit_transform(X).reshape(12, 30, 8)
    assert (np.diff(features, axis=2) <= 0).all()
    assert features.min() >= 0
    assert features.max() <= 1


def test_features_of_training_sequences_spread():
    """Thresholds are quantiles from 5 to 95 %: mean shares lie between, and no feature is lost."""
    X = make_sequences(n=20, lengths=(60, 90))
    shares = RandomSystems(200, random_state=0).fit_transform(X).reshape(20, 200, 8).mean(axis=0)
    assert 0.02 < shares.min() < 0.15
    assert 0.85 < shares.max() < 0.98


def test_a_constant_start_has_no_transient():
    """A sequence that is constant, then moves: outputs are constant until it does."""
    X = make_sequences(lengths=(50, 51))
    model = RandomSystems(40, random_state=0).fit(X)
    x = oracle.standardize(model, X[0])
    x[:, :20] = x[:, [20]]
    outputs = RunningSystems(model.bank_).compute_outputs(x)[~model.bank_.backward]
    spread = np.ptp(outputs[:, :20], axis=1)
    assert (spread <= 1e-9 * np.abs(outputs).max(axis=1)).all()


@pytest.mark.parametrize(
    "X",
    [
        [np.ones((1, 1))],
        [np.ones((2, 2)), np.zeros((2, 2))],
        [np.full((3, 30), 0.1)],
        [np.arange(10.0)[None]],
        [np.arange(10.0)[None], np.arange(3.0)[None], np.zeros((1, 1))],
        np.zeros((4, 2, 1)),
        [np.random.default_rng(0).normal(size=(50, 4))],
        [np.zeros((40, 5))],
    ],
    ids=["point", "pair", "constant", "one", "ragged", "points", "many channels", "many constant"],
)
def test_small_and_constant_input(X):
    features = RandomSystems(20, random_state=0).fit_transform(X)
    assert np.isfinite(features).all()
    assert ((features >= 0) & (features <= 1)).all()


def test_constant_sequences_are_above_thresholds_or_below_and_never_both():
    """Rounding does not decide on which side of its own value a constant output lies."""
    X = [np.full((2, n), value) for value in (0.1, 0.7, 1.3) for n in (7, 50)]
    features = RandomSystems(100, random_state=0).fit_transform(X)
    assert set(np.unique(features)) <= {0.0, 1.0}
    np.testing.assert_array_equal(features[0::2], features[1::2])


@pytest.mark.parametrize("dtype", [np.float32, np.int16, np.uint8])
def test_other_numbers(dtype):
    X = [np.round(10 * x + 50).clip(0, 200).astype(dtype) for x in make_sequences()]
    before = [x.copy() for x in X]
    features = RandomSystems(20, random_state=0).fit_transform(X)
    expected = RandomSystems(20, random_state=0).fit_transform([x.astype(float) for x in X])
    np.testing.assert_array_equal(features, expected)
    for old, new in zip(before, X, strict=True):
        np.testing.assert_array_equal(old, new)


def test_arrays_that_are_not_contiguous():
    X = [np.asfortranarray(x) for x in make_sequences()]
    features = RandomSystems(20, random_state=0).fit_transform(X)
    np.testing.assert_array_equal(
        features, RandomSystems(20, random_state=0).fit_transform(make_sequences())
    )
    frozen = make_sequences()
    for x in frozen:
        x.flags.writeable = False
    np.testing.assert_array_equal(features, RandomSystems(20, random_state=0).fit_transform(frozen))


def test_seeds():
    X = make_sequences()
    first, same, other = (RandomSystems(20, random_state=s).fit_transform(X) for s in (0, 0, 1))
    np.testing.assert_array_equal(first, same)
    assert (first != other).any()
    generators = [RandomSystems(20, random_state=np.random.default_rng(3)) for _ in range(2)]
    np.testing.assert_array_equal(*(one.fit_transform(X) for one in generators))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_systems": 0}, "n_systems must be an integer of at least 1; got 0"),
        ({"n_thresholds": 2.5}, "n_thresholds must be an integer of at least 1; got 2.5"),
        ({"n_components": 0}, "n_components must be an integer of at least 1; got 0"),
        ({"n_components": 4}, "n_components must be at most the number of channels, 3; got 4"),
        ({"n_components": "all"}, "n_components must be .* \"auto\" or None; got 'all'"),
        ({"n_jobs": 0}, "n_jobs must be a non-zero integer or None; got 0"),
    ],
)
def test_wrong_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        RandomSystems(**{"n_systems": 5, **options}).fit(make_sequences())


def test_wrong_sequences():
    X = make_sequences()
    with pytest.raises(NotFittedError):
        RandomSystems().transform(X)
    model = RandomSystems(5, random_state=0).fit(X)
    with pytest.raises(ValueError, match="X must have 3 channels, as the model .*; got 2"):
        model.transform([x[:2] for x in X])
    with pytest.raises(ValueError, match="sequence 1 must be finite; got 1 NaN"):
        bad = [x.copy() for x in X]
        bad[1][0, 0] = np.nan
        model.transform(bad)
    with pytest.raises(ValueError, match="X must hold at least one sequence"):
        model.fit([])


def test_thresholds_are_quantiles_of_the_outputs_that_count():
    X = make_sequences(lengths=(1, 30))
    model = RandomSystems(40, n_thresholds=5, random_state=0).fit(X)
    bank = model.bank_
    for k in range(40):
        outputs = [oracle.compute_output(bank, k, oracle.standardize(model, x)) for x in X]
        counted = np.concatenate([oracle.cut_window(bank, k, y) for y in outputs])
        low, high = np.quantile(counted, [0.05, 0.95])
        size = 1e-8 * np.abs(counted).max()
        assert (bank.thresholds[k] >= low - size).all()
        assert (bank.thresholds[k] <= high + size).all()
        levels = np.interp(bank.thresholds[k], np.sort(counted), np.linspace(0, 1, len(counted)))
        assert np.ptp(levels) > 0.1


def test_the_systems_are_drawn_as_documented():
    bank = draw_bank(20_000, 3, 6, 100.0, np.random.RandomState(0))
    used = [set(row[:n]) for row, n in zip(bank.channels, bank.n_inputs, strict=True)]
    assert all(len(one) == n for one, n in zip(used, bank.n_inputs, strict=True))
    counts = np.bincount(bank.channels[bank.n_inputs == 1, 0], minlength=6)
    np.testing.assert_allclose(counts / counts.sum(), 1 / 6, atol=0.02)
    assert set(bank.n_inputs) == {1, 2, 3, 4, 5, 6}
    share_of_one = 1 / np.log2(6.99)  # log2 of the number of inputs is uniform
    assert (bank.n_inputs == 1).mean() == pytest.approx(share_of_one, abs=0.02)
    np.testing.assert_allclose((bank.weights**2).sum(axis=1), 1.0)
    assert 1 <= bank.decay_times.min() < 1.01
    assert 49 < bank.decay_times.max() <= 50
    assert np.median(bank.decay_times) == pytest.approx(np.sqrt(50), rel=0.1)
    assert (bank.angles == 0).mean() == pytest.approx(0.5, abs=0.02)
    moving = bank.angles[bank.angles > 0]
    assert 2 * np.pi / 100 <= moving.min()
    assert moving.max() <= np.pi
    assert np.median(moving) == pytest.approx(np.sqrt(np.pi * 2 * np.pi / 100), rel=0.1)
    assert (bank.gains == 0).mean() == pytest.approx(0.7, abs=0.02)
    widths = np.round(bank.stops - bank.starts, 12)
    assert set(widths) == {0.25, 0.5, 1.0}
    assert (widths == 1).mean() == pytest.approx(0.5, abs=0.02)
    assert bank.starts[widths == 0.25].max() > 0.74
    assert 0.05 <= bank.thresholds.min() < 0.06
    assert 0.94 < bank.thresholds.max() <= 0.95


def test_rounding_does_not_decide_about_outputs_that_are_constant_after_a_while():
    """Steps: many thresholds are the constant itself, and rounding is on either side of it."""
    random = np.random.default_rng(0)
    X = np.repeat(np.eye(8)[2], 25)[None, None] * np.ones((6, 2, 1)) * [[0.3], [0.7]]
    model = RandomSystems(200, random_state=0).fit(X)
    other = X * (1 + 1e-13 * random.uniform(-1, 1, X.shape))
    assert np.abs(model.transform(X) - model.transform(other)).max() < 0.05


def test_outputs_are_within_their_bounds():
    X = make_sequences(lengths=(300, 301))
    model = RandomSystems(100, random_state=0).fit(X)
    largest = np.abs([oracle.standardize(model, x) for x in X]).max()
    bounds = largest * np.abs(model.bank_.weights).sum(axis=1) * model.bank_.bounds
    for outputs in model.compute_outputs(X):
        assert (np.abs(outputs).max(axis=1) <= bounds * (1 + 1e-9)).all()


def test_memory_beyond_the_features_does_not_grow():
    random = np.random.default_rng(0)
    X = [random.normal(size=(4, 500)) for _ in range(120)]
    model = RandomSystems(50, random_state=0).fit(X)
    extra = []
    for n in (30, 120):
        model.transform(X[:n])
        tracemalloc.start()
        features = model.transform(X[:n])
        extra.append(tracemalloc.get_traced_memory()[1] - features.nbytes)
        tracemalloc.stop()
    assert extra[1] < 1.2 * extra[0] + 20_000
    assert extra[1] < X[0].nbytes * 20


def test_features_have_names():
    X = np.random.default_rng(0).normal(size=(4, 2, 20))
    systems = RandomSystems(3, n_thresholds=2, random_state=0).fit(X)
    names = systems.get_feature_names_out()
    assert names.tolist() == [f"randomsystems{i}" for i in range(6)]
    frame = systems.set_output(transform="pandas").transform(X)
    assert frame.columns.tolist() == names.tolist()
