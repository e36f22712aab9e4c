"""What the package imports is what it asks for; without an extra, messages name it."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from support.extras import NEEDS, write_inputs

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
DISTRIBUTIONS = {"sklearn": "scikit-learn", "lazy_loader": "lazy-loader"}  # where names differ
MISSING = "import sys; sys.modules[{!r}] = None\n"


def names_of(requirements):
    return {re.match(r"[\w-]+", text).group() for text in requirements}


def imported_packages():
    """Return the packages imported anywhere in src, inside functions, too."""
    found = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                found.add(node.module)
            elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
                found |= {a.value for a in node.args if isinstance(a, ast.Constant)}
    roots = {name.split(".")[0] for name in found} - sys.stdlib_module_names - {"ldslearn"}
    return {DISTRIBUTIONS.get(name, name) for name in roots}


def test_dependencies_are_the_imported_packages():
    optional = {name for extra in ("dask", "hdf5", "search") for name in names_of(EXTRAS[extra])}
    assert imported_packages() == names_of(PROJECT["dependencies"]) | optional


def test_all_has_every_extra_of_users():
    users = EXTRAS.keys() - {"all", "dev", "docs"}
    assert EXTRAS["all"] == [f"ldslearn[{','.join(sorted(users))}]"]
    assert "ldslearn[all]" in EXTRAS["dev"]
    assert {(need.extra, need.package) for need in NEEDS} == {
        (extra, name) for extra in users for name in names_of(EXTRAS[extra])
    }


@pytest.fixture
def run_without(tmp_path):
    """A function that runs a program in a process where importing a package fails."""
    write_inputs(tmp_path)

    def run(package, program, *words):
        command = [sys.executable, "-c", MISSING.format(package) + program, *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    return run


@pytest.mark.parametrize("need", NEEDS, ids=lambda need: need.package)
def test_the_library_names_the_extra(need, run_without):
    done = run_without(need.package, f"import ldslearn\n{need.program}")
    assert done.returncode == 1
    assert f"pip install 'ldslearn[{need.extra}]'" in done.stderr.splitlines()[-1]
    assert need.package in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("need", NEEDS, ids=lambda need: need.package)
def test_the_command_names_the_extra(need, run_without):
    done = run_without(need.package, "from ldslearn.cli import main\nmain()", *need.command)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"pip install 'ldslearn[{need.extra}]'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("package", ["pandas", "dask", "distributed", "h5py", "usearch"])
def test_nothing_else_needs_the_optional_packages(package, run_without):
    done = run_without(package, "from ldslearn.cli import main\nmain()", "inspect", "clips")
    assert done.returncode == 0, done.stderr
