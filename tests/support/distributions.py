"""What the sdist and the wheel of the package must hold."""

import hashlib
import re
import tarfile
import zipfile
from collections.abc import Mapping, Set
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[2]
LARGEST = {".whl": 2**20 * 3 // 2, ".gz": 2**20 * 6}  # bytes
CODE = ("*.py", "*.pyi", "ldslearn/py.typed")
DATA = (  # all that the wheel holds beside code
    "ldslearn/datasets/data/LICENSE-aeon",
    "ldslearn/datasets/data/README.md",
    "ldslearn/datasets/data/basic_motions.npz",
    "ldslearn/datasets/data/japanese_vowels.npz",
    "ldslearn/paper/configs/*.toml",
)
METADATA = {
    "METADATA",
    "RECORD",
    "WHEEL",
    "entry_points.txt",
    "licenses/LICENSE",
    "licenses/src/ldslearn/datasets/data/LICENSE-aeon",
}
IN_SDIST = (  # beside the package
    "*.md",
    "CITATION.cff",
    "LICENSE",
    "Makefile",
    "hatch_build.py",
    "pyproject.toml",
    ".github/**/*.*",
    "conda/*.yaml",
    "docs/*.md",
    "examples/*.py",
    "tests/**/*.py",
)


def read_contents(path: Path) -> dict[str, str]:
    """Return the hash of each file in an archive by its name; an sdist's top folder is left out."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            files = {name: wheel.read(name) for name in wheel.namelist()}
    else:
        with tarfile.open(path) as sdist:
            members = [member for member in sdist.getmembers() if member.isfile()]
            files = {m.name.partition("/")[2]: sdist.extractfile(m).read() for m in members}
    return {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


def find_size_faults(path: Path) -> list[str]:
    size, largest = path.stat().st_size, LARGEST[path.suffix]
    return [f"has {size} bytes, more than {largest}"] if size > largest else []


def find_wheel_faults(contents: Mapping[str, str], package: Path) -> list[str]:
    """Return what is wrong with the contents of a wheel, given the folder of the package."""
    source = {
        path.relative_to(package.parent).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    about = {name: name.partition(".dist-info/")[2] for name in contents if ".dist-info/" in name}
    held = {name: digest for name, digest in contents.items() if name not in about}
    return [
        *(f"lacks {name}" for name in sorted(source.keys() - held.keys())),
        *(f"holds {name}, not of the package" for name in sorted(held.keys() - source.keys())),
        *(
            f"holds another {name} than the source"
            for name in sorted(source.keys() & held.keys())
            if source[name] != held[name]
        ),
        *(
            f"holds {name}, neither code nor listed data"
            for name in sorted(held)
            if not any(fnmatch(name, pattern) for pattern in CODE + DATA)
        ),
        *(f"lacks .dist-info/{name}" for name in sorted(METADATA - set(about.values()))),
        *(f"holds .dist-info/{name}" for name in sorted(set(about.values()) - METADATA)),
        *([] if "ldslearn/py.typed" in held else ["lacks ldslearn/py.typed"]),
    ]


def find_sdist_faults(
    contents: Mapping[str, str], root: Path, tracked: Set[str] | None
) -> list[str]:
    """Return what is wrong with the contents of an sdist.

    Parameters
    ----------
    contents : mapping
        Hashes by name.
    root : Path
        Folder of the project.
    tracked : set of str or None
        Files under version control; None where there is none.
    """
    needed = {
        path.relative_to(root).as_posix()
        for pattern in (*IN_SDIST, "src/ldslearn/**/*.py")
        for path in root.glob(pattern)
        if path.is_file() and "_build" not in path.parts
    }
    if tracked is not None:
        needed &= tracked
    unknown = set() if tracked is None else contents.keys() - tracked - {"PKG-INFO"}
    return [
        *(f"lacks {name}" for name in sorted(needed - contents.keys())),
        *(f"holds {name}, not under version control" for name in sorted(unknown)),
    ]


def find_relative_links(wheel: Path) -> list[str]:
    """Return the links in the description of a wheel that lead nowhere on PyPI."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        text = archive.read(name).decode("utf-8").partition("\n\n")[2]
    if "](" not in text:
        return ["lacks a description with links"]
    targets = re.findall(r"\]\(([^)]*)\)", text)
    return [f"links to {target}" for target in targets if not target.startswith(("https://", "#"))]


def find_differences(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """Return the files in which two wheels differ."""
    return [
        f"differs in {name}"
        for name in sorted(one.keys() | other.keys())
        if one.get(name) != other.get(name)
    ]
