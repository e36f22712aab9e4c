import subprocess

import pytest

from support.browser import FLAGS, find_browser


@pytest.fixture
def browse(tmp_path):
    """Return a function that opens a page in a headless browser and returns its output."""
    browser = find_browser()

    def run(text, *options):
        (tmp_path / "page.html").write_text(text, encoding="utf-8")
        return subprocess.run(
            [
                browser, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}",
                "--enable-logging=stderr", "--v=0",
                *options, f"file://{tmp_path / 'page.html'}",
            ],
            capture_output=True, text=True, timeout=240,
        )  # fmt: skip

    return run
