"""What the documents say happens, happens."""

import doctest
import importlib
import re
import tomllib

import pytest

from support.documents import ROOT, list_pages, name_page

MODULES = [
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
    for path in sorted((ROOT / "src").rglob("*.py"))
    if ">>>" in path.read_text()
]
PAGES = list_pages()
INCLUDED = ["benchmarks"]  # pages that include a text from elsewhere
GUIDE = [
    name
    for index in ("guide", "evidence")
    for toctree in re.findall(
        r"^:::\{toctree\}$(.*?)^:::$",
        (ROOT / "docs" / f"{index}.md").read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    for name in re.findall(r"^[a-z-]+$", toctree, re.MULTILINE)
    if name not in INCLUDED
]
PAPER = "to Coding and Learning*, Sec."


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_every_block_says_what_it_is(page):
    """Commands and code are run by tests/acceptance, which knows them by their language."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    assert {language for language, _ in blocks} <= {"console", "csv", "python", "text", "toml"}
    command = re.compile(r"^(\$|ldslearn|pip|make|import|from) ", re.MULTILINE)
    not_run = [text for language, text in blocks if language in ("text", "csv")]
    assert not [text for text in not_run if command.search(text)]


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), f"{name_page(page)} links to {target}"


def test_every_part_of_the_library_has_a_page():
    table = (ROOT / "README.md").read_text("utf-8").split("| where | what | page |")[1]
    rows = [line.split("|") for line in table.split("\n\n")[0].splitlines()[2:]]
    assert len(rows) >= 20
    assert not [row[1].strip() for row in rows if "](" not in row[3]]


def test_no_page_has_the_name_of_one_that_sphinx_writes():
    names = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert names.isdisjoint({"search.md", "genindex.md"})


def test_the_guide_has_pages():
    assert len(GUIDE) >= 19


@pytest.mark.parametrize("name", GUIDE)
def test_pages_of_the_guide_open_with_their_purpose_and_a_picture(name):
    title, purpose, picture = (ROOT / "docs" / f"{name}.md").read_text("utf-8").split("\n\n")[:3]
    assert re.fullmatch(r"# .+", title)
    assert re.match(r"(This page|`\w+`) is for ", purpose)
    assert re.fullmatch(r"!\[[^\]]+\]\([\w/.-]+\)", picture)


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_extras_that_pages_name_exist(page):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = re.findall(r"(?:ldslearn|\s['\"]?\.)\[([\w,-]+)\]", page.read_text("utf-8"))
    extras = {extra for text in named for extra in text.split(",")}
    assert extras <= set(project["optional-dependencies"])


def test_references_to_the_paper_have_its_doi():
    lines = [
        (path.name, line)
        for path in sorted((ROOT / "src").rglob("*.py"))
        for line in path.read_text("utf-8").splitlines()
        if PAPER in line
    ]
    assert len(lines) >= 40
    assert not [found for found in lines if "doi:10.48550/arXiv.1608.01059" not in found[1]]


def test_errata_name_tests_that_exist():
    tests = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    named = re.findall(r"`(test_\w+)`", (ROOT / "docs" / "errata.md").read_text())
    assert len(named) >= 6
    for name in named:
        assert f"def {name}(" in tests, f"errata.md names {name}"


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings(module):
    failed, _ = doctest.testmod(importlib.import_module(module))
    assert failed == 0


def test_supported_versions_are_those_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *extras["dask"], *extras["hdf5"], *extras["search"]]
    lowest = dict(text.split(">=") for text in asked if ";" not in text)  # on any Python
    section = (ROOT / "README.md").read_text().split("## Supported versions")[1].split("\n## ")[0]
    stated = dict(re.findall(r"^\| `([\w-]+)` \| ([\d.]+) \|", section, re.MULTILINE))
    assert stated == lowest
    pythons = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert f"Python {', '.join(pythons[:-1])} and {pythons[-1]}" in section
