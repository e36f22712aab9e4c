import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from ldslearn import LDS
from ldslearn.geometry import pairwise_kernel
from ldslearn.models import LDSStore
from ldslearn.models.shards import INDEX

from support.makers import contractions, random_systems


def same(first, second):
    assert first._layout() == second._layout()
    for name, array in first._arrays().items():
        np.testing.assert_array_equal(array, second._arrays()[name])


@pytest.fixture
def systems():
    return random_systems(11, 5, 3)


@pytest.fixture
def store(systems, tmp_path):
    return LDSStore.write(tmp_path / "store", [systems[:4], systems[4:5], systems[5:]])


KEYS = [0, -1, 7, slice(None), slice(3, 9, 2), slice(8, 2, -1), [10, 0, 4, 4], slice(0, 0)]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_a_store_is_indexed_like_the_batch_it_holds(store, systems, key):
    same(store[key], systems[key])


def test_masks_select_systems(store, systems):
    mask = np.arange(11) % 3 == 0
    same(store[mask], systems[mask])


def test_a_store_has_the_sizes_of_a_batch(store, systems):
    assert store.shape == systems.shape
    for name in ("n_states", "n_channels", "n_noise", "delays", "windows"):
        assert getattr(store, name) == getattr(systems, name)
    assert repr(store).endswith("store: 11 systems in 3 shards, n_channels=5, n_states=3)")
    with pytest.raises(AttributeError, match="read systems with store"):
        _ = store.A


@pytest.mark.parametrize("n_bytes", [0, 6000, 10**9])
def test_blocks_hold_all_systems_in_order(store, systems, n_bytes):
    blocks = store.blocks(n_bytes)
    assert {0: 3, 10**9: 1}.get(n_bytes, len(blocks)) == len(blocks)
    same(LDS.concatenate([block.load() for block in blocks]), systems)
    same(LDS.concatenate(list(store)), systems)


def test_windows_and_settings_are_kept(tmp_path):
    single = random_systems(6, 4, 2)
    batch = LDS(**{**single._arrays(), "windows": 2, "delays": 2, "allow_unstable": True})
    same(LDSStore.write(tmp_path / "store", [batch[:1], batch[1:]])[:], batch)


def test_a_store_is_written_to_an_empty_folder_only(store, systems):
    with pytest.raises(ValueError, match="must be new or empty; got files in it. Name another."):
        LDSStore.write(store.path, [systems])


def test_batches_of_a_store_are_alike(systems, tmp_path):
    with pytest.raises(ValueError, match="batch 1 must have the layout of batch 0"):
        LDSStore.write(tmp_path / "store", [systems, random_systems(2, 5, 2)])
    with pytest.raises(
        FileNotFoundError, match=f"must be a store with a file {INDEX}; it has none"
    ):
        LDSStore.open(tmp_path / "store")


def test_damage_is_found(store):
    assert store.verify() == []
    path = store.path / store.shards[1].name
    content = bytearray(path.read_bytes())
    content[-300] ^= 1
    path.write_bytes(content)
    assert store.verify() == [path.name]
    path.write_bytes(content[:-1])
    with pytest.raises(ValueError, match="bytes, as its index says; got"):
        store[:]
    path.unlink()
    assert store.verify() == [path.name]


INDICES = {
    "no JSON": b"{",
    "another format": b'{"format": "x", "version": 1}',
    "a path that leaves the folder": "../systems-000000.npz",
    "no shards": None,
}


@pytest.mark.parametrize("name", INDICES)
def test_an_index_that_lies_is_refused(store, name):
    index = json.loads((store.path / INDEX).read_bytes())
    if name == "no shards":
        del index["shards"]
    elif name.startswith("a path"):
        index["shards"][0]["name"] = INDICES[name]
    content = INDICES[name] if isinstance(INDICES[name], bytes) else json.dumps(index).encode()
    (store.path / INDEX).write_bytes(content)
    with pytest.raises(ValueError, match="index.json must (be a complete|hold valid)"):
        LDSStore.open(store.path)


def test_shards_that_are_not_as_the_index_says_are_refused(store):
    index = json.loads((store.path / INDEX).read_bytes())
    index["shards"][0]["length"] = 3
    (store.path / INDEX).write_bytes(json.dumps(index).encode())
    with pytest.raises(ValueError, match="4 sequences instead of 3"):
        LDSStore.open(store.path)[:]


def test_an_index_of_another_version_is_refused(store):
    index = json.loads((store.path / INDEX).read_bytes())
    (store.path / INDEX).write_bytes(json.dumps({**index, "version": 2}).encode())
    with pytest.raises(ValueError, match="must have format version 1; got 2"):
        LDSStore.open(store.path)


def test_a_window_of_a_window_is_itself(tmp_path):
    systems = LDS(**{**contractions(8, 6, 3)._arrays(), "windows": 2})
    store = LDSStore.write(tmp_path / "store", [systems[:3], systems[3:]])
    for k in range(2):
        np.testing.assert_array_equal(store.window(k).window(0)[:].C, systems.window(k).C)
    for kernel in ("projection", "martin", "mean", "deviation", "twofold"):
        np.testing.assert_allclose(
            pairwise_kernel(store.window(1), None, kernel),
            pairwise_kernel(systems.window(1), None, kernel),
            rtol=1e-10,
            atol=1e-12,
        )


def test_texts_are_read_without_the_systems(tmp_path, monkeypatch):
    from ldslearn.models import shards

    read, original = [], shards.load_arrays

    def noted(*arguments):
        header, arrays = original(*arguments)
        read.extend(arrays)
        return header, arrays

    systems = contractions(3, 6, 3)
    shard = shards.write_shard(tmp_path, 0, systems, {"names": ["a", "b", "c"]})
    monkeypatch.setattr(shards, "load_arrays", noted)
    block = shards.StoredBlock(tmp_path, (shard,))
    assert block.texts("names") == ["a", "b", "c"]
    assert block.texts("labels") is None
    assert read == ["names"]
    same(block.load(), systems)


def test_a_shard_with_an_array_too_many_is_refused(tmp_path):
    from ldslearn.models import shards

    shard = shards.write_shard(tmp_path, 0, contractions(3, 6, 3), {"names": ["a", "b", "c"]})
    with zipfile.ZipFile(tmp_path / shard.name, "a") as archive:
        archive.write(tmp_path / shard.name, "more.npy")
    shard = replace(shard, n_bytes=(tmp_path / shard.name).stat().st_size)
    block = shards.StoredBlock(tmp_path, (shard,))
    for read in (block.load, lambda: block.texts("names")):
        with pytest.raises(ValueError, match="must be a complete ldslearn shard file"):
            read()
