import json
import os
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from ldslearn import LDS
from ldslearn._records import seal
from ldslearn.geometry import pairwise_kernel
from ldslearn.scale import LDSStore
from ldslearn.scale import shards as shards_module
from ldslearn.scale.shards import INDEX

from support.makers import contractions, random_systems


def same(first, second):
    assert first._layout == second._layout
    for name, array in first._arrays.items():
        np.testing.assert_array_equal(array, second._arrays[name])


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


@pytest.mark.parametrize("key", [None, [[0]], np.ones((2, 2), dtype=int)], ids=str)
def test_an_index_of_several_axes_is_refused(store, key):
    with pytest.raises(IndexError, match="must be an integer, a slice, a mask or indices; got"):
        store[key]


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
    batch = LDS(**{**single._arrays, "windows": 2, "delays": 2, "allow_unstable": True})
    same(LDSStore.write(tmp_path / "store", [batch[:1], batch[1:]])[:], batch)


def test_a_store_is_written_to_an_empty_folder_only(store, systems):
    with pytest.raises(ValueError, match="new or empty; got files in it. Choose another folder."):
        LDSStore.write(store.path, [systems])


def test_an_interrupted_store_is_written_again(systems, tmp_path):
    def batches():
        yield systems[:2]
        yield systems[2:3]
        (tmp_path / "store" / ".ldslearn-here.0a1b2c3d-7-abc.part").write_text("left of a shard")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        LDSStore.write(tmp_path / "store", batches())
    store = LDSStore.write(tmp_path / "store", systems[:4])
    same(store[:], systems[:4])
    assert sorted(path.name for path in store.path.glob("*")) == [
        ".ldslearn-here.0a1b2c3d-7-abc.part",
        INDEX,
        "systems-000000.npz",
    ]


@pytest.mark.parametrize("name", ["systems-0123456789abcdef.npz", "systems-000000.json", "mine"])
def test_other_files_are_left_alone(systems, tmp_path, name):
    """Those of an interrupted encode, say, which goes on from there."""
    (tmp_path / name).write_text("kept")
    (tmp_path / "systems-000001.npz").write_text("kept")
    with pytest.raises(ValueError, match="must be new or empty; got files in it"):
        LDSStore.write(tmp_path, systems)
    assert sorted(os.listdir(tmp_path)) == sorted([name, "systems-000001.npz"])


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
    (store.path / INDEX).write_bytes(json.dumps(seal(index)).encode())
    with pytest.raises(ValueError, match="4 sequences instead of 3"):
        LDSStore.open(store.path)[:]


def test_an_index_of_another_version_is_refused(store):
    index = json.loads((store.path / INDEX).read_bytes())
    (store.path / INDEX).write_bytes(json.dumps({**index, "version": 3}).encode())
    with pytest.raises(ValueError, match="must have format version 2; got 3"):
        LDSStore.open(store.path)


def test_stores_of_the_first_version_are_read(store, systems):
    index = json.loads((store.path / INDEX).read_bytes())
    del index["sha256"]
    (store.path / INDEX).write_bytes(json.dumps({**index, "version": 1}).encode())
    same(LDSStore.open(store.path)[:], systems)


def test_an_index_that_was_changed_is_refused(store):
    path = store.path / INDEX
    index = json.loads(path.read_bytes())
    changes = [
        {"shards": index["shards"][1:]},
        {"shards": index["shards"][::-1]},
        {"about": {"encoder": {}}},
        {"sha256": ""},
        {"version": 1},
    ]
    for change in changes:
        path.write_bytes(json.dumps({**index, **change}).encode())
        with pytest.raises(ValueError, match="index.json must hold valid contents; (its|fields)"):
            LDSStore.open(store.path)
    del index["sha256"]
    path.write_bytes(json.dumps(index).encode())
    with pytest.raises(ValueError, match="do not match their checksum"):
        LDSStore.open(store.path)


def test_the_order_of_an_index_is_free(store, systems):
    index = json.loads((store.path / INDEX).read_bytes())
    turned = dict(reversed(index.items()))
    (store.path / INDEX).write_text(json.dumps(turned, indent=3))
    same(LDSStore.open(store.path)[:], systems)


def test_a_pipe_or_a_deep_index_is_refused(store):
    path = store.path / INDEX
    path.write_bytes(b"[" * 10**6)
    with pytest.raises(ValueError, match="must be a complete ldslearn store file"):
        LDSStore.open(store.path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises((ValueError, FileNotFoundError), match="must be a"):
        LDSStore.open(store.path)


def test_shards_are_compared_with_their_digest_once(store, systems, monkeypatch):
    path = store.path / store.shards[1].name
    whole, times = path.read_bytes(), path.stat()
    start = whole.index(systems[4:5].mean.tobytes())
    damaged = whole[:start] + bytes([whole[start] ^ 1]) + whole[start + 1 :]
    path.write_bytes(damaged)
    with pytest.raises(ValueError, match="match its SHA-256; got another checksum. Delete it"):
        LDSStore.open(store.path)[:]
    path.write_bytes(whole)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    asked = []
    hash_file = shards_module.hash_file
    monkeypatch.setattr(
        shards_module, "hash_file", lambda path: asked.append(path.name) or hash_file(path)
    )
    opened = LDSStore.open(store.path)
    for _ in range(2):
        same(opened[:], systems)
        assert len(asked) == len(store.shards)
    LDSStore.open(store.path, verify=False)[:]
    assert len(asked) == len(store.shards)
    LDSStore.open(store.path)[:]
    assert len(asked) == 2 * len(store.shards)


def test_an_index_that_is_a_link_is_not_replaced(store, systems, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / INDEX).symlink_to(store.path / INDEX)
    before = (store.path / INDEX).read_bytes()
    with pytest.raises(ValueError, match="be a regular file in order to be replaced; got a link"):
        shards_module.write_index(other, [], {})
    assert (store.path / INDEX).read_bytes() == before


def test_a_store_has_one_writer(tmp_path, systems):
    with (
        shards_module.lock_store(tmp_path / "store"),
        pytest.raises(BlockingIOError, match="must be written by one process at a time; process"),
    ):
        LDSStore.write(tmp_path / "store", [systems])
    LDSStore.write(tmp_path / "store", [systems])
    assert not (tmp_path / "store" / ".lock").exists()


def test_a_window_of_a_window_is_itself(tmp_path):
    systems = LDS(**{**contractions(8, 6, 3)._arrays, "windows": 2})
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
    from ldslearn.scale import shards

    read, original = [], shards.load_arrays

    def noted(*arguments):
        header, arrays = original(*arguments)
        read.extend(arrays)
        return header, arrays

    systems = contractions(3, 6, 3)
    shard = shards.write_shard(tmp_path, 0, systems, {"names": ["a", "b", "c"]})
    monkeypatch.setattr(shards, "load_arrays", noted)
    block = shards.StoredBlock(tmp_path, (shard,))
    assert block.read_texts("names") == ["a", "b", "c"]
    assert block.read_texts("labels") is None
    assert read == ["names"]
    same(block.load(), systems)


def test_a_shard_with_an_array_too_many_is_refused(tmp_path):
    from ldslearn.scale import shards

    shard = shards.write_shard(tmp_path, 0, contractions(3, 6, 3), {"names": ["a", "b", "c"]})
    with zipfile.ZipFile(tmp_path / shard.name, "a") as archive:
        archive.write(tmp_path / shard.name, "more.npy")
    path = tmp_path / shard.name
    shard = replace(shard, n_bytes=path.stat().st_size, sha256=shards.hash_file(path))
    block = shards.StoredBlock(tmp_path, (shard,))
    for read in (block.load, lambda: block.read_texts("names")):
        with pytest.raises(ValueError, match="must be a complete ldslearn shard file"):
            read()


def test_a_target_that_is_no_folder_is_refused_before_any_work(tmp_path):
    def batches():
        raise AssertionError("systems were made")
        yield

    (tmp_path / "file").write_text("kept")
    os.mkfifo(tmp_path / "pipe")
    for name, kind in (
        ("file", "a regular file"),
        ("pipe", "a pipe"),
        ("file/in", "a regular file"),
    ):
        with pytest.raises(NotADirectoryError, match=f"must be a folder.*; got {kind}"):
            LDSStore.write(tmp_path / name, batches())
    with pytest.raises(ValueError, match="must have at most 255 bytes; got 300"):
        LDSStore.write(tmp_path / ("x" * 300), batches())
    assert (tmp_path / "file").read_text() == "kept"
