import json

import numpy as np
import pytest

from ldslearn import LDSDictionary, LDSEncoder, SparseCoder
from ldslearn.persist.packing import pack, unpack

from support.estimators import SYSTEMS


def survive(value):
    arrays = {}
    return unpack(json.loads(json.dumps(pack(value, arrays))), arrays)


@pytest.mark.parametrize(
    "value", [None, True, 3, -0.5, float("inf"), "text", [1, (2, "x")], {"a": {1: None}}, ()]
)
def test_plain_values_survive(value):
    assert survive(value) == value


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.array([b"a", b"bc"]),
        np.array(["a", "é"]),
        np.array(["a", 1, None], dtype=object),
        np.array([1 + 2j]),
    ],
    ids=lambda array: str(array.dtype),
)
def test_arrays_survive(array):
    found = survive(array)
    np.testing.assert_array_equal(found, array)
    assert (found.dtype, found.strides) == (array.dtype, array.strides)


def test_an_array_that_occurs_twice_is_kept_once():
    arrays = {}
    coder = SparseCoder(atoms=SYSTEMS).fit(SYSTEMS)
    pack(coder, arrays)
    assert sum(array.shape == SYSTEMS.C.shape for array in arrays.values()) == 1


def test_deviations_are_kept_where_they_are_compared():
    for kernel, n_fields in (("projection", 6), ("deviation", 7)):
        arrays = {}
        node = pack(SparseCoder(kernel).fit(SYSTEMS), arrays)
        systems = node["state"]["kernel_"]["state"]["systems"]["systems"]
        fields = [name for name, value in systems.items() if isinstance(value, dict)]
        assert len(fields) == n_fields


@pytest.mark.parametrize(
    "node",
    [
        {"class": "Popen", "state": {}},
        {"class": "LDSEncoder"},
        {"number": "1e9999"},
        {"array": "missing"},
        {"systems": {"A": None, "path": None}},
        {"dict": [[1]]},
        [1],
        {},
        {"list": "no"},
        {"class": "LDSEncoder", "state": {"n_states": {"class": "eval", "state": {}}}},
        {"class": "LDSEncoder", "state": {"transform": 1}},
        {"class": "ChannelScaler", "state": {"predict": 1}},
        {"class": "LDSEncoder", "state": {"__class__": 1}},
    ],
)
def test_what_pack_would_not_write_is_refused(node):
    with pytest.raises(ValueError, match="unexpected"):
        unpack(node, {})


def test_deep_nesting_is_refused():
    node = 1
    for _ in range(1000):
        node = {"list": [node]}
    with pytest.raises(ValueError, match="nested too deeply"):
        unpack(node, {})


def test_foreign_classes_of_known_names_are_refused():
    class LDSEncoder:
        pass

    with pytest.raises(TypeError, match="must be of a class that can be saved; got .*test_packing"):
        pack(LDSEncoder(), {})


def test_a_parameter_that_came_later_has_its_default():
    node = pack(LDSEncoder(3, windows=2), {})
    del node["state"]["windows"]
    assert unpack(node, {}).windows == 1
    node = pack(LDSDictionary(3), {})
    assert unpack(node, {}).get_params() == LDSDictionary(3).get_params()
