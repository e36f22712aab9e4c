"""Examples of the gallery: a title, an explanation, and pictures without warnings."""

import ast
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(FOLDER.rglob("*.py"))
SHORT = ["draw_a_map", "encode_and_forecast", "imitate_a_video", "read_tables_with_times"]
COUNT_FIGURES = """
import runpy, sys
import matplotlib.pyplot as plt
runpy.run_path(sys.argv[1], run_name="__main__")
print("figures", len(plt.get_fignums()))
"""


def read(example):
    return ast.parse(example.read_text(encoding="utf-8"))


def test_there_are_at_least_sixteen():
    assert len(EXAMPLES) >= 16


def test_names_and_titles_differ():
    titles = [ast.get_docstring(read(example)).splitlines()[0] for example in EXAMPLES]
    for names in (titles, [example.name for example in EXAMPLES]):
        assert [name for name, count in Counter(names).items() if count > 1] == []


def test_every_folder_of_examples_has_a_header():
    for folder in {FOLDER, *(example.parent for example in EXAMPLES)}:
        header = (folder / "GALLERY_HEADER.rst").read_text(encoding="utf-8")
        title, underline, empty, text = header.split("\n", 3)
        assert set(underline) in ({"="}, {"-"})
        assert len(underline) == len(title)
        assert empty == ""
        assert text.strip().endswith(".")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_title_and_explanation(example):
    title, underline, empty, *explanation = ast.get_docstring(read(example)).splitlines()
    assert underline == "=" * len(title)
    assert empty == ""
    assert len(" ".join(explanation).split(". ")) >= 2
    assert example.read_text(encoding="utf-8").count("\n# %%\n") >= 2


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_only_public_names_are_imported(example):
    for node in ast.walk(read(example)):
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "ldslearn":
            module = __import__(node.module, fromlist=["__all__"])
            assert [a.name for a in node.names if a.name not in module.__all__] == []
            assert node.module.count(".") <= 1


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_one_or_two_figures_are_made_and_shown(example):
    lines = example.read_text(encoding="utf-8").splitlines()
    assert sum(".subplots(" in line or ".subplot_mosaic(" in line for line in lines) in (1, 2)
    assert lines[-1] == "plt.show()"


@pytest.mark.parametrize("name", SHORT)
def test_short_examples_run_without_warnings(name, tmp_path):
    """The others take longer; tests/acceptance runs all of them."""
    (example,) = FOLDER.rglob(f"{name}.py")
    words = [sys.executable, "-W", "error", "-c", COUNT_FIGURES, str(example)]
    folders = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(tmp_path))  # the last two: Windows
    environment = {**os.environ, **folders, "MPLBACKEND": "Agg"}
    environment.pop("DISPLAY", None)
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    *printed, figures = done.stdout.splitlines()
    assert printed
    assert figures in ("figures 1", "figures 2")
    assert list(tmp_path.iterdir()) == []
