"""Links within the site lead to a page and a place on it; nothing is loaded from elsewhere."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from support.public_names import assign_pages

#: Attributes by which a browser loads something without being asked.
LOADED = {
    ("audio", "src"), ("embed", "src"), ("iframe", "src"), ("img", "src"), ("input", "src"),
    ("object", "data"), ("script", "src"), ("source", "src"), ("track", "src"), ("video", "poster"),
    ("video", "src"),
}  # fmt: skip
#: Lists of addresses, each with a width: ``small.png 1x, large.png 2x``.
LOADED_LISTS = {("img", "srcset"), ("source", "srcset"), ("link", "imagesrcset")}
LOADED_LINKS = {"stylesheet", "preload", "icon", "modulepreload", "preconnect", "dns-prefetch"}


class Page(HTMLParser):
    """The links, loaded files and anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.anchors = [], find_loaded_by_css(text), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[key] for key in ("id", "name") if values.get(key)}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag == "link" and LOADED_LINKS & set((values.get("rel") or "").split()):
            self.loaded.append(values["href"])
        self.loaded += [values[key] for name, key in LOADED if name == tag and values.get(key)]
        for name, key in LOADED_LISTS:
            if name == tag and values.get(key):
                self.loaded += [one.split()[0] for one in values[key].split(",")]


def find_loaded_by_css(text):
    """Return the addresses in ``url(...)`` and ``@import`` of a style sheet, other than data."""
    quoted = r"""["']?([^"')\s]+)"""
    found = re.findall(rf"\burl\(\s*{quoted}", text) + re.findall(rf"@import\s+{quoted}", text)
    return [address for address in found if not address.startswith(("data:", "url(", "#"))]


def is_foreign(address):
    return bool(urlsplit(address).netloc)


def read_page(path):
    return Page(path.read_text(encoding="utf-8"))


def read_site(site):
    return {
        path: read_page(path)
        for path in sorted(site.rglob("*.html"))
        if "_static" not in path.parts
    }


@pytest.mark.parametrize(
    "text",
    [
        '<img src="{}">',
        '<img srcset="a.png 1x, {} 2x">',
        '<video poster="{}"></video>',
        '<audio src="{}"></audio>',
        '<embed src="{}">',
        '<link rel="stylesheet" href="{}">',
        "<style>body {{ background: url({}) }}</style>",
        "<style>@import '{}';</style>",
        '<style>@import url("{}");</style>',
    ],
)
def test_what_a_page_loads_is_found(text):
    assert "https://example.org/x" in Page(text.format("https://example.org/x")).loaded
    assert is_foreign("//example.org/x")


def test_links_resolve(site):
    pages = read_site(site)
    assert len(pages) > 100
    broken = []
    for path, page in pages.items():
        for link in page.links + page.loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            anchor = unquote(parts.fragment)
            if not target.exists() or (
                anchor and target in pages and anchor not in pages[target].anchors
            ):
                broken.append(f"{path.relative_to(site)}: {link}")
    assert not broken


def test_nothing_is_loaded_from_another_host(site):
    foreign = [
        f"{path.relative_to(site)}: {address}"
        for path, page in read_site(site).items()
        for address in page.loaded
        if is_foreign(address)
    ]
    sheets = sorted(site.rglob("*.css"))
    assert len(sheets) > 3
    foreign += [
        f"{sheet.relative_to(site)}: {address}"
        for sheet in sheets
        for address in find_loaded_by_css(sheet.read_text(encoding="utf-8"))
        if is_foreign(address)
    ]
    assert not foreign


def test_every_public_name_has_a_page_with_an_example(site):
    missing = []
    for package, own, _ in assign_pages():
        for name in own:
            path = site / f"api/generated/{package.__name__}.{name}.html"
            text = path.read_text(encoding="utf-8") if path.exists() else ""
            if f'id="{package.__name__}.{name}"' not in text or (
                callable(getattr(package, name)) and "&gt;&gt;&gt;" not in text
            ):
                missing.append(f"{package.__name__}.{name}")
    assert not missing


@pytest.mark.parametrize(
    ("name", "methods"),
    [
        ("LDSKMeans", {"fit", "fit_predict", "fit_transform", "predict", "transform"}),
        ("LDSEncoder", {"fit", "fit_transform", "transform"}),
        ("LDSDictionary", {"fit", "fit_transform", "partial_fit", "transform"}),
    ],
)
def test_pages_of_estimators_show_inherited_methods(site, name, methods):
    anchors = read_page(site / f"api/generated/ldslearn.{name}.html").anchors
    assert {f"ldslearn.{name}.{method}" for method in methods} <= anchors


def test_the_gallery_has_a_picture_per_example(site):
    root = Path(__file__).parents[2] / "examples"
    for example in root.rglob("*.py"):
        page = site / "gallery" / example.relative_to(root).with_suffix(".html")
        picture = f"sphx_glr_{example.stem}_001"
        assert any(picture in source for source in read_page(page).loaded), example.name
