"""docs/statements.md names code, tests and claims that exist, and leaves no equation out."""

import ast
import importlib
import inspect
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from ldslearn import LDSDictionary, LDSEncoder, SparseCodingClassifier, sparse_code
from ldslearn.datasets import Collection
from ldslearn.evaluate import parse_protocol
from ldslearn.geometry import martin_kernel
from ldslearn.paper.claims import CLAIMS
from ldslearn.paper.data_sets import Library
from ldslearn.paper.plans import load_plan

ROOT = Path(__file__).parents[1]
COLUMNS = ["where", "what it says", "code", "test", "verdict", "changed, and why"]
# As LaTeX numbers them: 25 equations up to Sec. 7; the appendix sets its counter back to 24.
EQUATIONS, APPENDIX_EQUATIONS = range(1, 26), range(25, 47)
THEOREMS = ["Thm. 1", "Cor. 2", "Lemma 3", "Thm. 4", "Thm. 5", "Thm. 6", "Property 7", "Property 8"]
# Fig. 1 is a sketch in the introduction.
FIGURES, TABLES = range(2, 16), range(1, 5)
MOST_WORDS = 15
KNOWN = Library(None).known


def rows_of(text):
    """(section, cells) of every row of every table."""
    section, found = "", []
    for line in text.splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif line.startswith("| ") and not line.startswith("| where "):
            found.append((section, [cell.strip() for cell in line.strip("|").split(" | ")]))
    return found


ROWS = rows_of((ROOT / "docs" / "statements.md").read_text())
PLACES = [(section, cells[0]) for section, cells in ROWS]


def named(column):
    return [name for _, cells in ROWS for name in re.findall(r"`([^`]+)`", cells[column])]


def numbers_in(places, pattern):
    """Numbers in the places that match: "Figs. 5, 6 (a)" has 5 and 6."""
    found = (re.match(pattern, place) for place in places)
    return {int(number) for one in found if one for number in re.findall(r"\d+", one.group())}


def test_every_row_is_complete():
    assert len(ROWS) > 100
    for _, cells in ROWS:
        assert len(cells) == len(COLUMNS), cells
        assert all(cells), cells


def test_statements_are_short():
    long = [cells[1] for _, cells in ROWS if len(cells[1].split()) > MOST_WORDS]
    assert not long, f"more than {MOST_WORDS} words"


@pytest.mark.parametrize("name", sorted(set(named(2))))
def test_code_exists(name):
    if name.startswith("src/"):
        assert (ROOT / name).is_file()
        return
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[cut:]:
            found = getattr(found, attribute)
        return
    pytest.fail(f"{name} is no module")


@cache
def functions_in(path):
    tree = ast.parse((ROOT / path).read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("name", sorted(set(named(3))))
def test_tests_exist(name):
    path, _, function = name.partition("::")
    assert function.startswith("test_")
    assert function in functions_in(path)


def test_what_has_no_test_says_why():
    for _, cells in ROWS:
        assert "`tests/" in cells[3] or cells[3].startswith("none"), cells


def test_verdicts_are_those_of_claims():
    assert set(named(4)) == set(CLAIMS)
    words = {re.sub(r"`[^`]+`", "", cells[4]).strip() for _, cells in ROWS}
    assert words == {"-", "claim", "no claim"}  # what was found is in docs/reproduction.md


def test_no_equation_is_left_out():
    def equations(appendix):
        places = [place for section, place in PLACES if section.startswith("Appendix") == appendix]
        return {int(n) for place in places for n in re.findall(r"\((\d+)\)", place)}

    assert equations(appendix=False) == set(EQUATIONS)
    assert equations(appendix=True) == set(APPENDIX_EQUATIONS)


def test_no_theorem_figure_or_table_is_left_out():
    places = [place for _, place in PLACES]
    for theorem in [*THEOREMS, "Alg. 1"]:
        assert any(place.startswith(theorem) for place in places), theorem
    assert numbers_in(places, r"Figs?\. [\d, ]+") == set(FIGURES)
    assert numbers_in(places, r"Table \d+") == set(TABLES)


# Parameters of Sec. 9


def default(function, name):
    return inspect.signature(function).parameters[name].default


def test_defaults_are_the_parameters_in_print():
    assert default(LDSEncoder, "n_noise") == 2
    assert default(martin_kernel, "bandwidth") == 200
    for function in (sparse_code, SparseCodingClassifier, LDSDictionary):
        assert default(function, "sparsity") == 0.1


def shares(protocol, n_per_class):
    """Rounds, and (training, test) sequences of each class, of two classes of so many."""
    y = np.repeat(["a", "b"], n_per_class)
    data = Collection([np.zeros((1, 2))] * len(y), y)
    splits = parse_protocol(protocol).splits(data)
    sizes = {(np.sum(y[train] == c), np.sum(y[test] == c)) for train, test in splits for c in "ab"}
    return len(splits), sizes


@pytest.mark.parametrize("name", ["sd", "spr", "bdh"])
def test_tactile_sets_are_parted_nine_to_one(name):
    assert shares(KNOWN[name]["protocol"], 10) == (10, {(9, 1)})


@pytest.mark.parametrize("name", ["cambridge", "dyntexpp", "dyntexpp9"])
def test_halves_are_drawn_ten_times(name):
    assert shares(KNOWN[name]["halves"], 10) == (10, {(5, 5)})


def test_scales_are_those_in_print():
    assert KNOWN["cambridge"]["scale"] == 2.5
    for name in ("ucsd", "ucla", "sd", "spr", "bdh"):
        assert KNOWN[name]["scale"] == 4
        assert KNOWN[name]["n_states"] == 20


def test_dictionaries_of_the_paper_have_ten_states():
    for name in ("cambridge", "dyntexpp", "dyntexpp9"):
        assert KNOWN[name]["dictionary_states"] == 10


def test_mixes_are_those_in_print():
    assert KNOWN["cambridge"]["mix"] == 0.2
    assert KNOWN["dyntexpp"]["mix"] == KNOWN["dyntexpp9"]["mix"] == 0.8


def test_pictures_are_of_eight_atoms_and_four_classes():
    settings = load_plan("fig13").settings("cambridge", quick=False)
    assert settings["n_atoms"] == 8
    # Classes are 3 shape + motion: flat and spread, leftward and rightward.
    assert settings["classes"] == ["0000", "0001", "0003", "0004"]
