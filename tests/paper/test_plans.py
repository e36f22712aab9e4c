import pytest

from ldslearn.evaluate import parse_protocol
from ldslearn.paper import plan_names
from ldslearn.paper.plans import load_plan, name_reproduction, read_collections
from ldslearn.paper.registry import EXPERIMENTS

KNOWN = read_collections()


def test_every_figure_and_table_has_a_plan():
    numbers = [2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
    assert plan_names(exhibits_only=True) == [
        *(f"fig{n}" for n in numbers), "table4", "covariance",
    ]  # fmt: skip


def test_tables_of_accuracy_are_no_exhibits_of_the_paper():
    others = plan_names()[len(plan_names(exhibits_only=True)) :]
    assert others == ["auto", "tuned", "classes", "accuracy", "clusters", "learning"]
    assert not any(load_plan(name).exhibit for name in others)


@pytest.mark.parametrize("name", plan_names())
def test_plans_name_what_exists(name):
    plan = load_plan(name)
    assert plan.experiment in EXPERIMENTS
    assert {origin for chain in plan.data for origin in chain} <= set(KNOWN)
    assert set(plan.paper) <= set(KNOWN)
    assert all(KNOWN[collection]["origin"] == "paper" for collection in plan.paper)
    if name.startswith("fig"):
        assert plan.title.startswith(f"Fig. {name.removeprefix('fig')}: ")


@pytest.mark.parametrize("name", plan_names())
def test_embedded_data_serve_every_plan(name):
    assert any("path" not in KNOWN[chain[-1]] for chain in load_plan(name).data)


def test_chains_go_from_the_paper_to_stand_ins_to_embedded_data():
    order = ["paper", "stand-in", "embedded", "synthetic"]
    for name in plan_names():
        for chain in load_plan(name).data:
            places = [order.index(KNOWN[collection]["origin"]) for collection in chain]
            assert places == sorted(places)


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_collections_are_complete(name):
    entry = KNOWN[name]
    assert ("path" in entry) == (entry["origin"] in ("paper", "stand-in"))
    assert ("draw" in entry) == (entry["origin"] == "synthetic")
    assert entry["n_states"] in entry["states"]
    parse_protocol(entry["protocol"])
    if "halves" in entry:
        assert str(parse_protocol(entry["halves"])) == "shuffle:10:0.5, groups ignored"
        assert 0 <= entry["mix"] <= 1


@pytest.mark.parametrize("name", plan_names())
def test_quick_is_never_more_than_full(name):
    plan = load_plan(name)
    for collection in {c for chain in plan.data for c in chain}:
        quick, full = plan.settings(collection, True), plan.settings(collection, False)
        for key in {"atoms", "orders", "seeds", "methods"} & set(full):
            assert quick[key]
            assert set(quick[key]) <= set(full[key])


def test_quick_and_single_collections_replace_parameters():
    plan = load_plan("fig15")
    assert plan.settings("dyntexpp", False)["atoms"] == [8, 16, 32, 50]
    assert plan.settings("textures", False)["atoms"] == [1, 2, 4]
    assert "splits" not in plan.settings("textures", False)
    assert plan.settings("textures", True)["splits"] == 3


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(ValueError, match=r"name must be one of 'all', 'fig2', .*; got 'fig3'"):
        load_plan("fig3")


def test_the_table_has_the_numbers_in_print():
    printed = load_plan("table4").paper
    assert printed["cambridge"]["lds-sc-grass"] == 91.7
    assert printed["bdh"] == {
        "lds-svm": 80, "lds-martin": 98, "lds-sc-martin": 98, "lds-sc-grass": 100,
        "cited": "81 ST-HMP, 87 JKSC",
    }  # fmt: skip


def test_files_are_named_after_what_was_asked_for():
    assert name_reproduction(["fig2", "fig2"]) == "fig2"
    assert name_reproduction(["accuracy", "all", "fig2"], quick=True) == "all-accuracy-quick"
