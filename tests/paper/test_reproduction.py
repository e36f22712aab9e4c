import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from ldslearn import (
    AutoLDSClassifier,
    DictionaryClassifier,
    LDSDictionary,
    LDSEncoder,
    SparseCodingClassifier,
)
from ldslearn.datasets import Collection, make_lds_sequences, save_npz
from ldslearn.evaluate import METHODS
from ldslearn.paper import plan_names, reproduce, reproduction, tuning
from ldslearn.paper.claims import CLAIMS
from ldslearn.paper.data_sets import Library
from ldslearn.paper.ledger import Run
from ldslearn.paper.plans import load_plan
from ldslearn.paper.registry import compute
from ldslearn.paper.reproduction import _format_title

LIBRARY = Library(None)
EXHIBITS = plan_names(exhibits_only=True)
MOTIONS = LIBRARY.load("motions")


def test_classification_is_that_of_a_pipeline():
    parameters = {"method": "lds-sc-grass", "n_states": 5, "sparsity": 0.1}
    numbers = compute(Run("classify", MOTIONS, parameters))
    systems = LDSEncoder(5, delays=5, scale=4.0).fit_transform(MOTIONS.data.X)
    (train, test), y = MOTIONS.splits()[0], MOTIONS.data.y
    model = SparseCodingClassifier(sparsity=0.1).fit(systems[train], y[train])
    right = model.predict(systems[test]) == y[test]
    assert numbers["correct"] == ["".join(str(int(one)) for one in right)]
    assert numbers["accuracy"] == [right.mean()]
    assert numbers["n_train"] == [40]


@pytest.mark.parametrize(
    "parameters",
    [
        {"method": "lds-martin"},
        {"method": "lds-svm", "bandwidth": 200.0},
        {"method": "lds-sc-martin", "bandwidth": 200.0},
        {"method": "glds-sc", "order": 3},
        {"method": "hybrid", "mix": 0.5},
        {"method": "lds-sc-grass", "stabilizer": "none"},
        {"method": "lds-sc-grass", "stabilizer": "dwls", "bound": 0.99},
    ],
)
def test_every_method_tells_the_motions_apart(parameters):
    run = Run("classify", MOTIONS, {"n_states": 5, "sparsity": 0.1, **parameters})
    assert compute(run)["accuracy"][0] > 0.7


def test_codes_are_those_of_a_dictionary_on_halves():
    parameters = {"method": "covlds-dl", "n_atoms": 4, "sparsity": 0.1, "splits": 2}
    numbers = compute(Run("codes", MOTIONS, parameters))
    systems = LDSEncoder(6, delays=5, scale=4.0).fit_transform(MOTIONS.data.X)
    train, test = MOTIONS.split_halves(2)[1]
    y = MOTIONS.data.y
    model = DictionaryClassifier(LDSDictionary(4, mix=0.5, random_state=1), LinearSVC(C=10))
    model.fit(systems[train], y[train])
    assert numbers["accuracy"][1] == pytest.approx(model.score(systems[test], y[test]))
    assert numbers["objective"][1] == pytest.approx(model.dictionary_.objective_[-1] / len(train))


def test_drawn_atoms_are_not_learned_and_cannot_code_as_well():
    common = {"n_atoms": 4, "sparsity": 0.1, "splits": 2}
    drawn, learned = (
        compute(Run("codes", MOTIONS, {"method": method, **common}))
        for method in ("covlds-rand", "covlds-dl")
    )
    assert np.mean(drawn["objective"]) > np.mean(learned["objective"])


def test_stability_costs_an_error():
    soft, none = (
        compute(Run("stabilize", MOTIONS, {"n_states": 10, "stabilizer": name}))
        for name in ("soft", "none")
    )
    assert none["error"] == pytest.approx(none["error_before"])
    assert soft["error_before"] == pytest.approx(none["error"])
    assert soft["error"] > none["error"]
    assert soft["radius"] < 1


def test_convergence_never_rises():
    run = Run(
        "converge", MOTIONS,
        {"n_atoms": 3, "sparsity": 0.1, "init": "random", "iterations": 4, "seed": 0},
    )  # fmt: skip
    objective = compute(run)["objective"]
    assert len(objective) == 5
    assert (np.diff(objective) <= 1e-9).all()


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduction")
    said = []
    record = reproduce(["fig2", "covariance"], quick=True, records=folder, say=said.append)
    return folder, record, said


def without_times(record):
    """A record without what differs from call to call."""
    if isinstance(record, dict):
        return {k: without_times(v) for k, v in record.items() if "seconds" not in k}
    return [without_times(value) for value in record] if isinstance(record, list) else record


def test_a_record_says_what_was_used(first):
    _, record, said = first
    assert said[0] == "runs: 9, on record: 0 (quick: fewer values and rounds)"
    words = "JapaneseVowels (embedded) instead of Cambridge"
    assert f"Fig. 2: soft normalisation: {words}; runs to do: 1" in said
    figures = {one["name"]: one for one in record["figures"]}
    assert list(figures) == ["fig2", "covariance"]
    assert [one["title"] for one in figures.values()] == [
        "Fig. 2: soft normalisation, on JapaneseVowels instead of Cambridge",
        "Sec. 9.2: the covariance in the kernel, on BasicMotions instead of SD; "
        "JapaneseVowels instead of SPr",
    ]
    motions, vowels = figures["covariance"]["collections"]
    assert motions == {
        "name": "motions", "title": "BasicMotions", "origin": "embedded", "instead_of": "SD",
        "words": "BasicMotions (embedded) instead of SD",
    }  # fmt: skip
    assert vowels["words"] == "JapaneseVowels (embedded) instead of SPr"
    assert [claim["claim"] for claim in record["claims"]] == ["covariance-coding"]
    assert record["collections"]["motions"]["n_sequences"] == 80
    json.dumps(record, allow_nan=False)


def test_a_title_of_many_collections_counts_them():
    def origin(kind):
        return {"title": "x", "origin": kind, "instead_of": None}

    plan = load_plan("fig4")
    four = [origin("stand-in")] * 4
    assert _format_title(plan, four) == f"{plan.title}, on 4 collections, none of them the paper's"
    mixed = [*four, origin("paper")]
    assert _format_title(plan, mixed) == f"{plan.title}, on 5 collections, 1 of them the paper's"
    assert _format_title(plan, [origin("paper")]) == f"{plan.title}, on x"


def test_nothing_is_computed_twice(first, monkeypatch):
    folder, record, _ = first
    said = []
    monkeypatch.setattr(reproduction, "compute", lambda run: pytest.fail("computed again"))
    again = reproduce(["fig2", "covariance"], quick=True, records=folder, say=said.append)
    assert said[0] == "runs: 9, on record: 9 (quick: fewer values and rounds)"
    assert without_times(again) == without_times(record)
    assert again["seconds"] == record["seconds"] > 0  # of the runs, whenever they were done
    one = reproduce("fig2", quick=True, records=folder)
    assert [figure["name"] for figure in one["figures"]] == ["fig2"]
    assert one["seconds"] < record["seconds"]


def test_an_interrupted_call_goes_on_where_it_was(first, tmp_path, monkeypatch):
    _, record, _ = first
    done = []

    def interrupted(run):
        if len(done) == 4:
            raise KeyboardInterrupt
        done.append(run.key)
        return compute(run)

    said = []
    monkeypatch.setattr(reproduction, "compute", interrupted)
    with pytest.raises(KeyboardInterrupt):
        reproduce(["fig2", "covariance"], quick=True, records=tmp_path, say=said.append)
    assert len(list((tmp_path / "records").iterdir())) == 4
    assert said[-1] == "on record: 4 of 9 runs; the same command resumes from there"

    def counted(run):
        done.append(run.key)
        return compute(run)

    monkeypatch.setattr(reproduction, "compute", counted)
    resumed = reproduce(["fig2", "covariance"], quick=True, records=tmp_path)
    assert len(done) == len(set(done)) == 9
    assert without_times(resumed) == without_times(record)


def made_up(run):
    """Numbers of any run, as good for all methods."""
    data_set = run.data_set
    splits = (
        data_set.split_halves(run.parameters.get("splits"))
        if run.kind == "codes"
        else data_set.splits()
    )
    names = ["infinite", "per class", "together"]
    for key in ("orders", "methods", "stabilizers"):
        names += map(str, run.parameters.get(key, []))
    return {
        "correct": ["01" * (len(test) // 2) + "0" * (len(test) % 2) for _, test in splits],
        "accuracy": [0.5] * len(splits), "n_train": [len(train) for train, _ in splits],
        "fit_seconds": [1.0] * len(splits), "predict_seconds": [1.0] * len(splits),
        "objective": [3.0, 2.0, 1.0], "error": 1.0, "errors": [1.0, 1.0], "n_unstable": 0,
        "largest_kernel": 5.0, "seconds": {name: [1.0, 1.0, 1.0] for name in names},
        "n_states": [3] * len(splits), "nmi": [0.5], "ari": [0.25],
    }  # fmt: skip


def test_figures_share_runs(tmp_path, monkeypatch):
    """Figs. 4 and 8 and the table classify the same motions by the same methods."""
    keys = []

    def counted(run):
        keys.append(run.key)
        return made_up(run)

    monkeypatch.setattr(reproduction, "compute", counted)
    names = ["fig8", "table4"]
    alone = []
    for name in names:
        keys.clear()
        reproduce([name], quick=True, records=tmp_path / name)
        alone.append(len(keys))
    keys.clear()
    reproduce(names, quick=True, records=tmp_path / "both")
    assert len(keys) == len(set(keys))
    assert len(keys) == sum(alone) - 9  # three methods at three n


def test_methods_that_are_alike_decide_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduction, "compute", made_up)
    names = ["fig4", "fig8", "fig9", "table4", "covariance", "fig11", "fig12", "fig14", "fig15"]
    record = reproduce(names, quick=True, records=tmp_path)
    found = {claim["claim"]: set(claim["count"]) for claim in record["claims"]}
    # Accuracies that are the same are steady, on par and arrived; times do not grow as L.
    same = {"converges", "grass-steady", "martin-steady", "few-iterations", "parity-2", "parity-3"}
    less = {"order-factor", "update-factor"}
    assert {name for name in found if "confirmed" in found[name]} == same
    assert {name for name in found if "refuted" in found[name]} == less
    judged = {name for name, claim in CLAIMS.items() if not claim.reason} | {"tactile-slower"}
    assert set(found) == judged - {"tactile-slower"}  # no tactile set is embedded


def test_every_claim_has_a_verdict_or_a_reason(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduction, "compute", made_up)
    names = [name for name in EXHIBITS if name not in ("fig2", "fig13")]
    monkeypatch.setattr(reproduction, "plan_names", lambda exhibits_only: names)
    rows = reproduce(["all"], quick=True, records=tmp_path)["claims"]
    assert [row["claim"] for row in rows] == list(CLAIMS)
    assert all(row["evidence"] or row["reason"] for row in rows)


def test_panels_of_several_sets_have_different_titles(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduction, "compute", made_up)
    X, y = make_lds_sequences(3, 20, n_channels=12, n_timepoints=20, random_state=0)
    for name in ("hcs10", "sdh2"):
        save_npz(tmp_path / f"{name}.npz", Collection(X, y))
    names = ["fig4", "fig8", "fig9", "fig11", "fig12", "table4", "learning", "classes", "clusters"]
    record = reproduce(names, quick=True, records=tmp_path / "r", data_dir=tmp_path)
    for figure in record["figures"]:
        titles = [panel["title"] for panel in figure["panels"]]
        assert len(set(titles)) == len(titles), figure["name"]


def test_tables_of_accuracy_test_no_claim(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduction, "compute", made_up)
    names = ["accuracy", "tuned", "learning", "classes", "clusters"]
    record = reproduce(names, quick=True, records=tmp_path)
    assert [figure["name"] for figure in record["figures"]] == names
    assert record["claims"] == []
    assert record["figures"][0]["title"].endswith(", on BasicMotions")
    accuracy, times = record["figures"][0]["panels"]
    assert accuracy["columns"][:3] == ["", "LDS-Martin", "LDS-SVM"]
    assert accuracy["rows"] == [["BasicMotions", *["50.0"] * 9]]
    assert times["rows"][0][0] == "BasicMotions"
    nmi, ari = record["figures"][-1]["panels"]
    assert (nmi["rows"][0][1], ari["rows"][0][1]) == ("50.0", "25.0")


def test_all_are_the_exhibits_of_the_paper(tmp_path, monkeypatch):
    planned = []
    monkeypatch.setattr(reproduction, "load_plan", lambda name: planned.append(name))
    with pytest.raises(AttributeError):
        reproduce(["accuracy", "all", "fig2"], records=tmp_path)
    assert planned == [*EXHIBITS, "accuracy"]


def test_parameters_are_chosen_on_the_training_part(monkeypatch):
    monkeypatch.setattr(tuning, "STATES", (3, 4))
    monkeypatch.setattr(tuning, "DELAYS", (1,))
    for method in ("lds-martin", "lds-svm", "lds-sc-martin", "lds-sc-grass", "mixture"):
        numbers = compute(Run("tune", MOTIONS, {"method": method}))
        assert numbers["accuracy"][0] > 0.7
        assert numbers["chosen"][0] in ("n = 3, delays = 1", "n = 4, delays = 1")
    other = replace(MOTIONS.data, y=np.where(MOTIONS.data.split == "test", "?", MOTIONS.data.y))
    changed = compute(Run("tune", replace(MOTIONS, data=other), {"method": "lds-sc-grass"}))
    same = compute(Run("tune", MOTIONS, {"method": "lds-sc-grass"}))
    assert changed["chosen"] == same["chosen"]
    assert changed["accuracy"] == [0.0]


def test_the_tuned_order_is_that_of_a_classifier(monkeypatch):
    monkeypatch.setattr(tuning, "STATES", (4,))
    monkeypatch.setattr(tuning, "DELAYS", (1,))
    monkeypatch.setattr(tuning, "_SPARSITIES", (0.1,))
    numbers = compute(Run("tune", MOTIONS, {"method": "glds-sc", "order": 3}))
    systems = LDSEncoder(4).fit_transform(MOTIONS.data.X)
    (train, test), y = MOTIONS.splits()[0], MOTIONS.data.y
    model = SparseCodingClassifier("finite", sparsity=0.4, kernel_params={"order": 3})
    model.fit(systems[train], y[train])
    assert numbers["accuracy"] == [model.score(systems[test], y[test])]


def test_seeds_of_the_search_share_the_given_split(monkeypatch):
    seeds = []

    class Search(AutoLDSClassifier):
        def fit(self, X, y, groups=None):
            seeds.append((self.random_state, self.time_budget, len(X)))
            return super().fit(X, y, groups)

    auto = replace(METHODS["auto"], build=lambda s: Search(s.time_budget, random_state=s.seed))
    monkeypatch.setitem(METHODS, "auto", auto)
    numbers = compute(Run("auto", MOTIONS, {"budget": 0.5, "rounds": 2}))
    assert seeds == [(0, 0.5, 40), (1, 0.5, 40)]
    assert min(numbers["accuracy"]) > 0.7
    assert numbers["n_test"] == [40, 40]


def test_clusters_of_systems_agree_with_the_labels():
    for method in ("systems", "subspaces", "flattened", "spectral"):
        run = Run("cluster", MOTIONS, {"method": method, "n_states": 5, "seeds": [0]})
        numbers = compute(run)
        assert 0.2 < numbers["nmi"][0] <= 1


def test_numbers_in_print_stand_in_the_table(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduction, "compute", made_up)
    (figure,) = reproduce(["table4"], quick=True, records=tmp_path)["figures"]
    (table,) = figure["panels"]
    assert table["columns"][0] == ""
    assert table["columns"][-2:] == ["proposed", "cited in the paper"]
    rows = {row[0]: row[1:] for row in table["rows"]}
    assert rows["BasicMotions"][:2] == ["50.0 (n = 2)", "50.0 (n = 2)"]
    assert rows["UCLA, paper"] == [
        "95.0", "93.0", "98.5", "96.0", "98.5", "96.0 KL-SVM, 97.5 KDT-SVM",
    ]  # fmt: skip


def test_collections_that_are_too_small_are_left_out(tmp_path, monkeypatch):
    random = np.random.default_rng(0)
    X = [random.standard_normal((5, 20)) for _ in range(4)]
    save_npz(tmp_path / "hcs10.npz", Collection(X, ["a", "a", "b", "b"]))
    monkeypatch.setattr(reproduction, "compute", made_up)
    said = []
    record = reproduce(
        ["fig12"], quick=True, records=tmp_path / "r", data_dir=tmp_path, say=said.append
    )
    assert any("HCs10 has too few sequences" in text for text in said)
    titles = [one["title"] for one in record["figures"][0]["collections"]]
    assert titles == ["dynamic textures", "BasicMotions"]


def test_sets_of_the_paper_are_stabilized_as_it_says(tmp_path):
    known = LIBRARY.known
    assert [name for name in known if known[name].get("stabilizer") == "none"] == ["sd", "bdh"]


def test_unknown_names_stop_before_the_work(tmp_path):
    with pytest.raises(ValueError, match="'fig3'"):
        reproduce(["fig2", "fig3"], records=tmp_path / "none")
    assert not (tmp_path / "none").exists()
