"""Every command and code block of every page works as written, in order, from the wheel."""

import subprocess

import pytest

from support.documents import ROOT, list_pages, name_page
from support.pages import read_steps, run_page

PAGES = [page for page in list_pages() if read_steps(page.read_text())]


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_page(page, environment, tmp_path, record_property):
    folder = tmp_path / "page"
    folder.mkdir()
    outcomes = run_page(page.read_text(), folder, environment)
    record_property(name_page(page), "\n".join(map(str, outcomes)))
    failed = [outcome.step.title for outcome in outcomes if outcome.fault is not None]
    assert not failed


@pytest.mark.parametrize(
    "example", sorted((ROOT / "examples").rglob("*.py")), ids=lambda path: path.name
)
def test_example(example, environment, tmp_path):
    command = ["python", "-W", "error", str(example)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout
