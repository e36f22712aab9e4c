import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ldslearn.datasets.collection import Collection
from ldslearn.datasets.formats.npz import load_npz, save_npz

DTYPES = st.sampled_from(["float64", "float32", "float16", "uint8", "int16", "bool"])
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6)


@st.composite
def collections(draw):
    n_sequences = draw(st.integers(1, 5))
    frame_shape = draw(st.sampled_from([None, (1, 2), (2, 1, 3)]))
    n_channels = int(np.prod(frame_shape)) if frame_shape else draw(st.integers(1, 4))
    dtype = draw(DTYPES)
    finite = {"elements": {"allow_nan": False, "allow_infinity": False}} if "float" in dtype else {}
    X = [
        draw(hnp.arrays(dtype, (n_channels, draw(st.integers(1, 6))), **finite))
        for _ in range(n_sequences)
    ]
    texts = st.lists(TEXTS, min_size=n_sequences, max_size=n_sequences)
    return Collection(
        X,
        *(draw(st.none() | texts) for _ in range(3)),
        names=draw(st.just(()) | texts),
        frame_shape=frame_shape,
        preprocessing=draw(st.dictionaries(TEXTS, st.none() | st.integers() | TEXTS, max_size=3)),
    )


def assert_same(a, b):
    assert len(a) == len(b)
    for x, y in zip(a.X, b.X, strict=True):
        np.testing.assert_array_equal(x, y)
        assert x.dtype == y.dtype
    for name in ("y", "split", "groups"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    for name in ("names", "frame_shape", "preprocessing"):
        assert getattr(a, name) == getattr(b, name)


@given(collection=collections())
def test_round_trip(tmp_path_factory, collection):
    path = tmp_path_factory.mktemp("npz") / "some.npz"
    save_npz(path, collection)
    assert_same(load_npz(path), collection)
    assert os.listdir(path.parent) == [path.name]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "some.npz"


def test_a_three_dimensional_array_is_a_collection(path):
    X = np.random.default_rng(0).standard_normal((4, 2, 7)).astype(np.float32)
    np.savez(path, X=X, y=[3, 1, 3, 2])
    read = load_npz(path)
    np.testing.assert_array_equal(np.stack(read.X), X)
    assert list(read.y) == ["3", "1", "3", "2"]
    np.savez(path, X=X)
    assert load_npz(path).y is None


def test_labels_index_the_classes(path):
    whole = {"values": np.zeros((2, 5)), "lengths": [2, 3], "classes": ["a", "b"]}
    np.savez(path, **whole, labels=[1, 0])
    read = load_npz(path)
    assert list(read.y) == ["b", "a"]
    assert [sequence.shape for sequence in read.X] == [(2, 2), (2, 3)]
    np.savez(path, **whole, labels=["b", "c"])
    assert list(load_npz(path).y) == ["b", "c"]


def test_one_number_for_the_frame_counts_channels(path):
    np.savez(path, values=np.zeros((6, 5)), lengths=[2, 3], spatial=[6])
    assert load_npz(path).frame_shape is None
    np.savez(path, values=np.zeros((6, 5)), lengths=[2, 3], spatial=[2, 3])
    assert load_npz(path).frame_shape == (2, 3)


SOUND = {"values": np.ones((2, 5)), "lengths": np.array([2, 3])}


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({}, "the arrays none"),
        ({"values": np.ones((2, 5))}, "the arrays values"),
        ({"X": np.ones((2, 5))}, r"X of shape \(2, 5\)"),
        ({"X": np.ones((0, 2, 5))}, r"X of shape \(0, 2, 5\)"),
        ({"X": np.ones((1, 2, 5)) + 1j}, "real numbers"),
        ({**SOUND, "values": np.ones(5)}, r"values of shape \(5,\)"),
        ({**SOUND, "values": np.full((2, 5), np.nan)}, "sequence 0 must be finite"),
        ({**SOUND, "values": np.full((2, 5), "a")}, "real numbers"),
        ({**SOUND, "lengths": [2, 4]}, "lengths that do not add up to 5"),
        ({**SOUND, "lengths": [6, -1]}, "lengths that do not add up to 5"),
        ({**SOUND, "lengths": [2**62, 2**62, 2**62, 2**62, 2, 3]}, "lengths that do not add up"),
        ({**SOUND, "lengths": [2.0, 3.0]}, "lengths of dtype float64"),
        ({**SOUND, "lengths": [[2, 3]]}, r"shape \(1, 2\)"),
        ({**SOUND, "labels": [0, 2], "classes": ["a", "b"]}, "do not index its 2 classes"),
        ({**SOUND, "labels": [0, -1], "classes": ["a", "b"]}, "do not index its 2 classes"),
        ({**SOUND, "labels": [0]}, "y must have one entry for each of 2 sequences"),
        ({**SOUND, "groups": [0]}, "groups must have one entry for each of 2 sequences"),
        ({**SOUND, "names": ["a"]}, "names must name 2 sequences"),
        ({**SOUND, "spatial": [2, 2]}, "frame_shape must have 2 pixels"),
        ({**SOUND, "preprocessing": "[" * 100_000}, "recursion"),
        ({**SOUND, "preprocessing": "[1]"}, "list for preprocessing"),
    ],
)
def test_damaged_contents_are_named(path, arrays, message):
    np.savez(path, **arrays)
    with pytest.raises(
        ValueError, match=rf"file .*some\.npz must hold a collection; got .*{message}"
    ):
        load_npz(path)


def test_preprocessing_that_json_cannot_hold_is_refused(path):
    with pytest.raises(ValueError, match="preprocessing must hold plain values"):
        save_npz(path, Collection([np.ones((1, 2))], preprocessing={"a": object()}))
    assert not path.exists()


DATA = os.environ.get("LDSLEARN_DATA")


@pytest.mark.skipif(DATA is None, reason="LDSLEARN_DATA does not say where the real data are")
@pytest.mark.parametrize(
    ("name", "n_sequences", "n_channels", "n_classes", "frame_shape"),
    [
        ("hcs10", 180, 16, 10, None),
        ("sdh2", 856, 486, 36, None),
        ("avletters_30x40", 780, 1200, 26, (30, 40)),
        ("epilepsy", 275, 3, 4, None),
        ("articulary_word", 575, 9, 25, None),
    ],
)
def test_the_real_collections(name, n_sequences, n_channels, n_classes, frame_shape):
    read = load_npz(Path(DATA) / f"{name}.npz")
    assert len(read) == n_sequences
    assert {len(sequence) for sequence in read.X} == {n_channels}
    assert len(read.classes) == n_classes
    assert read.frame_shape == frame_shape
