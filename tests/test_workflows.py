"""Workflows and templates of GitHub name what exists."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PYTHONS = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
ADDRESS = PROJECT["urls"]["Source"]


def read(path):
    return yaml.safe_load(path.read_text("utf-8"))


def jobs_of(path):
    return read(path)["jobs"]


def steps_of(path):
    return [step for job in jobs_of(path).values() for step in job["steps"]]


def test_the_workflows_are_those_that_are_expected():
    assert [path.stem for path in WORKFLOWS] == ["dist", "docs", "tests"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_commands_exist(path):
    named = re.findall(r"\bmake ([a-z-]+)", "\n".join(s.get("run", "") for s in steps_of(path)))
    assert named
    assert set(named) <= TARGETS


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_jobs_have_few_rights_and_end(path):
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert "github.ref" in workflow["concurrency"]["group"]
    for name, job in workflow["jobs"].items():
        assert job["timeout-minutes"] <= 60, name
        rights = {right for right, kind in job.get("permissions", {}).items() if kind == "write"}
        allowed = {"publish": {"id-token"}, "deploy": {"id-token", "pages"}}.get(name, set())
        assert rights == allowed, name
        assert bool(rights) == ("environment" in job), name


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_and_packages_cached(path):
    for step in steps_of(path):
        if "uses" in step:
            assert re.search(r"@(release/)?v\d+$", step["uses"]), step["uses"]
            if step["uses"].startswith("actions/setup-python"):
                assert step["with"]["cache"] == "pip"
                assert step["with"]["cache-dependency-path"] == "pyproject.toml"


def test_tests_run_on_every_supported_python():
    jobs = jobs_of(ROOT / ".github" / "workflows" / "tests.yml")
    assert jobs["test"]["strategy"]["matrix"]["python"] == PYTHONS
    versions = [step["with"] for step in jobs["versions"]["steps"] if "with" in step]
    assert versions[0]["python-version"].split() == PYTHONS
    newest = [step["with"] for step in jobs["macos"]["steps"] if "with" in step]
    assert newest[0]["python-version"] == PYTHONS[-1]
    assert jobs["macos"]["runs-on"].startswith("macos")


def test_every_named_python_is_supported():
    for path in WORKFLOWS:
        for step in steps_of(path):
            version = str(step.get("with", {}).get("python-version", ""))
            if "matrix" not in version:
                assert set(version.split()) <= set(PYTHONS)


def test_only_tags_are_published():
    workflow = read(ROOT / ".github" / "workflows" / "dist.yml")
    assert workflow[True]["push"]["tags"] == ["v*"]  # YAML reads "on" as true
    publish = workflow["jobs"]["publish"]
    assert publish["if"] == "github.ref_type == 'tag'"
    assert (publish["needs"], publish["environment"]["name"]) == ("build", "pypi")


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_forms_have_what_github_asks_for(path):
    form = read(path)
    assert {"name", "description", "body"} <= form.keys()
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    names = [field["id"] for field in fields]
    assert len(set(names)) == len(names)
    for field in fields:
        assert field["type"] in {"textarea", "input", "dropdown", "checkboxes"}
        assert field["attributes"]["label"]
    assert any(field.get("validations", {}).get("required") for field in fields)


def test_links_of_the_templates_lead_to_the_project():
    config = read(ROOT / ".github" / "ISSUE_TEMPLATE" / "config.yml")
    assert config["blank_issues_enabled"] is False
    addresses = [link["url"] for link in config["contact_links"]]
    assert all(
        address.startswith((ADDRESS, PROJECT["urls"]["Documentation"])) for address in addresses
    )
    request = (ROOT / ".github" / "PULL_REQUEST_TEMPLATE.md").read_text("utf-8")
    assert set(re.findall(r"make ([a-z-]+)", request)) <= TARGETS
