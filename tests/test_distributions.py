"""Faults of an sdist or a wheel are found."""

import hashlib
import importlib.util
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from support.distributions import (
    METADATA,
    find_differences,
    find_relative_links,
    find_sdist_faults,
    find_size_faults,
    find_wheel_faults,
    read_contents,
)

ROOT = Path(__file__).parents[1]


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "src" / "ldslearn"
    (folder / "__pycache__").mkdir(parents=True)
    for name in ("__init__.py", "py.typed", "__pycache__/__init__.cpython-311.pyc"):
        (folder / name).write_text("")
    return folder


def contents_of(package):
    empty = hashlib.sha256(b"").hexdigest()
    about = {f"ldslearn-1.dist-info/{name}": empty for name in METADATA}
    return {"ldslearn/__init__.py": empty, "ldslearn/py.typed": empty, **about}


def test_a_wheel_of_the_package_alone_passes(package):
    assert find_wheel_faults(contents_of(package), package) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda c: c.pop("ldslearn/__init__.py"), "lacks ldslearn/__init__.py"),
        (lambda c: c.pop("ldslearn/py.typed"), "lacks ldslearn/py.typed"),
        (lambda c: c.update({"ldslearn/__init__.py": "0"}), "holds another ldslearn/__init__.py"),
        (lambda c: c.update({"tests/test_a.py": "0"}), "holds tests/test_a.py, not of the package"),
        (lambda c: c.pop("ldslearn-1.dist-info/licenses/LICENSE"), "lacks .dist-info/licenses/LIC"),
        (lambda c: c.update({"ldslearn-1.dist-info/x": "0"}), "holds .dist-info/x"),
    ],
)
def test_faults_of_a_wheel_are_found(package, change, fault):
    contents = contents_of(package)
    change(contents)
    assert any(found.startswith(fault) for found in find_wheel_faults(contents, package))


def test_data_must_be_listed(package):
    (package / "clip.npz").write_text("")
    contents = contents_of(package) | {"ldslearn/clip.npz": hashlib.sha256(b"").hexdigest()}
    expected = ["holds ldslearn/clip.npz, neither code nor listed data"]
    assert find_wheel_faults(contents, package) == expected


def test_faults_of_an_sdist_are_found(tmp_path, package):
    (tmp_path / "CITATION.cff").write_text("")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text("")
    files = {"CITATION.cff", "docs/page.md", "src/ldslearn/__init__.py"}
    whole = dict.fromkeys([*files, "PKG-INFO"], "0")
    assert find_sdist_faults(whole, tmp_path, files) == []
    less = {name: "0" for name in whole if name != "CITATION.cff"}
    assert find_sdist_faults(less, tmp_path, None) == ["lacks CITATION.cff"]
    more = whole | {"notes.txt": "0"}
    expected = ["holds notes.txt, not under version control"]
    assert find_sdist_faults(more, tmp_path, files) == expected


def test_archives_are_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as wheel:
        wheel.writestr("ldslearn/a.py", "text")
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as sdist:
        member = tarfile.TarInfo("ldslearn-1/ldslearn/a.py")
        member.size = 4
        sdist.addfile(member, io.BytesIO(b"text"))
    digest = hashlib.sha256(b"text").hexdigest()
    for name in ("a.whl", "a.tar.gz"):
        assert read_contents(tmp_path / name) == {"ldslearn/a.py": digest}


def test_large_files_and_differences_are_found(tmp_path):
    path = tmp_path / "a.whl"
    path.write_bytes(b"0")
    assert find_size_faults(path) == []
    path.write_bytes(bytes(2**21))
    assert find_size_faults(path)[0].startswith("has 2097152 bytes, more than")
    assert find_differences({"a": "0", "b": "1"}, {"a": "0", "b": "2", "c": "3"}) == [
        "differs in b",
        "differs in c",
    ]


def test_links_of_readme_are_absolute_on_pypi(tmp_path):
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = "![a\nb](docs/a.png) [c](docs/c.md#d) [e](#e) [f](https://g.org/h)"
    changed = module.link_absolutely(text, "https://host/name")
    assert changed == (
        "![a\nb](https://host/name/raw/main/docs/a.png) "
        "[c](https://host/name/blob/main/docs/c.md#d) [e](#e) [f](https://g.org/h)"
    )
    for description, expected in {text: ["docs/a.png", "docs/c.md#d"], changed: []}.items():
        with zipfile.ZipFile(tmp_path / "a.whl", "w") as wheel:
            wheel.writestr("ldslearn-1.dist-info/METADATA", f"Name: ldslearn\n\n{description}")
        assert find_relative_links(tmp_path / "a.whl") == [f"links to {x}" for x in expected]
