"""Chromium for tests of pages: where it is, and a session that is driven by WebDriver.

Without a browser these tests are skipped. With the variable LDSLEARN_BROWSER=required, as in
continuous integration, they fail instead.
"""

import base64
import json
import os
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
_STARTING = 60  # seconds
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of an element in the WebDriver standard


def find_program(*names):
    """Return the path of the first program that is installed; skip or fail without one."""
    for name in names:
        path = shutil.which(name)
        if path is not None:
            return path
    reason = f"{names[0]} is not installed, so no page is opened in a browser"
    if os.environ.get("LDSLEARN_BROWSER") == "required":
        pytest.fail(reason)
    return pytest.skip(reason)


def find_browser():
    """Return the path of Chromium."""
    return find_program("chromium", "chromium-browser", "google-chrome", "chrome")


class Session:
    """One window of a headless browser."""

    def __init__(self, server, capabilities):
        self._server = server
        reply = self._call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self._path = f"/session/{reply['sessionId']}"

    def open(self, address):
        """Open a page and wait until it is loaded."""
        self._command("url", url=address)

    def run(self, script, *arguments):
        """Return the value of a script."""
        return self._command("execute/sync", script=script, args=list(arguments))

    def find(self, selector):
        """Return the first element that matches and can be seen."""
        found = self._command("elements", using="css selector", value=selector)
        seen = [element for element in found if self._is_displayed(element)]
        assert seen, f"nothing to be seen matches {selector}"
        return seen[0][_ELEMENT]

    def click(self, selector):
        """Click the first element that matches."""
        self._command(f"element/{self.find(selector)}/click")

    def type(self, selector, text):
        """Type a text into an element."""
        self._command(f"element/{self.find(selector)}/value", text=text)

    def wait(self, script, seconds=20):
        """Wait until a script returns something true; return it."""
        end = time.monotonic() + seconds
        while not (value := self.run(script)):
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.1)
        return value

    def save_screenshot(self, path):
        """Write what is seen to a PNG file."""
        path.write_bytes(base64.b64decode(self._call("GET", f"{self._path}/screenshot")))

    def requests(self):
        """Return the addresses of everything that the page requested."""
        return self.run(
            "return [location.href, ...performance.getEntriesByType('resource').map(e => e.name)]"
        )

    def close(self):
        """End the browser."""
        self._call("DELETE", self._path)

    def _is_displayed(self, element):
        return self._call("GET", f"{self._path}/element/{element[_ELEMENT]}/displayed")

    def _command(self, name, **body):
        return self._call("POST", f"{self._path}/{name}", body)

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._server + path, data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from None


@contextmanager
def open_session(folder, width, height=900):
    """Yield a session whose window is `width` pixels wide; a narrow one is a phone's."""
    driver, browser = find_program("chromedriver"), find_browser()
    log = folder / "driver.log"
    options = {"binary": browser, "args": [*FLAGS, f"--window-size={width},{height}"]}
    if width < 500:  # the least width of a window
        metrics = {"width": width, "height": height, "pixelRatio": 1.0, "mobile": True}
        options["mobileEmulation"] = {"deviceMetrics": metrics}
    with log.open("w", encoding="utf-8") as stream:
        process = subprocess.Popen([driver, "--port=0"], stdout=stream, stderr=stream)
    try:
        session = Session(f"http://127.0.0.1:{_await_port(log)}", {"goog:chromeOptions": options})
        try:
            yield session
        finally:
            session.close()
    finally:
        process.terminate()
        process.wait(20)


def _await_port(log):
    end = time.monotonic() + _STARTING
    while (
        port := re.search(
            r"started successfully on port (\d+)", text := log.read_text(encoding="utf-8")
        )
    ) is None:
        assert time.monotonic() < end, f"chromedriver did not start: {text}"
        time.sleep(0.1)
    return port[1]
