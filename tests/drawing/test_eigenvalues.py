import re
from xml.etree import ElementTree

import numpy as np
import pytest

from ldslearn.drawing.eigenvalues import draw_eigenvalues, draw_spectra

from support.markup import HOSTILE


def read_circle(root):
    circle = root.find(".//circle[@class='axis']")
    return tuple(float(circle.get(name)) for name in ("cx", "cy", "r"))


def test_eigenvalues_lie_about_the_circle():
    values = [1, 1j, -1, -1j, 0.5 + 0.5j, 0.2, 1.3]
    root = ElementTree.fromstring(draw_eigenvalues({"a": values, HOSTILE: [0.1j]}))
    circle = root.find(".//circle[@class='axis']")
    x, y, radius = (float(circle.get(name)) for name in ("cx", "cy", "r"))
    group = root.find(".//g[@data-series='0'][@class='series']")
    pattern = re.compile(r"translate\(([\d.]+),([\d.]+)\)")
    pairs = [pattern.match(mark.get("transform")).groups() for mark in group.findall("path")]
    places = [complex(float(right), float(down)) for right, down in pairs]
    found = [((place.real - x) - 1j * (place.imag - y)) / radius for place in places]
    np.testing.assert_allclose(found, values, atol=2e-4)
    rings = {float(ring.get("cx")) for ring in group.findall("circle[@class='ring']")}
    assert len(group.findall("circle[@class='ring']")) == 5
    assert max(rings) == pytest.approx(x + 1.3 * radius, abs=0.01)
    names = [one.text for one in root.findall(".//g[@class='key']/text")]
    assert names[0] == "a (5 of 7 do not decay)"


def test_spectra_lie_about_the_circle():
    spectra = [[0.5 + 0.5j, 0.5 - 0.5j, 1.2], [-0.9, 0.1j, -1j]]
    root = ElementTree.fromstring(draw_spectra(spectra))
    x, y, radius = read_circle(root)
    colours = set()
    for values, path in zip(spectra, root.findall("path[@class='dots']"), strict=True):
        places = re.findall(r"M([\d.]+),([\d.]+)h0", path.get("d"))
        found = [((float(a) - x) - 1j * (float(b) - y)) / radius for a, b in places]
        np.testing.assert_allclose(found, values, atol=2e-3)
        colours.add(path.get("style"))
    assert len(colours) == 2
    rings = re.findall(r"M([\d.]+),([\d.]+)a5,5", root.find("path[@class='ring']").get("d"))
    found = [((float(a) + 5 - x) - 1j * (float(b) - y)) / radius for a, b in rings]
    np.testing.assert_allclose(found, [1.2, -1j], atol=2e-3)


def test_the_limit_of_spectra():
    spectra = [[0.8, 0.9999]]
    assert 'class="ring"' not in draw_spectra(spectra)
    assert draw_spectra(spectra, limit=0.999).count("a5,5 0 1,0 10,0") == 1
    assert 'class="dots"' not in draw_spectra([])
