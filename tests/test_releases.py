"""Version, dependencies and addresses are the same wherever they are written."""

import re
import tomllib
from datetime import date
from pathlib import Path

import pytest
import yaml

import ldslearn

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CHANGES = (ROOT / "CHANGELOG.md").read_text("utf-8")
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
RECIPE = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text("utf-8"))
CONDA = {"matplotlib": "matplotlib-base", "dask": "dask-core"}  # names of conda-forge
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def bounds_of(requirements):
    """Return what is asked for on any Python, as conda writes it."""
    plain = [text.split(">=") for text in requirements if ";" not in text]
    return {f"{CONDA.get(name, name)} >={version}" for name, version in plain}


def test_the_version_is_written_once_and_agrees():
    assert "version" in PROJECT["dynamic"]
    assert CITATION["version"] == ldslearn.__version__
    assert RECIPE["context"]["version"] == ldslearn.__version__
    cited = re.findall(r"version = \{(.*)\}", (ROOT / "docs" / "cite.md").read_text("utf-8"))
    assert cited == [ldslearn.__version__]
    released = re.findall(r"^## \[(\d[^\]]*)\]", CHANGES, re.MULTILINE)
    prepared = re.findall(r"release is in preparation: ([\d.]+\d)\.", CHANGES)
    assert ldslearn.__version__ in released + prepared


def test_the_changelog_has_the_form_of_keep_a_changelog():
    titles = re.findall(r"^(#+) (.*)$", CHANGES, re.MULTILINE)
    assert titles[0] == ("#", "Changelog")
    assert titles[1] == ("##", "[Unreleased]")
    versions = [title for level, title in titles if level == "##"]
    numbers = []
    for title in versions[1:]:
        found = re.fullmatch(r"\[(\d+)\.(\d+)\.(\d+)\] - (\S+)", title)
        assert found, f"a release must be titled [1.2.3] - 2026-01-31; got {title}"
        numbers.append(tuple(map(int, found.groups()[:3])))
        date.fromisoformat(found[4])
    assert numbers == sorted(set(numbers), reverse=True)
    assert {title for level, title in titles if level == "###"} <= KINDS
    assert not [title for level, title in titles if len(level) > 3]
    links = dict(re.findall(r"^\[([^\]]+)\]: (\S+)$", CHANGES, re.MULTILINE))
    assert [re.match(r"\[(.*?)\]", title)[1] for title in versions] == list(links)
    assert all(link.startswith(f"{PROJECT['urls']['Source']}/") for link in links.values())


def test_the_citation_names_the_software_and_the_paper():
    paper = CITATION["preferred-citation"]
    assert (CITATION["type"], paper["type"]) == ("software", "article")
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["repository-code"] == PROJECT["urls"]["Source"]
    assert CITATION["url"] == PROJECT["urls"]["Documentation"]
    assert [author["family-names"] for author in paper["authors"]] == [
        "Huang",
        "Sun",
        "Cao",
        "Harandi",
    ]
    assert paper["title"] in " ".join((ROOT / "README.md").read_text("utf-8").split())


def test_the_conda_recipe_asks_for_what_the_package_asks_for():
    extras, wanted = PROJECT["optional-dependencies"], RECIPE["requirements"]
    python = f"python {PROJECT['requires-python'].replace('3.11', '${{ python_min }}')}"
    assert set(wanted["run"]) == bounds_of(PROJECT["dependencies"]) | {python}
    optional = (bounds_of(extras[name]) for name in ("dask", "hdf5", "search"))
    assert set(wanted["run_constraints"]) == set().union(*optional)
    assert PROJECT["requires-python"] == f">={RECIPE['context']['python_min']}"
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]
    assert bounds_of(build["requires"]) <= set(wanted["host"])


def test_the_conda_recipe_describes_the_package():
    about, (command,) = RECIPE["about"], PROJECT["scripts"].items()
    assert RECIPE["build"]["python"]["entry_points"] == [" = ".join(command)]
    assert about["license"] == PROJECT["license"]
    assert about["license_file"] == PROJECT["license-files"]
    assert about["summary"] == PROJECT["description"]
    assert about["homepage"] == PROJECT["urls"]["Homepage"]
    assert about["repository"] == PROJECT["urls"]["Source"]
    assert about["documentation"] == PROJECT["urls"]["Documentation"]
    imports, scripts = RECIPE["tests"][0]["python"]["imports"], RECIPE["tests"][1]["script"]
    for name in imports:
        assert (ROOT / "src" / name.replace(".", "/") / "__init__.py").exists(), name
    assert "ldslearn --help" in scripts


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md"])
def test_links_of_project_pages_lead_somewhere(name):
    for target in re.findall(r"\]\((?!http)([^)#]+)", (ROOT / name).read_text("utf-8")):
        assert (ROOT / target).exists(), f"{name} links to {target}"
