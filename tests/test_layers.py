"""The house has one staircase: a folder imports only from folders above it in this list."""

import ast
from pathlib import Path

import pytest

import ldslearn

ORDER = [
    "_types",
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
    "_parallel",
    "_tags",
    "_versions",
    "sequences",
    "video",
    "datasets",
    "models",
    "geometry",
    "coding",
    "dictionary",
    "cluster",
    "classify",
    "auto",
    "scale",
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
    assert set(imported_folders(ROOT / "models" / "encoder.py")) >= {"_errors", "sequences"}
