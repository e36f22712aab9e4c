"""Sequences described by the systems of aligned windows, through every floor of the house."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline

from ldslearn import (
    LDS,
    LDSSVC,
    DictionaryClassifier,
    FiniteDictionary,
    LDSDictionary,
    LDSEncoder,
    LDSKMeans,
    NearestLDSClassifier,
    SparseCodingClassifier,
)
from ldslearn.datasets import load_basic_motions
from ldslearn.geometry import pairwise_distance, pairwise_kernel, principal_angles
from ldslearn.geometry.fitted_kernels import FittedKernel
from ldslearn.geometry.registry import DISTANCES, KERNELS
from ldslearn.sequences import aligned_windows

from support.makers import ragged_sequences

X_TRAIN, Y_TRAIN, X_TEST, Y_TEST = load_basic_motions()
X = ragged_sequences(6, n_channels=4, shortest=20, longest=33)
SYSTEMS = LDSEncoder(3, windows=3).fit_transform(X)


def by_hand(sequences, k, encoder=None, windows=3, shortest=4):
    """Systems of window k of all sequences, cut out by hand."""
    encoder = encoder or LDSEncoder(3)
    return encoder.fit_transform([aligned_windows(x, [windows], shortest)[k] for x in sequences])


@given(
    n_timepoints=st.integers(1, 60),
    levels=st.lists(st.integers(1, 9), min_size=1, max_size=3),
    shortest=st.integers(1, 30),
)
def test_windows_are_even_and_cover(n_timepoints, levels, shortest):
    shortest = min(shortest, n_timepoints)
    sequence = np.arange(n_timepoints)[None]
    windows = aligned_windows(sequence, levels, shortest)
    assert len(windows) == sum(levels)
    for level in levels:
        part, windows = windows[:level], windows[level:]
        lengths = {window.shape[1] for window in part}
        assert len(lengths) == 1
        assert lengths.pop() == max(-(-n_timepoints // level), shortest)
        if level > 1:
            assert part[0][0, 0] == 0
            assert part[-1][0, -1] == n_timepoints - 1
        if n_timepoints >= level:
            assert set(np.concatenate(part, axis=1)[0]) == set(range(n_timepoints)) or level == 1
        starts = [window[0, 0] for window in part]
        assert starts == sorted(starts)
        assert np.ptp(np.diff(starts)) <= 1 if level > 2 else True


def test_the_encoder_fits_each_window():
    assert len(SYSTEMS) == 6
    assert SYSTEMS.windows == 3
    assert SYSTEMS.shape == (6, 4, 3)
    for k in range(3):
        alone = by_hand(X, k)
        for name in ("A", "C", "B", "mean", "x0", "noise_variance"):
            np.testing.assert_array_equal(
                getattr(SYSTEMS.window(k), name), getattr(alone, name), err_msg=name
            )


def test_pyramids():
    pyramid = LDSEncoder(3, windows=(1, 2)).fit_transform(X)
    assert pyramid.windows == 3
    whole, halves = (LDSEncoder(3, windows=w).fit_transform(X) for w in (1, 2))
    np.testing.assert_array_equal(pyramid.window(0).A, whole.A)
    np.testing.assert_array_equal(pyramid.window(2).A, halves.window(1).A)


def test_short_sequences_overlap():
    short = ragged_sequences(3, n_channels=4, shortest=6, longest=7)
    systems = LDSEncoder(3, windows=4).fit_transform(short)
    assert systems.windows == 4
    with pytest.raises(ValueError, match="sequence 1"):
        LDSEncoder(3, windows=4).fit_transform([short[0], short[1][:, :3]])


def test_indices_count_sequences():
    np.testing.assert_array_equal(SYSTEMS[[4, 1]].window(2).A, SYSTEMS.window(2).A[[4, 1]])
    assert len(SYSTEMS[1:3]) == 2
    assert len(SYSTEMS[3]) == 1
    assert len(list(SYSTEMS)) == 6
    mask = np.array([True, False] * 3)
    np.testing.assert_array_equal(SYSTEMS[mask].A, SYSTEMS[[0, 2, 4]].A)
    joined = LDS.concatenate([SYSTEMS[:2], SYSTEMS[2:]])
    np.testing.assert_array_equal(joined.A, SYSTEMS.A)
    assert joined.windows == 3
    assert "windows=3" in repr(SYSTEMS)
    with pytest.raises(IndexError):
        SYSTEMS[6]
    with pytest.raises(IndexError, match="window must be 0 to 2; got 3"):
        SYSTEMS.window(3)


def test_files(tmp_path):
    SYSTEMS.save(tmp_path / "a.lds")
    loaded = LDS.load(tmp_path / "a.lds")
    assert loaded.windows == 3
    np.testing.assert_array_equal(loaded.A, SYSTEMS.A)


@pytest.mark.filterwarnings("ignore:the kernel matrix is indefinite")
@pytest.mark.parametrize(
    "name", [name for name in KERNELS if name not in ("mean", "martin", "deviation")]
)
def test_kernels_are_means_over_windows(name):
    one, two = SYSTEMS[:4], SYSTEMS[4:]
    expected = np.mean([KERNELS[name](one.window(k), two.window(k)) for k in range(3)], axis=0)
    np.testing.assert_allclose(pairwise_kernel(one, two, name), expected, rtol=1e-12)
    own = np.mean([KERNELS[name](one.window(k)) for k in range(3)], axis=0)
    np.testing.assert_allclose(pairwise_kernel(one, kernel=name), own, rtol=1e-12)


@pytest.mark.parametrize("name", ["mean", "martin", "deviation"])
def test_one_bandwidth_for_all_windows(name):
    expected = np.mean(
        [KERNELS[name](SYSTEMS.window(k), SYSTEMS.window(k)[:2], bandwidth=3.0) for k in range(3)],
        axis=0,
    )
    found = pairwise_kernel(SYSTEMS, SYSTEMS[:2], name, bandwidth=3.0)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    settings = {"psd": "ignore"} if name == "martin" else {}
    fitted = FittedKernel.fit(SYSTEMS, name, {"bandwidth": "median", **settings})
    direct = KERNELS[name](SYSTEMS, bandwidth="median", **settings)
    np.testing.assert_allclose(fitted.gram, direct, rtol=1e-12)
    np.testing.assert_allclose(fitted.cross(SYSTEMS[2:4]), fitted.gram[2:4], rtol=1e-9)


@pytest.mark.parametrize("name", ["projection", "martin", "alignment"])
def test_distances_are_root_means(name):
    squares = [DISTANCES[name](SYSTEMS[:2].window(k), SYSTEMS[2:].window(k)) ** 2 for k in range(3)]
    found = pairwise_distance(SYSTEMS[:2], SYSTEMS[2:], name)
    np.testing.assert_allclose(found, np.sqrt(np.mean(squares, axis=0)), rtol=1e-12)
    K = pairwise_kernel(SYSTEMS)
    D = pairwise_distance(SYSTEMS)
    np.testing.assert_allclose(D**2, 2 * (3 - K), atol=1e-9)


@pytest.mark.filterwarnings("ignore:the kernel matrix is indefinite", "ignore:.*converge")
@pytest.mark.parametrize(
    "classifier",
    [
        SparseCodingClassifier({"projection": 0.5, "mean": 0.5}),
        NearestLDSClassifier(),
        LDSSVC("martin"),
        DictionaryClassifier(LDSDictionary(6, random_state=0, max_iter=3)),
        DictionaryClassifier(LDSDictionary(6, mix=0.5, random_state=0, max_iter=3)),
        DictionaryClassifier(FiniteDictionary(6, order=2, random_state=0, max_iter=3)),
        DictionaryClassifier(LDSDictionary(2, random_state=0, max_iter=3), per_class=True),
    ],
    ids=repr,
)
def test_every_classifier_takes_windows(classifier):
    model = make_pipeline(LDSEncoder(4, windows=(1, 3)), classifier).fit(X_TRAIN, Y_TRAIN)
    assert model.score(X_TEST, Y_TEST) > 0.6
    with pytest.raises(ValueError, match="windows"):
        model[1].predict(LDSEncoder(4, windows=2).fit_transform(X_TEST))


@pytest.mark.parametrize("update", ["joint", "column"])
def test_dictionaries_learn_windows(update):
    systems = LDSEncoder(4, windows=2).fit_transform(X_TRAIN)
    model = LDSDictionary(5, mix=0.5, update=update, random_state=0, max_iter=4).fit(systems)
    steps = np.array(model.half_steps_)
    assert (np.diff(steps) <= 1e-10 * steps[0]).all()
    assert steps[-1] < 0.99 * steps[0]
    atoms = model.atoms_.systems()
    assert len(atoms) == 10
    assert atoms.windows == 2
    K = pairwise_kernel(systems, atoms[:5], "symmetric")
    group = model.make_groups(systems)[0]
    parts = [x.kernel(y) for x, y in zip(group.data[:2], group.atoms[:2], strict=True)]
    np.testing.assert_allclose(np.mean(parts, axis=0), K, atol=1e-8)
    assert "2 windows" in repr(model.atoms_)


def test_one_window_is_as_before():
    one, same = (LDSEncoder(4, windows=w).fit_transform(X_TRAIN) for w in (1, (1,)))
    np.testing.assert_array_equal(one.A, same.A)
    for model in (LDSDictionary(4, random_state=0, max_iter=2), LDSKMeans(3, random_state=0)):
        np.testing.assert_array_equal(model.fit(one).transform(one), model.transform(same))


def test_clusters_of_windows():
    systems = LDSEncoder(4, windows=2).fit_transform(X_TRAIN)
    model = LDSKMeans(4, random_state=0).fit(systems)
    assert model.cluster_centers_.systems().windows == 2
    squared = model.transform(systems) ** 2
    centres = model.cluster_centers_
    K = np.mean(
        [
            pairwise_kernel(systems, centres.systems()[part * 4 : part * 4 + 4], name)
            for part, name in enumerate(("symmetric", "skew"))
        ],
        axis=0,
    )
    np.testing.assert_allclose(squared, 2 * (4 - K), atol=1e-7)


def test_when_matters():
    """Two classes that differ only by the order of two movements."""
    random = np.random.default_rng(0)
    t = np.arange(40)

    def movement(frequency):
        wave = np.sin(frequency * t + random.uniform(0, 6))
        return np.stack([wave, np.cos(frequency * t), random.normal(size=40) * 0.1])

    X, y = [], []
    for _ in range(12):
        slow, fast = movement(0.3), movement(1.1)
        X += [np.hstack([slow, fast]), np.hstack([fast, slow])]
        y += [0, 1]
    scores = {
        windows: make_pipeline(LDSEncoder(3, delays=3, windows=windows), SparseCodingClassifier())
        .fit(X[:12], y[:12])
        .score(X[12:], y[12:])
        for windows in (1, 2)
    }
    assert scores[1] < 0.9
    assert scores[2] == 1.0


def test_a_window_may_be_constant():
    random = np.random.default_rng(0)
    resting = [np.hstack([random.normal(size=(3, 20)), np.full((3, 20), 7.0)]) for _ in range(3)]
    with pytest.warns(UserWarning, match="states"):
        systems = LDSEncoder(2, windows=2).fit_transform(resting)
    assert np.isfinite(pairwise_kernel(systems)).all()
    assert (systems.window(1).A == 0).all()
    with pytest.raises(ValueError, match="sequence 1"):
        LDSEncoder(2, windows=2).fit_transform([resting[0], np.ones((3, 40))])


def test_what_needs_single_systems_says_so():
    message = "systems must have one window per sequence; got 3. Select one: systems.window"
    for action in (
        lambda: SYSTEMS.simulate(5),
        lambda: SYSTEMS.states(X),
        lambda: SYSTEMS.forecast(X, 5),
        lambda: principal_angles(SYSTEMS),
        lambda: SYSTEMS.change_basis(np.eye(3)),
    ):
        with pytest.raises(ValueError, match=message):
            action()
    with pytest.raises(ValueError, match="Y must have 3 windows per sequence, as X has; got 2"):
        pairwise_kernel(SYSTEMS, LDSEncoder(3, windows=2).fit_transform(X))
    for windows in (0, 1.5, (), "2", (2, 0)):
        with pytest.raises(ValueError, match="windows must"):
            LDSEncoder(3, windows=windows).fit(X)
    with pytest.raises(ValueError, match="divide the number of systems, 6"):
        LDS(SYSTEMS.A[:6], SYSTEMS.C[:6], windows=4)
