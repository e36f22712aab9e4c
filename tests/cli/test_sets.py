"""The paper's sets on the command line: its protocols, its parameters, and options against them."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from scipy.io import savemat

import ldslearn
from ldslearn.cli.running import run
from ldslearn.datasets.paper_sets.layouts import SETS
from ldslearn.evaluate import METHODS, PAPER_SETS, settle_parameters
from ldslearn.paper.plans import read_collections

from support.layouts import cells, write_cambridge, write_frames, write_trafficdb

SMALL = ["--states", "2", "--json"]


@pytest.fixture(scope="module")
def traffic(tmp_path_factory):
    """254 clips of noise; two of them are in no trial."""
    root = write_trafficdb(tmp_path_factory.mktemp("ucsd"), unused=(5, 9))
    random = np.random.default_rng(0)
    clips = [random.standard_normal((4, 4, 12)).cumsum(axis=2) for _ in range(254)]
    savemat(root / "traffic_patches.mat", {"imgdb": cells(clips)})
    return root


@pytest.fixture
def clips(tmp_path):
    random = np.random.default_rng(0)
    X = random.standard_normal((16, 4, 40)).cumsum(axis=2)
    np.savez(tmp_path / "clips.npz", X=X, y=np.array(["a", "b"] * 8), groups=np.arange(16) // 4)
    return str(tmp_path / "clips.npz")


def answer(capsys, *arguments):
    capsys.readouterr()
    assert run([str(argument) for argument in arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_ucsd_runs_the_four_trials_as_published(traffic, capsys):
    record = answer(capsys, "evaluate", traffic, "--set", "ucsd", "-m", "lds-martin", *SMALL)
    assert record["protocol"] == "trials"
    assert [one["n_test"] for one in record["rounds"]] == [62, 64, 63, 63]
    assert [one["n_train"] + one["n_test"] for one in record["rounds"]] == [252] * 4


def test_trials_survive_conversion(traffic, tmp_path, capsys):
    answer(capsys, "convert", traffic, "--set", "ucsd", "-o", tmp_path / "u.npz", "--json")
    record = answer(
        capsys, "evaluate", tmp_path / "u.npz", "-p", "ucsd", "-m", "lds-martin", *SMALL
    )
    assert [one["n_test"] for one in record["rounds"]] == [62, 64, 63, 63]


def test_cambridge_halves_are_halves_of_each_class(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(SETS, "cambridge", replace(SETS["cambridge"], n_sequences=90))
    write_cambridge(tmp_path / "gestures", per_set=2)
    wanted = ["--set", "cambridge", "-m", "lds-martin", "--states", "1", "--json"]
    monkeypatch.setattr("ldslearn.evaluate.rounds.fit_method", stub)
    record = answer(capsys, "evaluate", tmp_path / "gestures", "-p", "cambridge-halves", *wanted)
    assert record["protocol"] == "shuffle:10:0.5, groups ignored"
    assert [(one["n_train"], one["n_test"]) for one in record["rounds"]] == [(45, 45)] * 10
    record = answer(capsys, "evaluate", tmp_path / "gestures", *wanted)
    assert record["protocol"] == "split"
    assert [(one["n_train"], one["n_test"]) for one in record["rounds"]] == [(18, 72)]


def test_a_part_of_a_set_is_used_with_skip_errors(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(SETS, "cambridge", replace(SETS["cambridge"], n_sequences=90))
    root = write_cambridge(tmp_path / "gestures", per_set=2)
    shutil.rmtree(root / "Set1" / "0000" / "0001")
    convert = ["convert", str(root), "--set", "cambridge", "-o", str(tmp_path / "gestures.npz")]
    assert run(convert) == 1
    message = capsys.readouterr().err
    assert "part of it (Set1/0000 has 1 of 2 sequences) is missing" in message
    assert "or --skip-errors of evaluate, train, cluster and convert." in message
    record = answer(capsys, *convert, "--skip-errors", "--json")
    assert record["n_sequences"] == 89


@pytest.mark.parametrize("method", ["lds-dl", "covlds-dl-src"])
def test_methods_that_learn_atoms_use_the_halves_of_cambridge(
    tmp_path, capsys, monkeypatch, method
):
    monkeypatch.setitem(SETS, "cambridge", replace(SETS["cambridge"], n_sequences=45))
    write_cambridge(tmp_path / "gestures", per_set=1)
    monkeypatch.setattr("ldslearn.evaluate.rounds.fit_method", stub)
    wanted = ["evaluate", tmp_path / "gestures", "--set", "cambridge", "-m", method, "--json"]
    record = answer(capsys, *wanted)
    assert record["protocol"] == "shuffle:10:0.5, groups ignored"
    assert record["parameters"]["n_states"] == {"value": 10, "from": "paper, Sec. 9.3"}
    assert answer(capsys, *wanted, "-p", "cambridge")["protocol"] == "split"
    assert answer(capsys, *wanted, "--folds", "2")["protocol"] == "folds:2"


def stub(method, data, *_, **__):
    """A fit that labels everything like the first sequence: frames of two images have no system."""
    from ldslearn.evaluate.fitting import Fit
    from ldslearn.evaluate.selection import Choice

    class First:
        classes_ = np.unique(data.y)

        def predict(self, X):
            return np.repeat(data.y[:1], len(X))

        def decision_function(self, X):
            return np.tile((self.classes_ == data.y[0]) * 1.0, (len(X), 1))

        def __getitem__(self, index):
            return self

    return Fit(First(), Choice(1, 1, None, []))


@pytest.mark.filterwarnings("ignore:the kernel matrix is indefinite")
def test_parameters_are_those_of_the_paper_unless_given(traffic, capsys):
    wanted = ["--set", "ucsd", "-m", "lds-sc-martin", "-p", "split"]
    record = answer(capsys, "evaluate", traffic, *wanted, *SMALL, "--bandwidth", "50")
    assert record["parameters"] == {
        "n_states": {"value": 2, "from": "given"},
        "delays": {"value": 1, "from": "paper, Sec. 4"},
        "stabilizer": {"value": "soft", "from": "paper, Sec. 9.2"},
        "scale": {"value": 4.0, "from": "paper, Fig. 4"},
        "sparsity": {"value": 0.1, "from": "paper, Sec. 9"},
        "bandwidth": {"value": 50.0, "from": "given"},
    }
    capsys.readouterr()
    assert run(["evaluate", str(traffic), *wanted, "--states", "2", "--scale", "3"]) == 0
    shown = capsys.readouterr().out
    assert "paper, Sec. 9.2" in shown
    assert [line.split("│")[1:4] for line in shown.splitlines() if "scale" in line] == [
        [" scale      ", " 3.0   ", " given           "]
    ]


def test_parameters_without_a_value_are_automatic(clips, capsys):
    assert run(["evaluate", clips, "-m", "lds-sc-grass", "-p", "groups"]) == 0
    rows = [line.split("│")[1:4] for line in capsys.readouterr().out.splitlines() if "│" in line]
    table = [[cell.strip() for cell in row] for row in rows]
    first = [row[0] for row in table].index("n_states")
    assert table[first : first + 5] == [
        ["n_states", "automatic", "chosen on training data"],
        ["delays", "automatic", "by the number of channels"],
        ["stabilizer", "soft", "default"],
        ["scale", "2.5", "default"],
        ["sparsity", "automatic", "chosen on training data"],
    ]


def test_a_record_has_one_name_for_the_time_budget(clips, capsys):
    options = ["--budget", "0.5", "--folds", "2", "--jobs", "1", "--json"]
    record = answer(capsys, "evaluate", clips, *options)
    assert record["parameters"] == {"time_budget": {"value": 0.5, "from": "given"}}
    assert [one["report"]["time_budget"] for one in record["rounds"]] == [0.5, 0.5]


def test_the_parameters_of_every_method_are_listed(clips, capsys, tmp_path):
    for command in (["evaluate", clips, "--folds", "2"], ["train", clips, "-o", tmp_path / "m"]):
        assert run([*map(str, command), "--budget", "0.5", "--jobs", "1"]) == 0
        rows = [line.split("│")[1:4] for line in capsys.readouterr().out.splitlines()]
        assert ["time_budget", "0.5", "given"] in [[cell.strip() for cell in row] for row in rows]


def settled(method, name=None, **given):
    return settle_parameters(METHODS[method], given, name).as_dict()


@pytest.mark.parametrize(
    ("name", "method", "expected"),
    [
        ("cambridge", "lds-sc-grass", {"n_states": 20, "scale": 2.5, "sparsity": 0.1}),
        ("cambridge", "covlds-dl", {"n_states": 10, "scale": 2.5, "mix": 0.2}),
        ("cambridge", "glds-dl", {"n_states": 10, "order": 3}),
        ("dyntexpp", "covlds-dl", {"n_states": 10, "mix": 0.8, "atoms": 32, "per_class": True}),
        ("ucla", "lds-svm", {"n_states": 20, "scale": 4.0, "bandwidth": 200.0}),
        ("sd", "lds-martin", {"n_states": 20, "stabilizer": "none"}),
        ("spr", "lds-martin", {"n_states": 20, "stabilizer": "soft", "scale": 4.0}),
    ],
)
def test_published_parameters(name, method, expected):
    found = settled(method, name)
    assert {key: found[key]["value"] for key in expected} == expected
    assert all(found[key]["from"].startswith("paper, ") for key in expected)
    assert ("scale" in found) == (found["stabilizer"]["value"] == "soft")


def test_no_stabilizer_of_dyntexpp_is_attributed_to_the_paper():
    found = settled("covlds-dl", "dyntexpp")
    assert found["stabilizer"] == {"value": "soft", "from": "default"}
    assert found["scale"] == {"value": 2.5, "from": "default"}
    assert settled("lds-martin", "dyntexpp")["stabilizer"]["from"] == "default"


def test_the_reproduction_has_the_same_parameters():
    for name, entry in read_collections().items():
        if entry["origin"] != "paper":
            continue
        paper = PAPER_SETS[entry["path"]]
        assert entry["protocol"] == paper.protocol
        kinds = {"dictionary_states": "covlds-dl"} if "halves" in entry else {}
        for key, method in kinds.items():
            found = settled(method, entry["path"])
            assert (entry[key], entry["mix"]) == (found["n_states"]["value"], found["mix"]["value"])
        if not name.startswith("dyntexpp"):
            found = settled("lds-sc-grass", name)
            assert entry["n_states"] == found["n_states"]["value"]
            assert entry["stabilizer"] == found["stabilizer"]["value"]


def test_without_a_set_values_are_usual_or_chosen():
    found = settled("covlds-dl", mix=0.3)
    assert found["mix"] == {"value": 0.3, "from": "given"}
    assert found["atoms"] == {"value": 16, "from": "default"}
    assert found["n_states"] == {"value": None, "from": "chosen on training data"}


@pytest.mark.parametrize(
    ("method", "option", "users"),
    [
        ("lds-sc-grass", ["--atoms", "3"], "lds-dl, covlds-dl, ldsst-dl, glds-dl, lds-dl-src"),
        ("lds-sc-grass", ["--mix", "0.3"], "covlds-sc, covlds-dl, covlds-dl-src"),
        ("lds-dl", ["--mix", "cv"], "covlds-sc, covlds-dl, covlds-dl-src"),
        ("covlds-dl", ["--bandwidth", "3"], "lds-svm, lds-sc-martin"),
        ("lds-martin", ["--sparsity", "0.3"], "lds-sc-martin, lds-sc-grass"),
        ("lds-sc-grass", ["--order", "3"], "glds-sc, glds-dl"),
        ("lds-sc-grass", ["--per-class"], "lds-dl, covlds-dl, ldsst-dl, glds-dl"),
        ("lds-sc-grass", ["--budget", "3"], "auto"),
        ("auto", ["--atoms", "3"], "lds-dl, covlds-dl"),
    ],
)
def test_options_that_a_method_does_not_use_are_refused(clips, capsys, method, option, users):
    assert run(["evaluate", clips, "-m", method, *option]) == 2
    told = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert f"{option[0]} must not be given to the method {method}, which does not use it" in told
    assert f"It is used by {users}" in told


@pytest.mark.parametrize(
    ("method", "option", "message"),
    [
        ("covlds-dl", ["--mix", "1.5"], "--mix must be a number from 0 to 1, or cv; got '1.5'"),
        ("covlds-dl", ["--mix", "auto"], "--mix must be a number from 0 to 1, or cv; got 'auto'"),
        ("lds-svm", ["--bandwidth", "0"], "--bandwidth must be a positive number, or median"),
        ("lds-svm", ["--scale", "0"], "--scale must be a positive number; got '0'"),
        ("lds-svm", ["--scale", "a"], "--scale must be a positive number; got 'a'"),
        ("auto", ["--scale", "3"], "--scale must not be given to the method auto"),
        ("lds-svm", ["--scale", "3", "--stabilizer", "clip"], "--scale must be given with --stab"),
    ],
)
def test_values_out_of_range_are_refused(clips, capsys, method, option, message):
    assert run(["evaluate", clips, "-m", method, *option]) == 2
    assert message in " ".join(capsys.readouterr().err.replace("│", " ").split())


@pytest.mark.parametrize("layout", ["sd", "bdh"])
def test_a_scale_for_a_set_without_stabilizer_is_refused_with_a_remedy_that_works(layout):
    message = (
        r"--scale must be given with --stabilizer soft, which alone uses it; "
        r"got --stabilizer none \(paper, Sec. 9.2\). Add --stabilizer soft."
    )
    with pytest.raises(ValueError, match=message):
        settled("lds-martin", layout, scale=3.0)
    found = settled("lds-martin", layout, scale=3.0, stabilizer="soft")
    assert found["scale"] == {"value": 3.0, "from": "given"}
    with pytest.raises(ValueError, match="got --stabilizer clip. Omit one of them."):
        settled("lds-martin", layout, scale=3.0, stabilizer="clip")


@pytest.mark.parametrize("option", ["--together", "--per-class"])
@pytest.mark.parametrize(
    ("method", "reason"),
    [
        ("lds-dl-src", "which always learns atoms per class. Leave it out; it is used by lds-dl,"),
        ("lds-svm", "which does not use it. It is used by lds-dl, covlds-dl"),
    ],
)
def test_options_of_classes_are_named_as_given(clips, capsys, option, method, reason):
    assert run(["evaluate", clips, "-m", method, option]) == 2
    told = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert f"{option} must not be given to the method {method}, {reason}" in told


@pytest.mark.parametrize("method", ["covlds-sc", "covlds-dl-src"])
def test_mix_is_chosen_in_every_round_and_kept_in_models(clips, tmp_path, capsys, method):
    atoms = ["--atoms", "2"] if method == "covlds-dl-src" else []
    wanted = ["-m", method, "--mix", "cv", "--states", "2", "--sparsity", "0.1", *atoms]
    record = answer(capsys, "evaluate", clips, "-p", "shuffle:2:0.5", *wanted, "--json")
    assert record["parameters"]["mix"] == {"value": "cv", "from": "given"}
    assert all(one["mix"] in (0.2, 0.4, 0.6, 0.8, 1.0) for one in record["rounds"])
    about = answer(capsys, "train", clips, *wanted, "-o", tmp_path / "m.lds", "--json")
    model = ldslearn.load(tmp_path / "m.lds")
    assert model[-1].mix_ == about["mix"]
    assert set(model[-1].mix_scores_) == {0.2, 0.4, 0.6, 0.8, 1.0}
    found = answer(capsys, "predict", tmp_path / "m.lds", clips, "--json")
    assert len(found["predictions"]) == 16


def test_groups_reach_the_folds_that_choose_mix(clips, monkeypatch):
    from ldslearn.classify import sparse
    from ldslearn.datasets import load_npz
    from ldslearn.evaluate import Settings, evaluate, parse_protocol

    seen = []
    choose = sparse.choose_mix
    monkeypatch.setattr(
        sparse, "choose_mix", lambda hits, y, groups, name: seen.append(groups)
        or choose(hits, y, groups, name),
    )  # fmt: skip
    data, settings = load_npz(clips), Settings(mix="cv")
    given = {"n_states": 2, "sparsity": 0.1, "delays": 1, "settings": settings}
    evaluate(data, "covlds-sc", parse_protocol("groups"), **given)
    assert [len(np.unique(groups)) for groups in seen] == [3] * 4
    seen.clear()
    halves = replace(parse_protocol("cambridge-halves"), repeats=1)
    evaluate(data, "covlds-sc", halves, **given)
    assert seen == [None]


def test_dictionaries_of_stores_with_covariance(tmp_path, capsys):
    assert run(["make-clips", str(tmp_path / "c"), "--per-class", "1", "--size", "8"]) == 0
    assert run(["encode", str(tmp_path / "c"), "-o", str(tmp_path / "s"), "--states", "3"]) == 0
    wanted = ["--atoms", "2", "--iterations", "1", "--mix", "0.3"]
    assert run(["learn", str(tmp_path / "s"), *wanted, "-o", str(tmp_path / "d.npz")]) == 0
    assert ldslearn.load(tmp_path / "d.npz").mix == 0.3


def test_models_and_stores_crop_new_clips_to_their_motion(tmp_path, capsys):
    for i in range(8):
        video = np.full((12, 30, 40), 120.0)
        top, left, speed = 3 * (i % 4), 20 - 2 * (i // 2), 1 + i % 2
        wave = 30 * np.sin(speed * np.arange(12)[:, None, None] + np.arange(8)[:, None] / 3)
        video[:, top : top + 8, left : left + 8] += wave
        home = tmp_path / "clips" / ("slow", "fast")[i % 2] / str(i)
        write_frames(home, video.astype(np.uint8), ".png")
    clips, model = str(tmp_path / "clips"), str(tmp_path / "m.lds")
    wanted = ["--crop", "motion", "--size", "8x8", "-m", "lds-martin", "--states", "2"]
    assert run(["train", clips, *wanted, "-o", model]) == 0
    files = answer(capsys, "predict", model, clips, "--json")
    assert files["accuracy"] == 1.0
    assert run(["encode", clips, "--like", model, "-o", str(tmp_path / "store")]) == 0
    stored = answer(capsys, "predict", model, tmp_path / "store", "--json")
    labels = [[one["label"] for one in found["predictions"]] for found in (files, stored)]
    assert labels[0] == labels[1]
    assert run(["evaluate", clips, "--crop", "motion", "-m", "lds-martin"]) == 2
    assert "--crop motion requires --size" in capsys.readouterr().err
