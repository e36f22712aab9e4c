"""The site in a real browser: search, dark theme, phones, mathematics, and no foreign request."""

from urllib.parse import urlsplit

import pytest

from support.browser import open_session

PAGES = [
    "index", "guide", "mathematics", "tutorials/videos", "gallery/index",
    "gallery/systems/encode_and_forecast", "api/generated/ldslearn.LDSEncoder",
]  # fmt: skip
WIDE, PHONE = 1200, 390


def overflow(session):
    """How many pixels the page is wider than the window."""
    return session.run(
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    with open_session(tmp_path_factory.mktemp("browser"), WIDE) as session:
        yield session


@pytest.fixture(scope="module")
def phone(tmp_path_factory):
    with open_session(tmp_path_factory.mktemp("phone"), PHONE) as session:
        yield session


@pytest.mark.parametrize("page", PAGES)
def test_no_request_leaves_the_site(session, address, page):
    session.open(f"{address}/{page}.html")
    own = (f"{address}/", "data:")
    assert [name for name in session.requests() if not name.startswith(own)] == []


def test_mathematics_is_typeset(session, address):
    session.open(f"{address}/mathematics.html")
    assert session.wait("return document.querySelectorAll('mjx-container').length") > 20
    assert session.run("return document.querySelectorAll('mjx-merror').length") == 0


def test_search_finds_a_name(session, address):
    session.open(f"{address}/index.html")
    session.click(".search-button__button, .search-button-field")
    session.type("input[type=search]", "martin_kernel\ue007")  # Enter
    found = session.wait(
        "return [...document.querySelectorAll('#search-results a')].map(a => a.href)"
    )
    paths = [urlsplit(link).path for link in found]
    assert "/api/generated/ldslearn.geometry.martin_kernel.html" in paths


def test_the_switch_changes_the_theme(session, address):
    session.open(f"{address}/index.html")
    seen = {}
    for theme in ("dark", "light"):
        session.click(".theme-switch-button")
        session.click(f".theme-change-button[data-mode={theme}]")
        assert session.run("return document.documentElement.dataset.theme") == theme
        seen[theme] = session.run("return getComputedStyle(document.body).backgroundColor")
    assert seen["light"] != seen["dark"]


@pytest.mark.parametrize("page", [*PAGES, "command-line"])
def test_a_phone_shows_pages_without_sideways_scrolling(phone, address, page):
    phone.open(f"{address}/{page}.html")
    assert phone.run("return document.documentElement.clientWidth") == PHONE
    assert overflow(phone) <= 0
