"""Build the sdist and the wheel, check them, and keep them in ``dist`` if nothing is wrong.

The wheel is installed into an environment of its own, without extras, and used there.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from smoke.run import ROOT, call
from support.distributions import (
    find_differences,
    find_relative_links,
    find_sdist_faults,
    find_size_faults,
    find_wheel_faults,
    read_contents,
)
from support.extras import NEEDS, write_inputs


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="ldslearn-dist-") as name:
        folder = Path(name)
        build = [sys.executable, "-m", "build", "--outdir", name]
        call([*build, "--sdist", "--wheel", str(ROOT)])
        (sdist,), (wheel,) = folder.glob("ldslearn-*.tar.gz"), folder.glob("ldslearn-*.whl")
        checks: dict[str, Callable[[], list[str]]] = {
            "twine check --strict": lambda: check_metadata(sdist, wheel),
            "contents of the sdist": lambda: check_sdist(sdist),
            "contents of the wheel": lambda: check_wheel(wheel),
            "wheel built from the sdist": lambda: check_rebuilt(sdist, wheel, folder),
            "wheel in a new environment": lambda: use_wheel(wheel, folder),
        }
        faults = {title: run_check(title, check) for title, check in checks.items()}
        print(f"\n{'file':<36} {'bytes':>9} {'files':>6}  sha256")
        for path in (sdist, wheel):
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            size, count = path.stat().st_size, len(read_contents(path))
            print(f"{path.name:<36} {size:>9} {count:>6}  {digest}")
        print(f"\n{'check':<36} result")
        for title, found in faults.items():
            print(f"{title:<36} {'; '.join(found) if found else 'passed'}")
        if any(faults.values()):
            return 1
        keep(sdist, wheel)
        return 0


def run_check(title: str, check: Callable[[], list[str]]) -> list[str]:
    """Return the faults that a check finds; a command that fails is one."""
    try:
        found = check()
    except subprocess.SubprocessError as error:
        print(f"\n== {title}\n{error}\n{(error.stdout or '')[-6000:]}")
        found = ["FAILED: a command failed, see above"]
    return found if not found or found[0].startswith("FAILED") else ["FAILED", *found]


def check_metadata(*paths: Path) -> list[str]:
    call([sys.executable, "-m", "twine", "check", "--strict", *map(str, paths)])
    return []


def check_sdist(sdist: Path) -> list[str]:
    tracked = None
    if (ROOT / ".git").exists():
        tracked = set(call(["git", "ls-files", "-z"], cwd=ROOT).split("\0"))
    return find_size_faults(sdist) + find_sdist_faults(read_contents(sdist), ROOT, tracked)


def check_wheel(wheel: Path) -> list[str]:
    found = find_wheel_faults(read_contents(wheel), ROOT / "src" / "ldslearn")
    return find_size_faults(wheel) + found + find_relative_links(wheel)


def check_rebuilt(sdist: Path, wheel: Path, folder: Path) -> list[str]:
    out = folder / "rebuilt"
    call([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(out), str(sdist)])
    (rebuilt,) = out.glob("*.whl")
    return find_differences(read_contents(wheel), read_contents(rebuilt))


def use_wheel(wheel: Path, folder: Path) -> list[str]:
    """Install the wheel without extras; run commands, and those that need an extra."""
    here, scripts = folder / "here", folder / "env" / "bin"
    here.mkdir()
    call([sys.executable, "-m", "venv", str(folder / "env")])
    pip = [str(scripts / "python"), "-m", "pip"]
    call([*pip, "install", "-q", str(wheel)])
    call([*pip, "check"])
    command = str(scripts / "ldslearn")
    version = wheel.name.split("-")[1]
    faults = []
    if version not in (said := call([command, "--version"], cwd=here)):
        faults.append(f"ldslearn --version must name {version}; got {said!r}")
    call([command, "demo", "demo"], cwd=here)
    if not (here / "demo" / "report.html").is_file():
        faults.append("ldslearn demo wrote no report.html")
    write_inputs(here)
    for need in NEEDS:
        done = subprocess.run(
            [command, *need.command], cwd=here, capture_output=True, text=True, check=False
        )
        if done.returncode != 1 or f"pip install 'ldslearn[{need.extra}]'" not in done.stderr:
            faults.append(f"without {need.package} ldslearn said {done.stderr!r}")
    planned = call([*pip, "install", "--dry-run", "--only-binary=:all:", f"{wheel}[all]"])
    missing = [need.package for need in NEEDS if f" {need.package}-" not in planned]
    return faults + [f"ldslearn[all] does not install {package}" for package in missing]


def keep(*paths: Path) -> None:
    """Replace the files of ``dist`` by these."""
    dist = ROOT / "dist"
    dist.mkdir(exist_ok=True)
    for old in dist.glob("ldslearn-*"):
        old.unlink()
    for path in paths:
        shutil.copy(path, dist)
    print(f"\nBoth files are in {dist.name}/.")


if __name__ == "__main__":
    sys.exit(main())
