import json
import warnings

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import ldslearn
from ldslearn import AutoLDSClassifier, LDSEncoder, SparseCodingClassifier
from ldslearn.auto import ChannelScaler
from ldslearn.auto.ensemble import choose_members
from ldslearn.auto.fold_assignment import assign_folds
from ldslearn.classify.calibration import calibrated_probabilities
from ldslearn.datasets import load_basic_motions, make_lds_sequences
from ldslearn.geometry.fitted_kernels import FittedKernel
from ldslearn.scale import LDSStore

X_TRAIN, Y_TRAIN, X_TEST, Y_TEST = load_basic_motions()


@pytest.fixture(scope="module")
def model():
    return AutoLDSClassifier(random_state=0, n_jobs=2).fit(X_TRAIN, Y_TRAIN)


def make_small(n_classes=2, n_per_class=6, n_channels=6, seed=0):
    X, y = make_lds_sequences(
        n_classes=n_classes, n_per_class=n_per_class, n_channels=n_channels, random_state=seed
    )[:2]
    return list(X), np.asarray(y)


def fit_model(X, y, budget=4, **options):
    return AutoLDSClassifier(budget, random_state=0).fit(X, y, **options)


def test_it_is_right(model):
    assert model.score(X_TEST, Y_TEST) >= 0.95
    assert abs(model.report_.expected_accuracy - model.score(X_TEST, Y_TEST)) < 0.1


def test_the_ensemble_is_the_weighted_mean_of_its_members(model):
    """Every rule of every encoding, by hand: by a committee of one, trained again."""
    logs = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for *steps, committee in model.pipelines_:
            for i, rule in enumerate(committee.rules):
                alone = clone(committee).set_params(rules=[rule], factors=[committee.factors[i]])
                pipeline = make_pipeline(*map(clone, steps), alone).fit(X_TRAIN, Y_TRAIN)
                logs.append(pipeline[-1].score_rules(pipeline[:-1].transform(X_TEST))[:, 0])
    for member, factor in zip(model.random_systems_, model._random_factors, strict=True):
        logs.append(np.log(calibrated_probabilities(member.decision_function(X_TEST), factor)))
    mean = sum(weight * one for weight, one in zip(model.weights_, logs, strict=True))
    expected = softmax(model._factor * mean, axis=1)
    np.testing.assert_allclose(model.predict_proba(X_TEST), expected, atol=2e-6)


def test_fitted_and_random_systems_count_equally(model):
    n_random = len(model.random_systems_)
    assert n_random >= 1
    assert len(model.weights_) <= model.max_members
    assert model.weights_.sum() == pytest.approx(1)
    assert model.weights_[-n_random:].sum() == pytest.approx(0.5)
    assert np.ptp(model.weights_[:-n_random]) == np.ptp(model.weights_[-n_random:]) == 0


def test_each_kind_can_be_used_alone(model):
    kinds = "fitted systems", "random systems"
    fitted, random = (model.keep_kind(kind) for kind in kinds)
    assert (len(fitted.random_systems_), len(random.pipelines_)) == (0, 0)
    both = fitted.decision_function(X_TEST) + random.decision_function(X_TEST)
    np.testing.assert_allclose(both / 2, model.decision_function(X_TEST), atol=1e-12)
    assert len(model.random_systems_) > 0
    assert len(model.pipelines_) > 0
    for kind, one in zip(kinds, (fitted, random), strict=True):
        assert len(one.report_.members) == len(one.weights_)
        assert one.report_.expected_accuracy == model.report_.alone[kind]["expected_accuracy"]
        assert one.report_.members[0]["weight"] == one.weights_[0]
    with pytest.raises(
        ValueError, match="kind must be one of .fitted systems., .random systems.; got"
    ):
        model.keep_kind("all")
    with pytest.raises(ValueError, match="kind must be that of a member; got fitted systems"):
        random.keep_kind("fitted systems")


@pytest.mark.parametrize(("n_banks", "n_fitted"), [(3, 17), (1, 19), (0, 20)])
def test_both_kinds_count_among_the_twenty_members(n_banks, n_fitted):
    """As docs/auto.md says."""
    is_random = np.arange(100) >= 100 - n_banks
    most = AutoLDSClassifier().max_members
    members = choose_members(np.linspace(0.1, 1, 100), is_random, most)
    assert np.count_nonzero(is_random[members.indices]) == n_banks
    assert np.count_nonzero(~is_random[members.indices]) == n_fitted


def test_one_member_is_the_best_candidate():
    X, y = make_small(3, 8)
    model = AutoLDSClassifier(4, max_members=1, random_state=0).fit(X, y)
    assert len(model.report_.members) == len(model.weights_) == 1
    losses = [one["loss"] for one in model.report_.tried]
    assert model.report_.members[0]["loss"] == min(losses)
    assert len(model.pipelines_) + len(model.random_systems_) == 1


def test_the_report_is_enough_to_build_a_member_by_hand(model):
    chosen = model.report_.chosen
    encoder = LDSEncoder(
        chosen["n_states"],
        delays=chosen["delays"],
        windows=tuple(chosen["windows"]),
        center=chosen["center"],
    )
    X_known, X_new = X_TRAIN, X_TEST
    if chosen["scaled"]:
        scaler = ChannelScaler().fit(X_TRAIN)
        X_known, X_new = scaler.transform(X_TRAIN), scaler.transform(X_TEST)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        systems, new = encoder.fit_transform(X_known), encoder.transform(X_new)
    settings = {"kernel": chosen["kernel"], "kernel_params": chosen["kernel_params"]}
    K = FittedKernel.fit(systems, settings["kernel"], settings["kernel_params"])
    committee = model.pipelines_[0][-1]
    found = committee.classes_[committee.score_rules(new)[:, 0].argmax(axis=1)]
    if chosen["classifier"] == "sparse coding":
        by_hand = SparseCodingClassifier(sparsity=chosen["sparsity"], **settings)
        np.testing.assert_array_equal(by_hand.fit(systems, Y_TRAIN).predict(new), found)
        return
    targets = 2.0 * (Y_TRAIN[:, None] == model.classes_) - 1
    centre = np.eye(len(systems)) - 1 / len(systems)
    gram = centre @ K.gram @ centre
    penalty = chosen["penalty"] * sum(chosen["weights"].values())
    dual = np.linalg.solve(gram + penalty * np.eye(len(gram)), targets - targets.mean(axis=0))
    scores = K.cross(new) @ dual + targets.mean(axis=0) - K.gram.mean(axis=0) @ dual
    np.testing.assert_array_equal(model.classes_[scores.argmax(axis=1)], found)


def test_the_report(model):
    report = model.report_
    text = str(report)
    assert "expected accuracy" in text
    assert "fitted systems alone:" in text
    assert "random systems alone:" in text
    assert f"{report.chosen['n_states']} states" in text
    listed = text.splitlines()[6:]
    assert len(report.members) == len(model.weights_) == len(listed)
    assert f"{len(report.tried)} settings of {report.n_descriptions} encodings tried in" in text
    assert json.loads(json.dumps(report.as_dict())) == report.as_dict()
    losses = [one["loss"] for one in report.tried]
    assert losses == sorted(losses)
    assert len(report.tried) >= 1  # on however slow a machine
    assert report.n_descriptions >= 1
    assert report.why


def test_probabilities(model):
    probabilities = model.predict_proba(X_TEST)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(
        model.classes_[probabilities.argmax(axis=1)], model.predict(X_TEST)
    )
    right = probabilities[np.arange(len(Y_TEST)), np.searchsorted(model.classes_, Y_TEST)]
    assert -np.log(right).mean() < 0.4


def test_the_same_seed_gives_the_same_model():
    X, y = make_small(2, 3)
    one, two = (AutoLDSClassifier(600, random_state=1).fit(X, y) for _ in range(2))
    assert one.report_.stopped == two.report_.stopped == "nothing better was left to try"
    assert one.report_.tried == two.report_.tried
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_scaling_of_units_is_found():
    random = np.random.default_rng(0)
    X, y = make_small(2, 10)
    wild = [np.vstack([x, 1e6 * random.normal(size=(1, x.shape[1]))]) for x in X]
    model = fit_model(wild, y, 10)
    assert model.report_.alone["fitted systems"]["expected_accuracy"] > 0.8


def test_order_in_time_is_found():
    random = np.random.default_rng(0)
    t = np.arange(30)

    def make_movement(frequency):
        phase = random.uniform(0, 6)
        return np.stack([np.sin(frequency * t + phase), np.cos(frequency * t + phase)])

    X, y = [], []
    for _ in range(10):
        X += [
            np.hstack([make_movement(0.3), make_movement(1.2)]),
            np.hstack([make_movement(1.2), make_movement(0.3)]),
        ]
        y += ["slow first", "fast first"]
    model = AutoLDSClassifier(60, random_state=0).fit(X[:12], y[:12])
    assert model.keep_kind("fitted systems").score(X[12:], y[12:]) == 1.0


@pytest.mark.parametrize("n_channels", [1, 2, 40])
def test_few_and_many_channels(n_channels):
    random = np.random.default_rng(0)
    t = np.arange(40)
    X = [
        np.sin(f * t + random.uniform(0, 6) + np.arange(n_channels)[:, None])
        + 0.1 * random.normal(size=(n_channels, 40))
        for f in [0.3, 0.9] * 8
    ]
    assert fit_model(X, [0, 1] * 8, 3).report_.expected_accuracy > 0.8


def test_ragged_and_imbalanced():
    X, y = make_small(3, 8)
    random = np.random.default_rng(0)
    X = [x[:, : random.integers(20, x.shape[1])] for x in X]
    keep = [i for i, label in enumerate(y) if label != y[-1] or i >= len(y) - 2]
    model = fit_model([X[i] for i in keep], y[keep], 3)
    assert set(model.classes_) == set(y)


def test_two_examples_per_class():
    X, y = make_small(3, 2)
    model = fit_model(X, y, 2)
    assert model.predict(X).shape == (6,)


def test_a_class_of_one_is_trained_on_with_a_warning():
    X, y = make_small(3, 6)
    keep = [*range(12), 12]
    with pytest.warns(UserWarning, match="one sequence or group only"):
        model = fit_model([X[i] for i in keep], y[keep])
    assert len(model.classes_) == 3
    assert model.predict([X[12]]) == [y[12]]


def test_all_classes_of_one():
    X, y = make_small(3, 1)
    with pytest.warns(UserWarning, match="one sequence or group only"):
        model = fit_model(X, y)
    assert np.isnan(model.report_.expected_accuracy)
    np.testing.assert_array_equal(model.predict(X), y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_a_constant_channel_and_identical_sequences():
    X, y = make_small(2, 6)
    X = [np.vstack([x, np.full(x.shape[1], 3.0)]) for x in X]
    X[:6] = [X[0]] * 6  # a class of copies
    assert fit_model(X, y).score(X, y) > 0.8


def test_one_short_sequence():
    X, y = make_small(2, 8)
    X[3] = X[3][:, :6]
    with pytest.warns(UserWarning, match="sequence 3 has 6 time points; the median is 100"):
        model = fit_model(X, y)
    assert model.predict([X[3], X[4]]).shape == (2,)


def test_new_sequences_may_be_shorter_than_any_before():
    X, y = make_small(2, 8)
    model = fit_model(X, y)
    with pytest.warns(UserWarning, match="2 sequences are shorter than .*last samples were"):
        assert model.predict([X[0], X[1][:, :2], X[2][:, :2]]).shape == (3,)


def test_groups_are_left_out_as_wholes():
    """Each group has an offset of its own: folds that split groups would be too hopeful."""
    random = np.random.default_rng(0)
    X, y, groups = [], [], []
    for group in range(8):
        offset = 20 * random.normal(size=(4, 1))
        for _ in range(4):
            X.append(offset + random.normal(size=(4, 30)))
            y.append(group % 2)
            groups.append(group)
    hopeful = fit_model(X, y).report_.expected_accuracy
    honest = fit_model(X, y, groups=groups).report_.expected_accuracy
    assert hopeful > 0.9
    assert honest < 0.8


def test_groups_that_make_folds_impossible():
    X, y = make_small(2, 4)
    with pytest.raises(ValueError, match="groups must name at least two groups"):
        fit_model(X, y, groups=[1] * 8)
    with pytest.raises(ValueError, match="groups must have one entry for each of 8 sequences"):
        fit_model(X, y, groups=[1, 2])
    with pytest.warns(UserWarning, match="one sequence or group only"):
        model = fit_model(X, y, groups=y)  # every class is one group
    assert np.isnan(model.report_.expected_accuracy)


def test_bad_input():
    X, y = make_small()
    with pytest.raises(ValueError, match="NaN"):
        fit_model([np.full_like(X[0], np.nan), *X[1:]], y)
    with pytest.raises(ValueError, match="two classes"):
        fit_model(X, [0] * len(X))
    with pytest.raises(ValueError, match="got 2 labels for 12 sequences"):
        fit_model(X, [0, 1])
    with pytest.raises(ValueError, match="time_budget must be positive"):
        fit_model(X, y, 0)
    with pytest.raises(ValueError, match="max_members must be an integer of at least 1; got 0"):
        AutoLDSClassifier(max_members=0).fit(X, y)
    model = fit_model(X, y)
    with pytest.raises(ValueError, match="channels"):
        model.predict([np.ones((9, 30)) * np.arange(30)])


def interrupt(*_, **__):
    raise KeyboardInterrupt


def test_a_fit_that_fails_leaves_the_model_of_the_one_before(monkeypatch):
    X, y = make_small()
    model = fit_model(X, y)
    before = model.predict(X), model.classes_, model.pipelines_, model.report_
    others = np.array(["p", "q", "r"])[np.arange(len(X)) % 3]
    with pytest.raises(ValueError, match="time points"):
        model.fit([x[:, :1] for x in X], others)
    monkeypatch.setattr("ldslearn.auto.reporting.expected_accuracy", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, others)
    np.testing.assert_array_equal(model.predict(X), before[0])
    assert (model.classes_, model.pipelines_, model.report_) == before[1:]


def test_scaler():
    scaler = ChannelScaler().fit(X_TRAIN)
    stacked = np.concatenate(scaler.transform(X_TRAIN), axis=1)
    np.testing.assert_allclose(stacked.std(axis=1), 1)
    with pytest.raises(ValueError, match="channels"):
        scaler.transform(X_TRAIN[:, :2])


def test_constant_channels_that_are_not_exact():
    X, _ = make_small(2, 6)
    for level in (9.81, 0.3):
        resting = [np.vstack([x, np.full(x.shape[1], level)]) for x in X]
        assert ChannelScaler().fit(resting).scale_[-1] == 1.0


def test_a_rare_class_does_not_starve_the_folds():
    labels = np.repeat([0, 1, 2], [40, 40, 2])
    folds = assign_folds(labels, None, 2, np.random.RandomState(0))
    assert folds.max() == 9
    assert len(np.unique(folds[0][labels == 2])) == 2


def test_steps_and_failing_candidates():
    """Contacts that switch: windows at rest, and candidates that cannot be."""
    random = np.random.default_rng(0)
    X = [
        np.vstack([np.repeat([0.0, 1.0], 20) * s, np.repeat([1.0, 0.0], 20)])
        + (0.1 * random.normal(size=(2, 40)) if i % 3 else 0)
        for i, s in enumerate([1, -1] * 9)
    ]
    assert fit_model(X, [0, 1] * 9).predict(X).shape == (18,)


def test_one_repeat(monkeypatch):
    monkeypatch.setattr("ldslearn.auto.ensemble_search._REPEATS", ())
    monkeypatch.setattr("ldslearn.auto.ensemble_search._MOST_SAMPLED", 10)
    X, y = make_small(3, 8)
    assert fit_model(X, y).report_.expected_accuracy > 0.5


@pytest.mark.parametrize("dtype", [np.float32, np.int16])
def test_other_numbers(dtype):
    X, y = make_small(2, 6)
    X = [(100 * x).astype(dtype) for x in X]
    assert fit_model(X, y == y[0]).score(X, y == y[0]) > 0.7


def test_any_source_of_randomness():
    X, y = make_small(2, 4)
    for source in (np.random.default_rng(0), np.random.RandomState(0), 3, None):
        AutoLDSClassifier(0.5, random_state=source).fit(X, y)


def test_sequences_that_never_change_are_at_rest():
    """A hand that touches nothing, a patient who sleeps: no error, at fit or later."""
    random = np.random.default_rng(0)
    still = [np.full((3, 40), float(i)) for i in range(6)]
    moving = [np.cumsum(random.standard_normal((3, 40)), axis=1) for _ in range(6)]
    model = fit_model([*still, *moving], ["still"] * 6 + ["moving"] * 6, 3)
    assert model.predict([np.full((3, 40), 2.5), moving[0]]).tolist() == ["still", "moving"]


def fit_one_encoding(X, y, monkeypatch):
    """A model with a single member, of fitted systems."""
    monkeypatch.setattr("ldslearn.auto.ensemble_search._N_BANKS", 0)
    return AutoLDSClassifier(1, max_members=1, random_state=0).fit(X, y)


def test_systems_and_stores_are_labelled_like_their_sequences(tmp_path, monkeypatch):
    X, y = make_small()
    X = [x[:1] for x in X]  # one channel is never scaled
    model = fit_one_encoding(X, y, monkeypatch)
    ldslearn.save(model, tmp_path / "model.lds")
    loaded = ldslearn.load(tmp_path / "model.lds")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # idle states of windows at rest
        systems = model.pipelines_[0][0].transform(X)
    store = LDSStore.write(tmp_path / "store", [systems[:5], systems[5:]])
    for given in (systems, store):
        np.testing.assert_allclose(model.predict_proba(given), model.predict_proba(X), atol=1e-9)
        for method in ("predict", "predict_proba", "decision_function"):
            one, two = (getattr(each, method)(given) for each in (model, loaded))
            assert one.tobytes() == two.tobytes()
    labels, probabilities = model.predict_with_proba(X)
    np.testing.assert_array_equal(labels, model.predict(X))
    np.testing.assert_array_equal(probabilities, model.predict_proba(X))


def test_systems_are_refused_where_members_encode_differently(monkeypatch):
    X, y = make_small()
    systems = LDSEncoder(2).fit_transform(X)
    with pytest.raises(ValueError, match="must have one encoding to label systems; .*grass"):
        fit_model(X, y, budget=1).predict(systems)
    model = fit_one_encoding(X, y, monkeypatch)
    model.pipelines_[0].steps.insert(0, ("scaler", ChannelScaler().fit(X)))
    with pytest.raises(ValueError, match="must take channels as they are to label systems"):
        model.predict(systems)


def test_a_short_sequence_does_not_limit_the_others_in_silence():
    X = make_sequences([40] * 8 + [2])
    y = np.arange(9) % 2
    model = AutoLDSClassifier(time_budget=1, random_state=0)
    with pytest.raises(ValueError, match="sequence 8 must have at least 3 time points; got 2"):
        model.fit(X, y)
    X[8] = X[0][:, :4]
    with pytest.warns(UserWarning, match="sequence 8 has 4 time points; the median is 40"):
        model.fit(X, y)


def make_sequences(lengths):
    random = np.random.default_rng(0)
    return [random.standard_normal((3, length)) for length in lengths]


def test_missing_samples_are_filled_if_asked_for(tmp_path):
    random = np.random.default_rng(0)
    gaps = [np.where(random.random(x.shape) < 0.2, np.nan, x) for x in X_TRAIN[::2]]
    y = Y_TRAIN[::2]
    with pytest.raises(ValueError, match="smooth"):
        AutoLDSClassifier(3, random_state=0).fit(gaps, y)
    with pytest.raises(ValueError, match="missing must be one of 'raise', 'smooth'; got 'fill'"):
        AutoLDSClassifier(3, missing="fill").fit(gaps, y)
    model = AutoLDSClassifier(3, missing="smooth", random_state=0).fit(gaps, y)
    new = [np.where(random.random(x.shape) < 0.2, np.nan, x) for x in X_TEST[::4]]
    assert model.score(new, Y_TEST[::4]) > 0.8
    filled = model.imputer_.transform(new)
    np.testing.assert_array_equal(model.predict_proba(new), model.predict_proba(filled))
    ldslearn.save(model, tmp_path / "model.lds")
    loaded = ldslearn.load(tmp_path / "model.lds")
    np.testing.assert_array_equal(loaded.predict_proba(new), model.predict_proba(new))
