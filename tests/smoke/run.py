"""Run the smoke tests on every Python of this machine, with newest and with lowest dependencies.

Each run has an environment of its own into which the built wheel is installed. The lowest are the
versions that pyproject.toml asks for at least on that Python. Arguments: versions of Python, all
when none is given.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
AT_ONCE = 2  # environments: installing waits for the disk, and compiling takes one core
SECONDS = 1800  # after which a step of an environment hangs, on a busy machine, too
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "av", "typer", "dask")
_SHOW = "from importlib.metadata import version; import sys; print(*map(version, sys.argv[1:]))"


@dataclass(frozen=True)
class Outcome:
    """What became of one Python with one choice of dependencies."""

    python: str
    dependencies: str
    result: str
    detail: str = ""
    output: str = ""


def main(wanted: list[str]) -> int:
    pythons = {version: find_python(version) for version in wanted or VERSIONS}
    found = {version: path for version, path in pythons.items() if path is not None}
    missing = [version for version in pythons if version not in found]
    with tempfile.TemporaryDirectory(prefix="ldslearn-versions-") as name:
        folder = Path(name)
        call([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", name, str(ROOT)])
        (wheel,) = folder.glob("ldslearn-*.whl")
        runs = [
            (version, path, kind)
            for kind in ("newest", "lowest")
            for version, path in found.items()
        ]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            outcomes = list(pool.map(lambda run: try_one(folder, wheel, *run), runs))
    for outcome in outcomes:
        if outcome.result == "FAILED":
            print(f"\n== Python {outcome.python}, {outcome.dependencies}\n{outcome.output[-6000:]}")
    print(format_table(outcomes))
    for version in missing:
        print(f"Python {version} was not found: not tried.")
    return int(any(outcome.result == "FAILED" for outcome in outcomes))


def find_python(version: str) -> str | None:
    """A Python of this version that runs: on the path, or of pyenv."""
    own = f"{sys.version_info[0]}.{sys.version_info[1]}" == version
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [
        sys.executable if own else None,
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


def lowest_versions(python: str) -> list[str]:
    """Return ``name==version`` for each dependency: the least that is asked for on a Python."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    lowest: dict[str, Version] = {}
    for text in (*project["dependencies"], *extras["dask"], *extras["hdf5"]):
        asked = Requirement(text)
        if asked.marker is None or asked.marker.evaluate({"python_version": python}):
            (bound,) = asked.specifier
            if bound.operator != ">=":
                raise SystemExit(f"pyproject.toml must ask for name>=version; got {text!r}.")
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
        call([*install, *constraints, f"{wheel}[dask,hdf5]", "pytest>=8"])
    except subprocess.CalledProcessError as error:
        return Outcome(version, kind, "FAILED", "to install", error.output)
    numbers = call([python, "-c", _SHOW, *PACKAGES]).split()
    detail = ", ".join(map(" ".join, zip(PACKAGES, numbers, strict=True)))
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
        for o in sorted(
            outcomes, key=lambda o: (o.dependencies == "lowest", VERSIONS.index(o.python))
        )
    ]
    return "\n" + "\n".join(f"{a:<7} {b:<13} {c:<13} {d}".rstrip() for a, b, c, d in rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
