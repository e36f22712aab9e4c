"""The architecture: a folder imports only from folders above it in this list.

CONTRIBUTING.md describes the folders.
"""

import ast
import graphlib
import re
from pathlib import Path

import pytest

import ldslearn

ORDER = [
    "_types",
    "_compiling",
    "_kinds",
    "_processes",
    "_errors",
    "_places",
    "_checks",
    "_files",
    "_writing",
    "_records",
    "_locks",
    "_arrays",
    "_progress",
    "_parallel",
    "_tags",
    "_versions",
    "_reprs",
    "drawing",
    "sequences",
    "video",
    "datasets",
    "models",
    "geometry",
    "coding",
    "dictionary",
    "cluster",
    "classify",
    "novelty",
    "regress",
    "random_systems",
    "auto",
    "scale",
    "search",
    "persist",
    "evaluate",
    "diagnostics",
    "paper",
    "plot",
    "report",
    "demo",
    "cli",
    "__main__",
]
ROOT = Path(ldslearn.__file__).parent
FILES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


def imported_folders(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            if node.module == "ldslearn":
                yield from (alias.name for alias in node.names)
            elif node.module and node.module.startswith("ldslearn."):
                yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("ldslearn."):
                    yield alias.name.split(".")[1]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_upward(path):
    here = path.relative_to(ROOT).parts[0].removesuffix(".py")
    for folder in imported_folders(path):
        assert folder in ORDER, f"{path.name} imports ldslearn.{folder}, which has no floor"
        assert ORDER.index(folder) <= ORDER.index(here)


def test_some_imports_are_seen():
    assert set(imported_folders(ROOT / "models" / "encoder.py")) >= {"_checks", "sequences"}


OPTIONAL = {"dask", "distributed", "h5py", "pandas", "usearch"}  # packages of extras


def imports_inside_functions(tree):
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Import):
                    yield from (alias.name for alias in node.names)
                elif isinstance(node, ast.ImportFrom):
                    yield node.module


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_optional_packages_are_imported_inside_functions(path):
    found = {name.split(".")[0] for name in imports_inside_functions(ast.parse(path.read_text()))}
    assert found <= OPTIONAL


def imported_modules(path, modules):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in modules else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_no_modules_import_each_other():
    modules = {}
    for path in FILES:
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    graph = {name: set(imported_modules(path, modules)) for name, path in modules.items()}
    assert list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError


def test_every_folder_is_described():
    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text()
    table = text.split("## Architecture")[1].split("## Rules")[0]
    described = re.findall(r"`(\w+)/`", "\n".join(re.findall(r"^\| (`.*?) \|", table, re.M)))
    folders = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()}
    assert set(described) == folders
    assert [name for name in ORDER if name in folders] == described
