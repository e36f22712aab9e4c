import json
import os
import pickle
import stat

import numpy as np
import pytest

from ldslearn import LDS
from ldslearn._writing import atomic_write
from ldslearn.models.fields import FIELD_SHAPES

from support.makers import random_systems

FIELDS = tuple(FIELD_SHAPES)


@pytest.fixture
def systems():
    return random_systems(4, n_channels=6, n_states=3)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "systems.lds"


def test_round_trip(systems, path):
    systems.save(path)
    loaded = LDS.load(path)
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(loaded, name), getattr(systems, name))


def test_round_trip_without_the_optional_fields(systems, path):
    LDS(systems.A, systems.C, delays=2).save(str(path))
    loaded = LDS.load(str(path))
    assert loaded.B is None
    assert loaded.mean is None
    assert loaded.delays == 2


def test_an_empty_batch_is_a_batch(systems, path):
    systems[:0].save(path)
    assert len(LDS.load(path)) == 0


def test_saving_leaves_nothing_behind_and_replaces(systems, path):
    systems.save(path)
    systems[:2].save(path)
    assert len(LDS.load(path)) == 2
    assert os.listdir(path.parent) == [path.name]


def test_a_failed_write_keeps_the_old_file(systems, path):
    systems.save(path)
    with pytest.raises(RuntimeError, match="disk"), atomic_write(path) as file:
        file.write(b"half")
        raise RuntimeError("disk full")
    assert len(LDS.load(path)) == 4
    assert os.listdir(path.parent) == [path.name]


def test_a_new_file_has_the_usual_permissions(systems, path):
    systems.save(path)
    usual = path.parent / "usual"
    usual.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)


@pytest.mark.parametrize("fraction", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_named(systems, path, fraction):
    systems.save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(fraction * len(whole))])
    with pytest.raises(ValueError, match=r"systems\.lds must be a complete ldslearn\.LDS file"):
        LDS.load(path)


def test_a_flipped_bit_is_noticed(systems, path):
    systems.save(path)
    data = bytearray(path.read_bytes())
    position = data.find(systems.A.tobytes()[:64])
    assert position > 0
    data[position + 5] ^= 0x10
    path.write_bytes(data)
    with pytest.raises(ValueError, match="must be a complete"):
        LDS.load(path)


@pytest.mark.parametrize("content", [b"hello", b"PK\x03\x04nonsense", b"\x93NUMPY"])
def test_a_foreign_file_is_named(path, content):
    path.write_bytes(content)
    with pytest.raises(ValueError, match="must be a complete"):
        LDS.load(path)


@pytest.mark.parametrize(
    "arrays",
    [
        {"A": np.zeros((1, 2, 2))},
        {"header": np.array("no json"), "A": np.zeros((1, 2, 2))},
        {"header": np.array('["a list"]')},
        {"header": np.array('{"format": "other", "version": 1}')},
    ],
)
def test_a_foreign_npz_is_named(path, arrays):
    with path.open("wb") as file:
        np.savez(file, **arrays)
    with pytest.raises(ValueError, match=r"must be a complete ldslearn\.LDS file"):
        LDS.load(path)


def test_a_plain_npy_is_named(path):
    with path.open("wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(ValueError, match="must be a complete"):
        LDS.load(path)


def write(path, header, **arrays):
    with path.open("wb") as file:
        np.savez(file, header=np.array(header), **arrays)


def test_another_version_is_named(path):
    write(path, '{"format": "ldslearn.LDS", "version": 99, "delays": 1}')
    with pytest.raises(ValueError, match="must have format version 1; got 99"):
        LDS.load(path)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({}, "must hold valid contents"),
        ({"A": np.zeros((1, 2, 2)), "C": np.ones((1, 4, 2))}, "C must have orthonormal columns"),
        ({"A": np.zeros((1, 2, 2)), "C": np.eye(4, 2)[None], "evil": np.zeros(1)}, "evil"),
    ],
)
def test_invalid_contents_are_named(path, arrays, message):
    header = {"format": "ldslearn.LDS", "version": 1, "delays": 1, "allow_unstable": False}
    write(path, json.dumps({**header, "arrays": sorted(arrays)}), **arrays)
    with pytest.raises(ValueError, match=message):
        LDS.load(path)


class Bomb:
    def __reduce__(self):
        return os.abort, ()


def test_nothing_that_is_loaded_is_executed(path):
    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(ValueError, match="must be a complete"):
        LDS.load(path)
    bomb = np.empty(1, dtype=object)
    bomb[0] = Bomb()
    with path.open("wb") as file:
        np.savez(file, header=np.array('{"format": "ldslearn.LDS", "version": 1}'), A=bomb)
    with pytest.raises(ValueError, match="must be a complete"):
        LDS.load(path)


def test_a_missing_file_says_so(path):
    with pytest.raises(FileNotFoundError, match=r"systems\.lds"):
        LDS.load(path)


def test_a_missing_folder_is_named(systems, tmp_path):
    with pytest.raises(FileNotFoundError, match="folder .*nowhere must exist to write x.lds"):
        systems.save(tmp_path / "nowhere" / "x.lds")
    with pytest.raises(IsADirectoryError, match="must be a file name; got a folder"):
        systems.save(tmp_path)


def test_a_lost_array_is_noticed(systems, path):
    systems.save(path)
    with np.load(path) as stored:
        arrays = dict(stored)
    del arrays["B"]
    with path.open("wb") as file:
        np.savez(file, **arrays)
    with pytest.raises(ValueError, match="must be a complete"):
        LDS.load(path)


def test_flipped_bits_never_pass_for_another_batch(systems, path):
    systems.save(path)
    whole = path.read_bytes()
    random = np.random.default_rng(0)
    for position in random.integers(0, len(whole), 300):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << int(random.integers(8))
        path.write_bytes(damaged)
        try:
            loaded = LDS.load(path)
        except ValueError:  # any other error would end the test
            continue
        for name in FIELDS:
            np.testing.assert_array_equal(getattr(loaded, name), getattr(systems, name))


def test_permissions_and_links_are_kept(systems, path):
    path.touch(mode=0o600)
    path.chmod(0o600)
    link = path.with_name("link.lds")
    link.symlink_to(path)
    systems.save(link)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(LDS.load(path)) == 4


def test_a_mistake_of_ours_is_no_broken_file(tmp_path, monkeypatch):
    random_systems(2, n_channels=3, n_states=2).save(tmp_path / "a.lds")
    monkeypatch.setattr("ldslearn.models.fields._check_field", lambda *_: None + 1)
    with pytest.raises(TypeError, match="unsupported operand"):
        LDS.load(tmp_path / "a.lds")
