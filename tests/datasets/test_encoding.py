import json
import os

import numpy as np
import pytest

from ldslearn import LDSEncoder, _parallel
from ldslearn.cli.running import run
from ldslearn.datasets import encode_folder, encoding, load_folder
from ldslearn.models import LDSStore


@pytest.fixture
def clips(tmp_path):
    """Eight sequences of two classes."""
    random = np.random.default_rng(0)
    for index in range(8):
        folder = tmp_path / "clips" / "ab"[index % 2]
        folder.mkdir(parents=True, exist_ok=True)
        sequence = random.standard_normal((6, 20 + index)).cumsum(axis=1)
        np.save(folder / f"{index}.npy", sequence)
    return tmp_path / "clips"


ENCODER = LDSEncoder(n_states=3)


def encode(clips, **options):
    return encode_folder(clips, clips.parent / "store", ENCODER, shard_size=3, **options)


def made_anew(monkeypatch):
    """Numbers of the shards that are encoded."""
    numbers, original = [], encoding.encode_block

    def counted(number, *rest):
        numbers.append(number)
        return original(number, *rest)

    monkeypatch.setattr(encoding, "encode_block", counted)
    return numbers


def test_a_store_holds_the_systems_of_the_encoder(clips):
    store, data = encode(clips), load_folder(clips)
    expected = ENCODER.fit_transform(data.X)
    for name, array in expected._arrays().items():
        np.testing.assert_array_equal(store[:]._arrays()[name], array)
    assert tuple(store.texts("names")) == data.names
    assert store.texts("labels") == data.y.tolist()
    assert store.texts("groups") is None
    assert [shard.length for shard in store.shards] == [3, 3, 2]
    assert store.skipped == []
    assert sorted(os.listdir(store.path)) == ["index.json", *(s.name for s in store.shards)]


def test_items_that_fail_are_listed_and_left_out(clips):
    (clips / "a" / "2.npy").write_bytes(b"no array")
    np.save(clips / "b" / "3.npy", np.zeros((6, 20)))
    np.save(clips / "b" / "5.npy", np.ones((5, 20)))
    with pytest.warns(UserWarning, match="3 items were skipped, the first because"):
        store = encode(clips)
    reasons = dict(store.skipped)
    assert "must be a complete npy file" in reasons["a/2.npy"]
    assert reasons["b/3.npy"].startswith("b/3.npy must vary over time; got a constant")
    assert "must have 6 channels like the first item; got 5 channels" in reasons["b/5.npy"]
    assert store.texts("names") == ["a/0.npy", "a/4.npy", "a/6.npy", "b/1.npy", "b/7.npy"]
    expected = ENCODER.fit_transform([np.load(clips / name) for name in store.texts("names")])
    np.testing.assert_array_equal(store[:].C, expected.C)


def test_a_shard_of_nothing_but_failures_has_no_file(clips):
    for name in ("a/0", "a/2", "a/4"):
        (clips / f"{name}.npy").write_bytes(b"")
    with pytest.warns(UserWarning, match="3 items were skipped"):
        store = encode(clips)
    assert [shard.length for shard in store.shards] == [0, 3, 2]
    assert len(store[:]) == len(store) == 5
    assert len(store.blocks()) == 2


def test_nothing_readable_is_an_error(clips):
    for path in clips.rglob("*.npy"):
        path.write_bytes(b"")
    with pytest.raises(ValueError, match="a/0.npy must be readable, or one of the others"):
        encode(clips)


def test_a_run_goes_on_where_it_was_interrupted(clips, monkeypatch):
    original = encoding.encode_block

    def interrupted(number, *rest):
        if number == 1:
            raise KeyboardInterrupt
        return original(number, *rest)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(encoding, "encode_block", interrupted)
        encode(clips)
    with pytest.raises(FileNotFoundError, match="one that was interrupted goes on"):
        LDSStore.open(clips.parent / "store")
    numbers = made_anew(monkeypatch)
    assert len(encode(clips)) == 8
    assert numbers == [1, 2]
    encode(clips)
    assert numbers == [1, 2]


def test_changed_and_new_files_are_encoded_again(clips, monkeypatch):
    encode(clips)
    numbers = made_anew(monkeypatch)
    np.save(clips / "b" / "9.npy", np.load(clips / "b" / "7.npy")[:, ::-1])
    assert len(encode(clips)) == 9
    assert numbers == [2]
    np.save(clips / "a" / "0.npy", np.load(clips / "a" / "2.npy")[:, :15])
    store = encode(clips)
    assert numbers == [2, 0]
    expected = ENCODER.fit_transform([np.load(clips / "a" / "0.npy")])
    np.testing.assert_array_equal(store[0].C, expected.C)


def test_a_damaged_shard_is_encoded_again(clips, monkeypatch):
    path = clips.parent / "store" / encode(clips).shards[1].name
    path.write_bytes(path.read_bytes()[:-1])
    numbers = made_anew(monkeypatch)
    assert encode(clips).verify() == []
    assert numbers == [1]


def test_shards_of_files_that_are_gone_are_removed(clips):
    encode(clips)
    for path in clips.glob("b/*"):
        path.unlink()
    store = encode(clips)
    assert len(store) == 4
    assert sorted(os.listdir(store.path)) == ["index.json", *(s.name for s in store.shards)]


def test_a_store_of_other_parameters_is_refused(clips):
    encode(clips)
    with pytest.raises(ValueError, match="must have been made with the same encoder and options"):
        encode(clips, stride=2)
    (clips.parent / "store" / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="be new, empty or a store; got notes.txt in it"):
        encode(clips)


def test_clips_of_one_item_are_a_group(clips):
    store = encode(clips, length=10, chunk=True)
    assert store.texts("names")[:3] == ["a/0.npy#0", "a/0.npy#1", "a/2.npy#0"]
    assert store.texts("groups")[:3] == ["a/0.npy", "a/0.npy", "a/2.npy"]


def test_a_share_of_variance_needs_all_sequences(clips):
    with pytest.raises(ValueError, match=r"n_states must be whole to encode files; got 0\.9"):
        encode_folder(clips, clips.parent / "store", LDSEncoder(0.9))


def test_warnings_are_passed_on_once(clips):
    for path in clips.rglob("*.npy"):
        np.save(path, np.arange(20.0)[None] * np.ones((6, 1)))
    with pytest.warns(UserWarning, match="a rank below n_states=3") as caught:
        encode(clips)
    assert len(caught) == 2  # of blocks of three and of two


def test_blocks_of_this_process_run_one_after_the_other():
    engine = _parallel.current_engine()
    assert list(engine.map(pow, [(2,), (3,)], 2)) == [4, 9]
    assert engine.keep(pow, [(2,), (3,)], 2) == [4, 9]


def test_the_command_writes_a_store(clips, capsys):
    store = clips.parent / "made"
    arguments = ["encode", str(clips), "-o", str(store), "-n", "3", "--shard-size", "3"]
    assert run([*arguments, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["n_sequences"], record["n_states"], record["n_shards"]) == (8, 3, 3)
    np.testing.assert_array_equal(LDSStore.open(store)[:].A, encode(clips)[:].A)
    assert run(arguments) == 0
    assert "3, 0.0 MB" in capsys.readouterr().out
