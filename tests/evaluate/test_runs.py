import json

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, f1_score
from sklearn.pipeline import make_pipeline

from ldslearn import AutoLDSClassifier, LDSEncoder, SparseCodingClassifier
from ldslearn.cluster.collections import cluster_collection
from ldslearn.datasets import Collection, load_basic_motions, make_lds_sequences
from ldslearn.datasets.summary import fingerprint
from ldslearn.evaluate import METHODS, Settings, choose_parameters, evaluate, parse_protocol
from ldslearn.evaluate.metrics import wilson_interval
from ldslearn.geometry.comparison import compare_sequences
from ldslearn.models.defaults import choose_delays, list_feasible_states


@pytest.fixture(scope="module")
def motions():
    X, y, X_test, y_test = load_basic_motions()
    return Collection(
        [*X, *X_test], np.concatenate([y, y_test]), ["train"] * len(X) + ["test"] * len(X_test)
    )


def test_the_record_is_what_the_library_gives(motions):
    record = evaluate(motions, "lds-sc-grass", n_states=10, sparsity=0.1, delays=5)
    X_train, y_train, X_test, y_test = load_basic_motions()
    model = make_pipeline(LDSEncoder(10, delays=5), SparseCodingClassifier())
    predicted = model.fit(X_train, y_train).predict(X_test)
    assert record["accuracy"] == np.mean(predicted == y_test)
    assert record["protocol"] == "split"
    for i, true in enumerate(record["classes"]):
        for j, given in enumerate(record["classes"]):
            assert record["confusion"][i][j] == np.sum((y_test == true) & (predicted == given))
    assert json.loads(json.dumps(record)) == record


def test_measures_are_of_a_round_and_of_all_predictions():
    random = np.random.default_rng(0)
    y = list("a" * 12 + "b" * 6 + "c" * 4)
    data = Collection([random.normal(size=(3, 30)) for _ in y], y)
    seen = []
    record = evaluate(data, "lds-sc-grass", parse_protocol("folds:4"), n_states=2, sparsity=0.1,
                      on_first=seen.append)  # fmt: skip
    first = record["rounds"][0]
    true, predicted = seen[0].unknown.y, seen[0].predicted
    assert first["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(true, predicted))
    assert first["macro_f1"] == pytest.approx(f1_score(true, predicted, average="macro"))
    confusion = np.array(record["confusion"])
    pairs = [(i, j) for i, j in np.ndindex(3, 3) for _ in range(confusion[i, j])]
    true, predicted = np.transpose(pairs)
    assert record["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(true, predicted))
    assert record["macro_f1"] == pytest.approx(f1_score(true, predicted, average="macro"))
    assert record["accuracy"] == pytest.approx(np.mean([r["accuracy"] for r in record["rounds"]]))
    share = np.trace(confusion) / len(y)
    assert record["interval"] == list(wilson_interval(share, len(y)))
    assert record["accuracy"] != record["balanced_accuracy"]


def test_repeated_tests_have_no_interval(motions):
    given = {"n_states": 3, "sparsity": 0.1}
    assert (
        evaluate(motions, "lds-sc-grass", parse_protocol("shuffle:2:0.2"), **given)["interval"]
        is None
    )
    assert evaluate(motions, "lds-sc-grass", parse_protocol("shuffle:1:0.2"), **given)["interval"]


@pytest.mark.filterwarnings("ignore:the kernel matrix is indefinite")
@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("lds-sc-grass", "share"), ("lds-dl", "margin"), ("lds-svm", "margin"),
        ("lds-martin", "margin"), ("auto", "probability"), ("random-systems", "probability"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("n_classes", [2, 4])
def test_wrong_predictions_are_listed(method, kind, n_classes):
    random = np.random.default_rng(1)
    y = [f"class {k % n_classes}" for k in range(24)]
    data = Collection([random.normal(size=(3, 24)) for _ in y], y, names=[f"f{k}" for k in y])
    given = {} if method in ("auto", "random-systems") else {"n_states": 2, "sparsity": 0.1}
    settings, seen = Settings(atoms=3, time_budget=1), []
    protocol = parse_protocol("folds:2")
    record = evaluate(data, method, protocol, settings=settings, on_first=seen.append, **given)
    wrong = record["misclassified"]
    assert len(wrong) == 24 - np.trace(record["confusion"]) > 0
    assert len({one["index"] for one in wrong}) == len(wrong)
    for one in wrong:
        assert data.names[one["index"]] == one["name"]
        assert data.y[one["index"]] == one["label"] != one["predicted"]
        for name in ("probability", "share", "votes", "margin"):
            assert (one[name] is not None) == (name == kind)
    first = [one for one in wrong if one["round"] == 1]
    test, predicted = seen[0].unknown, seen[0].predicted
    indices = np.flatnonzero(predicted != test.y)
    assert [one["name"] for one in first] == [test.names[i] for i in indices]
    model = seen[0].fit.estimator
    if kind in ("probability", "share"):
        expected = model.predict_proba(test.X).max(axis=1)[indices]
    elif kind == "margin":
        scores = np.atleast_2d(model.decision_function(test.X).T).T
        ordered = np.sort(scores, axis=1)
        gaps = np.abs(scores[:, 0]) if n_classes == 2 else ordered[:, -1] - ordered[:, -2]
        expected = gaps[indices]
    if kind:
        np.testing.assert_allclose([one[kind] for one in first], expected, rtol=1e-6)


@pytest.mark.filterwarnings("ignore:the kernel matrix is indefinite")
@pytest.mark.parametrize("method", METHODS)
def test_every_method_runs(method):
    sequences, y = make_lds_sequences(n_classes=2, n_per_class=6, random_state=0)[:2]
    data = Collection(list(sequences), y)
    settings = Settings(atoms=3, order=3, time_budget=1)
    given = {} if method in ("auto", "random-systems") else {"n_states": 3, "sparsity": 0.1}
    record = evaluate(data, method, parse_protocol("folds:2"), settings=settings, **given)
    assert record["accuracy"] >= 0.7
    assert len(record["rounds"]) == 2


def test_random_systems_have_no_states():
    sequences, y = make_lds_sequences(n_classes=2, n_per_class=6, random_state=0)[:2]
    data = Collection([*list(sequences)[:-1], np.ones((len(sequences[0]), 1))], y)
    record = evaluate(data, "random-systems", parse_protocol("folds:2"))
    assert record["rounds"][0]["n_states"] is None
    with pytest.raises(ValueError, match="n_states must not be given to the method random-sys"):
        evaluate(data, "random-systems", parse_protocol("folds:2"), n_states=3)


def test_what_is_chosen_is_the_best_of_the_training_folds(motions):
    train = motions[motions.split == "train"]
    choice = choose_parameters(METHODS["lds-sc-grass"], train, Settings(), delays=5)
    assert {one["n_states"] for one in choice.tried} == {3, 5, 8, 10, 15, 20}
    best = max(one["accuracy"] for one in choice.tried)
    chosen = next(
        one
        for one in choice.tried
        if (one["n_states"], one["sparsity"]) == (choice.n_states, choice.sparsity)
    )
    assert chosen["accuracy"] == best
    earlier = choice.tried[: choice.tried.index(chosen)]
    assert all(one["accuracy"] < best for one in earlier)


def test_the_test_part_decides_nothing(motions, monkeypatch):
    seen = []

    def spy(method, data, *arguments, **options):
        seen.append(data.names)
        return choose_parameters(method, data, *arguments, **options)

    monkeypatch.setattr("ldslearn.evaluate.fitting.choose_parameters", spy)
    evaluate(motions, "lds-sc-grass", n_states=10, delays=5)
    assert seen == [motions[motions.split == "train"].names]


def test_auto_is_held_out_as_it_will_be_tested(motions, monkeypatch):
    seen = []

    class Spy(AutoLDSClassifier):
        def fit(self, X, y, groups=None):
            seen.append(groups)
            return super().fit(X, y, groups)

    monkeypatch.setattr("ldslearn.evaluate.methods.AutoLDSClassifier", Spy)
    parts = np.tile([1, 2, 3], 27)[:80]
    data = Collection(motions.X, motions.y, parts)
    evaluate(data, "auto", parse_protocol("split:3"), settings=Settings(time_budget=1))
    assert sorted(set(seen[0])) == ["1", "2"]
    evaluate(motions, "auto", settings=Settings(time_budget=1))
    assert seen[1] is None
    grouped = Collection(motions.X, motions.y, groups=parts)
    evaluate(grouped, "auto", parse_protocol("groups"), settings=Settings(time_budget=1))
    assert all(len(set(groups)) == 2 for groups in seen[2:])


def test_of_equals_the_larger_sparsity_wins(motions, monkeypatch):
    monkeypatch.setattr(
        "ldslearn.evaluate.selection.cross_val_score", lambda *_, **__: np.array([0.5])
    )
    choice = choose_parameters(METHODS["lds-sc-grass"], motions, Settings())
    assert (choice.n_states, choice.sparsity) == (3, 0.1)


def test_folds_that_leave_one_class_are_not_used():
    random = np.random.default_rng(0)
    data = Collection(
        [random.random((4, 20)) for _ in range(8)], list("aaaabbbb"), groups=list("xxxxyyyy")
    )
    with pytest.warns(UserWarning, match="without cross-validation"):
        choice = choose_parameters(METHODS["lds-sc-grass"], data, Settings())
    assert choice.tried == []


def test_what_is_given_is_taken(motions):
    choice = choose_parameters(
        METHODS["lds-sc-grass"], motions, Settings(), n_states=4, sparsity=0.3
    )
    assert (choice.n_states, choice.sparsity, choice.tried) == (4, 0.3, [])
    choice = choose_parameters(METHODS["lds-martin"], motions, Settings(), n_states=4)
    assert choice.sparsity is None


def test_a_class_of_one_leaves_the_usual_order():
    data = Collection([np.random.default_rng(i).random((12, 30)) for i in range(5)], list("aabbc"))
    with pytest.warns(UserWarning, match="10 states and a sparsity of 0.1 are used without"):
        choice = choose_parameters(METHODS["lds-sc-grass"], data, Settings())
    assert (choice.n_states, choice.sparsity, choice.tried) == (10, 0.1, [])
    with pytest.warns(UserWarning, match="sparsity of 0.3 are used without"):
        assert (
            choose_parameters(METHODS["lds-sc-grass"], data, Settings(), sparsity=0.3).sparsity
            == 0.3
        )


@pytest.mark.parametrize(
    ("n_channels", "length", "delays", "states"),
    [(1, 40, 10, [3, 5, 8, 10]), (3, 206, 4, [3, 5, 8, 10]), (16, 12, 1, [3, 5, 8, 10]),
     (400, 80, 1, [3, 5, 8, 10, 15, 20]), (2, 5, 1, [2])],
)  # fmt: skip
def test_automatic_delays_and_orders(n_channels, length, delays, states):
    data = Collection([np.random.default_rng(0).random((n_channels, length))] * 2)
    assert choose_delays(data) == delays
    assert list_feasible_states(data, delays) == states
    LDSEncoder(states[-1], delays=delays).fit_transform(data.X)


def test_too_short():
    data = Collection([np.ones((2, 9)), np.ones((2, 2))], names=("long", "short"))
    with pytest.raises(
        ValueError, match="short must have at least 3 time points; got 2. Leave it out"
    ):
        list_feasible_states(data, 1)


def test_fingerprints(motions):
    same = Collection([x.copy() for x in motions.X], motions.y.copy())
    assert fingerprint(motions) == fingerprint(same)
    other = [x.copy() for x in motions.X]
    other[3][2, 5] += 1e-9
    assert fingerprint(Collection(other, motions.y)) != fingerprint(motions)
    assert fingerprint(Collection(motions.X, motions.y[::-1])) != fingerprint(motions)
    assert fingerprint(Collection(motions.X)) != fingerprint(motions)


def test_clusters(motions):
    record = cluster_collection(motions, n_states=5, delays=3)
    assert record["n_clusters"] == 4
    assert sum(record["sizes"]) == 80 == len(record["items"])
    assert 0 < record["nmi"] <= 1
    assert json.loads(json.dumps(record)) == record
    with pytest.raises(ValueError, match="number of clusters must be given"):
        cluster_collection(Collection(motions.X))


def test_comparison(motions):
    same = compare_sequences(motions[[0, 0]], n_states=4, delays=2)
    np.testing.assert_allclose(same["angles"], 0, atol=1e-5)
    assert same["martin_distance"] < 1e-6
    moved = motions.X[0] + 0.01 * np.random.default_rng(0).standard_normal(motions.X[0].shape)
    near = compare_sequences(Collection([motions.X[0], moved]))
    far = compare_sequences(motions[[0, 25]])
    assert len(near["angles"]) == near["n_states"]
    assert 0 < near["projection_distance"] < far["projection_distance"]
