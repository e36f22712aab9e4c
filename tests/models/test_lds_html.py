import re

import numpy as np
import pytest

from ldslearn import LDS, LDSEncoder
from ldslearn.datasets import load_basic_motions

from support.markup import read_card

RNG = np.random.default_rng(0)


def make_systems(n, n_states=3, n_channels=5, radius=0.9, **fields):
    A = RNG.normal(size=(n, n_states, n_states))
    A *= radius / np.abs(np.linalg.eigvals(A)).max(axis=1)[:, None, None]
    C = np.broadcast_to(np.eye(n_channels, n_states), (n, n_channels, n_states))
    return LDS(A, C, **fields)


def count_dots(card):
    return sum(path.get("d").count("h0") for path in card.svg.findall("path[@class='dots']"))


def count_rings(card):
    return sum(path.get("d").count("a5,5") // 2 for path in card.svg.findall("path[@class='ring']"))


def test_a_small_batch():
    systems = make_systems(4)
    card = read_card(systems)
    assert card.title == "LDS: 4 systems"
    assert card.rows["channels"] == "5"
    assert card.rows["states"] == "3"
    assert card.rows["arrays"] == "A, C"
    assert card.rows["spectral radius"] == "0.9, median 0.9"
    assert card.rows["not stable"] == "none"
    assert count_dots(card) == 12
    assert count_rings(card) == 0
    assert card.find_texts("figcaption") == ["Eigenvalues, colours by system."]
    assert len(card.svg.findall("path[@class='dots']")) == 4


def test_one_system_and_none():
    card = read_card(make_systems(1))
    assert card.title == "LDS: 1 system"
    assert card.rows["spectral radius"] == "0.9"
    assert card.find_texts("figcaption") == ["Eigenvalues."]
    empty = read_card(make_systems(2)[[]])
    assert empty.title == "LDS: 0 systems"
    assert empty.svg is None


def test_systems_that_do_not_decay_are_named_and_circled():
    A = np.array([np.diag([0.5, 0.2]), np.diag([1.0, 0.3]), np.diag([0.1, -1.5])])
    card = read_card(LDS(A, np.broadcast_to(np.eye(3, 2), (3, 3, 2))))
    assert card.rows["not stable"] == "2 of 3: systems 1, 2"
    assert card.rows["spectral radius"] == "0.5 to 1.5, median 1"
    assert count_rings(card) == 2
    assert "Circled eigenvalues do not decay." in card.text


@pytest.mark.parametrize(
    ("n", "n_states"), [(5000, 10), (20_000, 4), (300, 40), (3, 200), (1000, 1)]
)
def test_many_systems_stay_small(n, n_states):
    A = 2 * RNG.normal(size=(n, n_states, n_states)) / np.sqrt(n_states)
    systems = LDS(A, np.broadcast_to(np.eye(n_states), A.shape))
    card = read_card(systems)
    assert 0 < count_dots(card) <= 160
    assert card.title == f"LDS: {n:,} systems"
    if (n, n_states) == (20_000, 4):
        caption = "Eigenvalues of 40 of 20,000 systems, colours by system."
        assert card.find_texts("figcaption")[0].startswith(caption)
        assert re.search(r" more$", card.rows["not stable"])


def test_large_batches_are_examined_in_part():
    systems = make_systems(2100, n_states=10, n_channels=10)
    assert card_of_part(systems).endswith("(of 2,000 systems)")
    assert not card_of_part(systems[:2000]).endswith("systems)")


def card_of_part(systems):
    return read_card(systems).rows["spectral radius"]


def test_windows_and_delays():
    X = load_basic_motions()[0][:6]
    systems = LDSEncoder(n_states=3, delays=4, windows=2).fit_transform(X)
    card = read_card(systems)
    assert card.title == "LDS: 6 sequences, 2 systems each"
    assert card.rows["channels"] == "24 (6 channels x 4 delays)"
    assert card.rows["arrays"].startswith("A, C, B, mean")
    A = np.tile(np.diag([0.5, 0.2]), (6, 1, 1))
    A[3] *= 3
    card = read_card(LDS(A, np.broadcast_to(np.eye(2), A.shape), windows=2))
    assert card.rows["not stable"] == "1 of 6: sequences 1"
