"""Run the smoke tests on every Python of this machine, with newest and with lowest dependencies.

Each run has an environment of its own into which the built wheel is installed. The lowest are the
versions that pyproject.toml asks for at least on that Python.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.version import Version

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KINDS = ("newest", "lowest")
THIS = f"{sys.version_info[0]}.{sys.version_info[1]}"
AT_ONCE = 2  # environments: installing waits for the disk, and compiling takes one core
SECONDS = 3600  # after which a step of an environment hangs, on a busy machine, too
_SHOW = "from importlib.metadata import version; import sys; print(*map(version, sys.argv[1:]))"


@dataclass(frozen=True)
class Outcome:
    """What became of one Python with one choice of dependencies."""

    python: str
    dependencies: str
    result: str
    detail: str = ""
    output: str = ""


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", nargs="*", help="3.11 and so on, or this; all supported ones")
    parser.add_argument("--dependencies", choices=KINDS, help="one choice; both when not given")
    options = parser.parse_args(words)
    wanted = [THIS if version == "this" else version for version in options.python]
    kinds = KINDS if options.dependencies is None else (options.dependencies,)
    pythons = {version: find_python(version) for version in wanted or list_pythons()}
    found = {version: path for version, path in pythons.items() if path is not None}
    missing = [version for version in pythons if version not in found]
    with tempfile.TemporaryDirectory(prefix="ldslearn-versions-") as name:
        folder = Path(name)
        call([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", name, str(ROOT)])
        (wheel,) = folder.glob("ldslearn-*.whl")
        runs = [(version, path, kind) for kind in kinds for version, path in found.items()]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            outcomes = list(pool.map(lambda run: try_one(folder, wheel, *run), runs))
    for outcome in outcomes:
        if outcome.result == "FAILED":
            print(f"\n== Python {outcome.python}, {outcome.dependencies}\n{outcome.output[-6000:]}")
    print(format_table(outcomes))
    for version in missing:
        print(f"Python {version} was not found: not tried.")
    if not outcomes:
        print("No Python was tried.")
    return int(not all(outcome.result == "passed" for outcome in outcomes) or not outcomes)


def read_project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def list_pythons() -> list[str]:
    """Return the supported versions of Python, by the classifiers of the package."""
    return re.findall(r"Python :: (3\.\d+)", "\n".join(read_project()["classifiers"]))


def find_python(version: str) -> str | None:
    """A Python of this version that runs: on the path, or of pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [
        sys.executable if version == THIS else None,
        shutil.which(f"python{version}"),
        *map(str, sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True)),
    ]
    for path in filter(None, candidates):
        try:
            said = call([path, "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"])
        except (OSError, subprocess.SubprocessError):  # a shim of pyenv without a Python behind it
            continue
        if said.strip() == version:
            return path
    return None


def list_requirements() -> list[Requirement]:
    """Return what the package and its extra ``all`` ask for, once for each Python."""
    project = read_project()
    extras = project["optional-dependencies"]
    (everything,) = map(Requirement, extras["all"])
    texts = [
        *project["dependencies"],
        *(text for name in everything.extras for text in extras[name]),
    ]
    return [Requirement(text) for text in texts]


def lowest_versions(python: str) -> list[str]:
    """Return ``name==version`` for each dependency: the least that is asked for on a Python."""
    lowest: dict[str, Version] = {}
    for asked in list_requirements():
        if asked.marker is None or asked.marker.evaluate({"python_version": python}):
            (bound,) = asked.specifier
            if bound.operator != ">=":
                raise SystemExit(f"pyproject.toml must ask for name>=version; got {asked}.")
            lowest[asked.name] = max(Version(bound.version), lowest.get(asked.name, Version("0")))
    return [f"{name}=={version}" for name, version in lowest.items()]


def try_one(folder: Path, wheel: Path, version: str, path: str, kind: str) -> Outcome:
    """Install the wheel and run the smoke tests; the environment is removed at the end."""
    start, home = time.monotonic(), folder / f"{version}-{kind}"
    try:
        outcome = install_and_test(home, wheel, version, path, kind)
    except subprocess.TimeoutExpired as error:
        outcome = Outcome(version, kind, "FAILED", f"no end after {error.timeout:.0f} s")
    finally:
        shutil.rmtree(home, ignore_errors=True)
    seconds = time.monotonic() - start
    print(f"Python {version}, {kind}: {outcome.result} after {seconds:.0f} s", flush=True)
    return outcome


def install_and_test(home: Path, wheel: Path, version: str, path: str, kind: str) -> Outcome:
    python = str(home / "env/bin/python")
    install = [python, "-m", "pip", "install", "-q", "--only-binary=:all:", "--no-compile"]
    call([path, "-m", "venv", str(home / "env")])
    constraints = []
    if kind == "lowest":
        (home / "lowest.txt").write_text("\n".join(lowest_versions(version)) + "\n")
        constraints = ["-c", str(home / "lowest.txt")]
    try:
        call([*install, *constraints, f"{wheel}[all]", "pytest>=8"])
    except subprocess.CalledProcessError as error:
        return Outcome(version, kind, "FAILED", "to install", error.output)
    packages = list(dict.fromkeys(asked.name for asked in list_requirements()))
    numbers = call([python, "-c", _SHOW, *packages]).split()
    detail = ", ".join(map(" ".join, zip(packages, numbers, strict=True)))
    tests = ["-m", "pytest", "-q", "-W", "error", "-c", os.devnull, "-p", "no:cacheprovider"]
    tests += [f"--rootdir={HERE}", f"--confcutdir={HERE}", f"--basetemp={home / 'tests'}"]
    if kind == "lowest":  # what old packages find deprecated in new ones is not for us to mend
        tests += ["-W", "ignore::DeprecationWarning"]
    try:
        call([python, *tests, str(HERE)], cwd=home)
    except subprocess.CalledProcessError as error:
        return Outcome(version, kind, "FAILED", detail, error.output)
    return Outcome(version, kind, "passed", detail)


def call(command: list[str], cwd: Path | None = None) -> str:
    """Run a command without what the environment may say about packages; return its output."""
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LDSLEARN_DATA")}
    return subprocess.run(
        command,
        check=True,
        cwd=cwd,
        env=kept,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
    ).stdout


def format_table(outcomes: list[Outcome]) -> str:
    rows = [("Python", "dependencies", "result", "")] + [
        (o.python, o.dependencies, o.result, o.detail)
        for o in sorted(outcomes, key=lambda o: (KINDS.index(o.dependencies), Version(o.python)))
    ]
    return "\n" + "\n".join(f"{a:<7} {b:<13} {c:<13} {d}".rstrip() for a, b, c, d in rows)


if __name__ == "__main__":
    sys.exit(main())
