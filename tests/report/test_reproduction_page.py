import numpy as np
import pytest

from ldslearn.paper import reproduce
from ldslearn.paper.panels import make_eigenvalues, make_images, make_lines, make_movies, make_table
from ldslearn.report import render_reproduction_page

from support.markup import HOSTILE


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    return reproduce(
        ["fig2", "fig13", "covariance"], quick=True, records=tmp_path_factory.mktemp("r")
    )


def make_record(*panels):
    """Return a record of one figure."""
    collection = {"name": "x", "title": HOSTILE, "origin": "embedded", "words": HOSTILE}
    about = {
        "title": HOSTILE, "origin": "embedded", "n_sequences": 1, "n_channels": 1, "shortest": 1,
        "longest": 2, "classes": {HOSTILE: 1}, "fingerprint": "0" * 64,
    }  # fmt: skip
    found = [{"collection": HOSTILE, "verdict": "refuted", "words": HOSTILE}]
    claim = {
        "claim": "x", "words": HOSTILE, "where": HOSTILE, "verdict": "mixed", "evidence": found,
        "count": {"refuted": 1}, "reason": HOSTILE,
    }  # fmt: skip
    return {
        "quick": True, "n_runs": 1, "seconds": 1.0, "claims": [claim],
        "figures": [
            {"name": "x", "title": HOSTILE, "collections": [collection], "panels": list(panels)}
        ],
        "collections": {"x": about},
        "makers": [{"versions": {"x": HOSTILE}, "machine": {"system": HOSTILE, "cores": 2}}],
    }  # fmt: skip


def test_a_page_shows_every_panel_and_claim(record):
    page = render_reproduction_page(record, "ldslearn reproduce fig2")
    for one in record["figures"]:
        assert one["title"] in page
        for panel in one["panels"]:
            assert panel["title"].replace("<", "&lt;") in page
    for claim in record["claims"]:
        assert claim["words"] in page
    assert page.count('class="film"') == 8  # atoms
    assert "BasicMotions (embedded) instead of SD" in page
    assert "ldslearn reproduce fig2" in page
    assert len(page) < 2_000_000


def test_texts_of_a_record_are_escaped():
    curves = {HOSTILE: ([1.0, 2.0], [[0.5], [0.6]])}
    panels = [
        make_lines(HOSTILE, HOSTILE, HOSTILE, curves, percent=True),
        make_table(HOSTILE, [HOSTILE], [[HOSTILE]], HOSTILE),
        make_eigenvalues(HOSTILE, {HOSTILE: [[0.5, 0.1], [0.1, 0.2]]}),
        make_images(HOSTILE, np.zeros((1, 2, 4), int).tolist(), (2, 2), HOSTILE),
        make_movies(HOSTILE, np.zeros((1, 3, 4), int).tolist(), (2, 2), HOSTILE),
    ]
    page = render_reproduction_page(make_record(*panels), HOSTILE)
    assert page.count("<script>") == 1  # the page's own
    assert page.count("&lt;script&gt;") > 10


@pytest.mark.parametrize(
    ("names", "title", "cites"),
    [
        (["fig2", "table4"], "Reproduction of the paper", True),
        (["fig2", "accuracy"], "Reproduction of the paper and further experiments", True),
        (["accuracy", "clusters"], "Experiments beyond the paper", False),
    ],
)
def test_the_title_says_whether_plans_are_those_of_the_paper(names, title, cites):
    record = make_record()
    record["figures"] = [{**record["figures"][0], "name": name} for name in names]
    page = render_reproduction_page(record, "ldslearn reproduce")
    assert f"<h1>{title}</h1>" in page
    assert ("Analyzing Linear Dynamical Systems" in page) is cites


def test_colour_frames_become_grey():
    films = np.random.default_rng(0).integers(0, 255, (1, 2, 2, 2, 3))
    grey = films.mean(axis=-1).round().astype(int)
    coloured, plain = (
        render_reproduction_page(
            make_record(make_movies("m", film.reshape(1, 2, -1).tolist(), shape)), "x"
        )
        for film, shape in ((films, (2, 2, 3)), (grey, (2, 2)))
    )
    assert 'class="film"' in coloured
    assert coloured == plain


def test_no_requests_and_no_errors_in_a_browser(record, browse):
    done = browse(render_reproduction_page(record, "ldslearn reproduce fig2"), "--dump-dom")
    assert done.returncode == 0
    assert "CONSOLE" not in done.stderr
    assert "Reproduction of the paper" in done.stdout
