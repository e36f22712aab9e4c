"""Every command and code block of every page works as written, in order, from the wheel."""

import subprocess
from pathlib import Path

import pytest

from support.pages import read_steps, run_page

ROOT = Path(__file__).parents[2]
PAGES = [
    page for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if read_steps(page.read_text())
]  # fmt: skip


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page, environment, tmp_path, record_property):
    folder = tmp_path / "page"
    folder.mkdir()
    outcomes = run_page(page.read_text(), folder, environment)
    record_property(str(page.relative_to(ROOT)), "\n".join(map(str, outcomes)))
    failed = [outcome.step.title for outcome in outcomes if outcome.fault is not None]
    assert not failed


@pytest.mark.parametrize(
    "example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name
)
def test_example(example, environment, tmp_path):
    command = ["python", str(example)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout
