"""The Markdown pages of the documentation that are written by hand."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
_GENERATED = ("_build", "api", "gallery")  # folders of docs that Sphinx writes


def list_pages():
    """Return the paths of README and of all pages below docs."""
    docs = ROOT / "docs"
    pages = sorted(docs.rglob("*.md"))
    return [
        ROOT / "README.md",
        *(page for page in pages if page.relative_to(docs).parts[0] not in _GENERATED),
    ]


def name_page(page):
    """Return the path of a page in the repository, to tell tests of pages apart."""
    return page.relative_to(ROOT).as_posix()
