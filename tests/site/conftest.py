"""The site that `make docs` built, and a server of it."""

import functools
import http.server
import threading
from pathlib import Path

import pytest

SITE = Path(__file__).parents[2] / "docs/_build/html"


@pytest.fixture(scope="session")
def site():
    """The folder of the built site."""
    assert (SITE / "index.html").exists(), "no site; run: make docs"
    return SITE


@pytest.fixture(scope="session")
def address(site):
    """The address of a server of the site on this machine."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *words):
            pass

    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
