import json
import os
import subprocess
import sys
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from ldslearn import LDSEncoder, _parallel
from ldslearn.cli.running import run
from ldslearn.datasets import load_folder
from ldslearn.datasets.items import Item
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.scale import LDSStore, encode_folder, encoding, encoding_tasks
from ldslearn.scale.resuming import cut_items


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
    options = {"shard_size": 3, **options}
    return encode_folder(clips, clips.parent / "store", ENCODER, **options)


def made_anew(monkeypatch):
    """Names of the items that are encoded, a list for each shard."""
    names, original = [], encoding.encode_block

    def noted(items, *rest):
        names.append([item.name for item in items])
        return original(items, *rest)

    monkeypatch.setattr(encoding, "encode_block", noted)
    return names


NAMES = ["a/0", "a/2", "a/4", "a/6", "b/1", "b/3", "b/5", "b/7"]
N_SHARDS = len(cut_items([Item(f"{name}.npy", None) for name in NAMES], 3))


def interrupt_at(monkeypatch, name):
    original = encoding.encode_block

    def interrupted(items, *rest):
        if items[0].name == name:
            raise KeyboardInterrupt
        return original(items, *rest)

    monkeypatch.setattr(encoding, "encode_block", interrupted)


def test_a_store_holds_the_systems_of_the_encoder(clips):
    store, data = encode(clips), load_folder(clips)
    expected = ENCODER.fit_transform(data.X)
    for name, array in expected._arrays.items():
        np.testing.assert_array_equal(store[:]._arrays[name], array)
    assert tuple(store.read_texts("names")) == data.names
    assert store.read_texts("labels") == data.y.tolist()
    assert store.read_texts("groups") is None
    assert len(store.shards) > 1
    assert store.skipped == []
    assert sorted(os.listdir(store.path)) == ["index.json", *sorted(s.name for s in store.shards)]


def test_items_that_fail_are_listed_and_left_out(clips):
    (clips / "a" / "2.npy").write_bytes(b"no array")
    np.save(clips / "b" / "3.npy", np.zeros((6, 20)))
    np.save(clips / "b" / "5.npy", np.ones((5, 20)))
    with pytest.warns(UserWarning, match="3 items were skipped, the first because"):
        store = encode(clips)
    reasons = dict(store.skipped)
    assert "2.npy must be an .npy array; got a text" in reasons["a/2.npy"]
    assert reasons["b/3.npy"].startswith("b/3.npy must vary over time; got a constant")
    assert "must have 6 channels like the first item; got 5 channels" in reasons["b/5.npy"]
    assert store.read_texts("names") == ["a/0.npy", "a/4.npy", "a/6.npy", "b/1.npy", "b/7.npy"]
    expected = ENCODER.fit_transform([np.load(clips / name) for name in store.read_texts("names")])
    np.testing.assert_array_equal(store[:].C, expected.C)


def test_a_shard_of_nothing_but_failures_has_no_file(clips):
    for name in ("a/0", "a/2", "a/4"):
        (clips / f"{name}.npy").write_bytes(b"")
    with pytest.warns(UserWarning, match="3 items were skipped"):
        store = encode(clips, shard_size=1)
    assert [shard.length for shard in store.shards] == [0, 0, 0, 1, 1, 1, 1, 1]
    assert len(store[:]) == len(store) == 5
    assert len(store.blocks()) == 5


def test_a_store_of_another_origin_is_left_alone(clips):
    folder = clips.parent / "store"
    LDSStore.write(folder, ENCODER.fit_transform(load_folder(clips).X))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(ValueError, match="be new, empty or one made by encode"):
        encode(clips)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_files_of_others_are_left_alone(clips):
    folder = clips.parent / "store"
    folder.mkdir()
    (folder / "systems-notes.md").write_text("mine")
    with pytest.raises(ValueError, match="got systems-notes.md in it"):
        encode(clips)
    assert (folder / "systems-notes.md").read_text() == "mine"


def test_what_a_manifest_says_is_kept_and_kept_up(clips):
    lines = [f"a/{i}.npy,{{}}{i},part{i},who{i}" for i in (0, 2, 4)]
    for word in ("old", "new"):
        text = "\n".join(["path,label,split,group", *lines]).format(*[word] * 3)
        (clips / "some.csv").write_text(text)
        store = encode_folder(clips / "some.csv", clips.parent / "store", ENCODER, shard_size=3)
        assert [*store.read_texts("labels")] == [f"{word}{i}" for i in (0, 2, 4)]
        assert [*store.read_texts("splits")] == ["part0", "part2", "part4"]
        assert [*store.read_texts("groups")] == ["who0", "who2", "who4"]


def test_nothing_readable_is_an_error(clips):
    for path in clips.rglob("*.npy"):
        path.write_bytes(b"")
    with pytest.raises(
        ValueError, match="at least one of 8 items must be usable; got none. The first: .*a/0.npy"
    ):
        encode(clips)


def test_a_run_goes_on_where_it_was_interrupted(clips, monkeypatch):
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        interrupt_at(patch, "a/4.npy")
        encode(clips, shard_size=1)
    with pytest.raises(FileNotFoundError, match="which resumes an interrupted run"):
        LDSStore.open(clips.parent / "store")
    names = made_anew(monkeypatch)
    assert len(encode(clips, shard_size=1)) == 8
    assert names == [["a/4.npy"], ["a/6.npy"], ["b/1.npy"], ["b/3.npy"], ["b/5.npy"], ["b/7.npy"]]
    names.clear()
    encode(clips, shard_size=1)
    assert names == []


def test_changed_and_new_files_are_encoded_again(clips, monkeypatch):
    encode(clips, shard_size=1)
    names = made_anew(monkeypatch)
    np.save(clips / "a" / "00.npy", np.load(clips / "b" / "7.npy")[:, ::-1])
    assert len(encode(clips, shard_size=1)) == 9
    assert names == [["a/00.npy"]]
    (clips / "a" / "00.npy").unlink()
    np.save(clips / "a" / "0.npy", np.load(clips / "a" / "2.npy")[:, :15])
    store = encode(clips, shard_size=1)
    assert names[1:] == [["a/0.npy"]]
    expected = ENCODER.fit_transform([np.load(clips / "a" / "0.npy")])
    np.testing.assert_array_equal(store[0].C, expected.C)


def test_a_damaged_shard_is_encoded_again(clips, monkeypatch):
    path = clips.parent / "store" / encode(clips, shard_size=1).shards[1].name
    path.write_bytes(path.read_bytes()[:-1])
    names = made_anew(monkeypatch)
    assert encode(clips, shard_size=1).verify() == []
    assert names == [["a/2.npy"]]


def test_shards_of_files_that_are_gone_are_removed(clips):
    encode(clips)
    for path in clips.glob("b/*"):
        path.unlink()
    store = encode(clips)
    assert len(store) == 4
    assert sorted(os.listdir(store.path)) == ["index.json", *sorted(s.name for s in store.shards)]


def test_a_store_of_other_parameters_is_refused(clips):
    encode(clips)
    match = "must have been made with stride=2, as is required now; got one made with stride=1"
    with pytest.raises(ValueError, match=match):
        encode(clips, stride=2)
    (clips.parent / "store" / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="be new, empty or a store; got notes.txt in it"):
        encode(clips)


def test_clips_of_one_item_are_a_group(clips):
    store = encode(clips, length=10, chunk=True)
    assert store.read_texts("names")[:3] == ["a/0.npy#0", "a/0.npy#1", "a/2.npy#0"]
    assert store.read_texts("groups")[:3] == ["a/0.npy", "a/0.npy", "a/2.npy"]


def test_a_share_of_variance_needs_all_sequences(clips):
    with pytest.raises(ValueError, match=r"n_states must be whole to encode files; got 0\.9"):
        encode_folder(clips, clips.parent / "store", LDSEncoder(0.9))


def test_warnings_are_passed_on_once(clips):
    for path in clips.rglob("*.npy"):
        np.save(path, np.arange(20.0)[None] * np.ones((6, 1)))
    with pytest.warns(UserWarning, match="a rank below the 3 states") as caught:
        encode(clips, shard_size=100)
    (warning,) = caught
    assert str(warning.message).startswith("8 sequences have a rank below the 3 states (a/0.npy")


def test_blocks_of_this_process_run_one_after_the_other():
    engine = _parallel.current_engine()
    assert list(engine.map(pow, [(2,), (3,)], 2)) == [4, 9]
    assert engine.submit(pow, [(2,), (3,)], 2) == [4, 9]


def test_the_command_writes_a_store(clips, capsys):
    store = clips.parent / "made"
    arguments = ["encode", str(clips), "-o", str(store), "-n", "3", "--shard-size", "3"]
    assert run([*arguments, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["n_sequences"], record["n_states"], record["n_shards"]) == (8, 3, N_SHARDS)
    np.testing.assert_array_equal(LDSStore.open(store)[:].A, encode(clips)[:].A)
    assert run(arguments) == 0
    assert f"{N_SHARDS}, 0.0 MB" in capsys.readouterr().out


def test_an_interrupt_leaves_a_store_as_it_was(clips, monkeypatch):
    before = encode(clips, shard_size=1)[:]
    for name in ("a/0", "a/2", "b/1"):
        np.save(clips / f"{name}.npy", np.load(clips / f"{name}.npy")[:, ::-1])
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        interrupt_at(patch, "b/1.npy")
        encode(clips, shard_size=1)
    store = LDSStore.open(clips.parent / "store")
    np.testing.assert_array_equal(store[:].C, before.C)
    assert store.verify() == []
    names = made_anew(monkeypatch)
    again = encode(clips, shard_size=1)
    assert names == [["b/1.npy"]]
    expected = ENCODER.fit_transform([np.load(clips / name) for name in again.read_texts("names")])
    np.testing.assert_array_equal(again[:].C, expected.C)
    assert sorted(os.listdir(again.path)) == ["index.json", *sorted(s.name for s in again.shards)]


def failing(monkeypatch, error, stems, times):
    """Let the reader raise an error of some files, so many times each."""
    original, count = ReadingSettings.read_recording, dict.fromkeys(stems, times)

    def read(self, path, *like):
        if count.get(path.stem, 0):
            count[path.stem] -= 1
            raise error
        return original(self, path, *like)

    monkeypatch.setattr(ReadingSettings, "read_recording", read)


def test_a_disk_that_fails_for_a_while_is_asked_again(clips, monkeypatch):
    failing(monkeypatch, OSError(5, "Input/output error"), ["4", "7"], 2)
    assert encode(clips).skipped == []


def test_what_a_disk_did_not_give_is_read_by_the_next_run(clips, monkeypatch):
    monkeypatch.setattr(encoding_tasks, "_PAUSES", (0.0,))
    with monkeypatch.context() as patch, pytest.warns(UserWarning, match="1 item was skipped"):
        failing(patch, OSError(5, "Input/output error"), ["4"], 99)
        assert len(encode(clips, shard_size=1)) == 7
    names = made_anew(monkeypatch)
    assert len(encode(clips, shard_size=1)) == 8
    assert names == [["a/4.npy"]]
    with monkeypatch.context() as patch, pytest.raises(MemoryError):
        failing(patch, MemoryError(), ["1"], 99)
        np.save(clips / "b" / "9.npy", np.load(clips / "b" / "7.npy"))
        np.save(clips / "b" / "1.npy", np.load(clips / "b" / "3.npy"))
        encode(clips)


def test_a_shard_that_is_made_again_leaves_the_one_in_use(clips, monkeypatch):
    """Killed before the index is replaced, the store is what it was."""
    monkeypatch.setattr(encoding_tasks, "_PAUSES", ())
    with monkeypatch.context() as patch, pytest.warns(UserWarning, match="1 item was skipped"):
        failing(patch, OSError(5, "Input/output error"), ["4"], 99)
        before = encode(clips)
    expected = before[:]
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(encoding, "write_index", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        encode(clips)
    store = LDSStore.open(before.path)
    assert store.verify() == []
    np.testing.assert_array_equal(store[:].C, expected.C)
    assert len(encode(clips)) == 8
    assert sum(path.suffix == ".npz" for path in before.path.iterdir()) == N_SHARDS


def test_two_encoders_do_not_share_a_store(clips, tmp_path):
    """As processes of their own: one of them works, the other says who does, or comes later."""
    other = tmp_path / "other"
    for index in range(12):
        (other / "ab"[index % 2]).mkdir(parents=True, exist_ok=True)
        values = np.random.default_rng(index).standard_normal((6, 30)).cumsum(axis=1)
        np.save(other / "ab"[index % 2] / f"new{index}.npy", values)
    options = ["-n", "3", "--shard-size", "1", "-o", str(tmp_path / "store")]
    ended = [
        subprocess.Popen(
            [sys.executable, "-m", "ldslearn", "encode", str(data), *options],
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for data in (clips, other)
    ]
    printed = [process.communicate()[1] for process in ended]
    codes = [process.returncode for process in ended]
    assert 0 in codes
    for code, text in zip(codes, printed, strict=True):
        assert code == 0 or "must be written by one process at a time; process" in text
    store = LDSStore.open(tmp_path / "store")
    assert store.verify() == []
    assert len(store) in (8, 12)
    assert not (tmp_path / "store" / ".lock").exists()


def test_a_second_encoder_is_told_of_the_first(clips, monkeypatch, tmp_path):
    original = encoding.encode_block

    def meanwhile(*arguments):
        with pytest.raises(BlockingIOError, match="must be written by one process at a time"):
            encode_folder(clips / "a", tmp_path / "store", ENCODER)
        return original(*arguments)

    monkeypatch.setattr(encoding, "encode_block", meanwhile)
    assert len(encode(clips)) == 8


def test_damaged_notes_are_made_again(clips, monkeypatch):
    store = clips.parent / "store"
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(encoding, "write_index", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        encode(clips, shard_size=1)
    notes = sorted(store.glob("systems-*.json"))
    assert len(notes) == 8
    notes[0].write_bytes(notes[0].read_bytes().replace(b'"length": 1', b'"length": 2'))
    notes[1].write_bytes(b"[" * 10**5)
    notes[2].unlink()
    names = made_anew(monkeypatch)
    assert len(encode(clips, shard_size=1)) == 8
    assert len(names) == 3


def test_a_pipe_in_place_of_a_note_does_not_hang(clips):
    encode(clips)
    os.mkfifo(clips.parent / "store" / "systems-0123456789abcdef.json")
    assert len(encode(clips)) == 8


def test_an_index_that_is_a_link_stops_the_encoder(clips, tmp_path):
    encode(clips)
    other = tmp_path / "other"
    other.mkdir()
    (other / "index.json").symlink_to(tmp_path / "store" / "index.json")
    with pytest.raises(ValueError, match="be a regular file in order to be replaced; got a link"):
        encode_folder(clips, other, ENCODER)


def test_a_store_of_nothing_is_not_written(clips, monkeypatch):
    monkeypatch.setattr(encoding_tasks, "_PAUSES", ())
    failing(monkeypatch, OSError(116, "Stale file handle"), "0123456", 99)
    seventh = [1]  # readable to begin with, and then no more

    original = encoding.encode_block

    def block(*task):
        if seventh:
            seventh.clear()
            failing(monkeypatch, OSError(116, "Stale file handle"), "7", 99)
        return original(*task)

    monkeypatch.setattr(encoding, "encode_block", block)
    with pytest.raises(ValueError, match=r"none. The first: a/0.npy: .*Stale file handle"):
        encode(clips)
    monkeypatch.undo()
    assert len(encode(clips)) == 8


def test_images_that_are_rewritten_are_read_again(tmp_path, monkeypatch):
    random = np.random.default_rng(0)

    def draw(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for index in range(12):
            picture = random.integers(0, 255, (6, 5), dtype=np.uint8)
            Image.fromarray(picture).save(folder / f"{index}.png")

    draw(tmp_path / "clips" / "first")
    draw(tmp_path / "clips" / "second")
    before = encode(tmp_path / "clips")[:]
    draw(tmp_path / "clips" / "second")
    after = encode(tmp_path / "clips")
    np.testing.assert_array_equal(before[0].C, after[0].C)
    fresh = encode_folder(tmp_path / "clips", tmp_path / "fresh", ENCODER)
    np.testing.assert_array_equal(after[:].C, fresh[:].C)


def test_numbers_of_numpy_are_numbers(clips):
    store = encode_folder(clips, clips.parent / "n", LDSEncoder(np.int64(3), n_noise=np.int64(2)))
    assert store.about["encoder"]["n_states"] == 3


def test_only_the_first_item_is_read_to_begin_with(clips, monkeypatch):
    read, original = [], ReadingSettings.read_recording
    monkeypatch.setattr(
        ReadingSettings,
        "read_recording",
        lambda self, path, *like: read.append(path) or original(self, path, *like),
    )
    encode(clips)
    assert len(read) == 8 + 2  # the first for its size, and for the encoder


def test_frames_keep_the_size_of_the_store(tmp_path):
    """Also when a file that comes first has another."""
    random = np.random.default_rng(0)
    for name in "bc":
        (tmp_path / "clips" / name).mkdir(parents=True)
        np.save(tmp_path / "clips" / name / "0.npy", random.random((12, 6, 8)))
    encode(tmp_path / "clips")
    (tmp_path / "clips" / "a").mkdir()
    np.save(tmp_path / "clips" / "a" / "0.npy", random.random((12, 9, 9)))
    store = encode(tmp_path / "clips")
    assert len(store) == 3
    assert store.n_channels == 48


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=300, unique=True), st.integers(1, 20))
def test_a_new_item_changes_few_blocks(numbers, size):
    items = [Item(str(number), None) for number in sorted(numbers)]
    blocks = cut_items(items, size)
    assert [item for block in blocks for item in block] == items
    assert max(map(len, blocks)) <= 2 * size
    with_one_more = cut_items([Item("-1", None), *items], size)
    hashed = [b for b in blocks[1:] if zlib.crc32(b[0].name.encode()) % size == 0]
    if hashed:  # from the first block that a name begins, all is as it was
        at = blocks.index(hashed[0])
        assert with_one_more[-len(blocks[at:]) :] == blocks[at:]


def test_blocks_are_of_about_the_size_asked_for():
    blocks = cut_items([Item(f"clip{number}.avi", None) for number in range(10**4)], 64)
    assert 40 < 10**4 / len(blocks) < 70


@pytest.mark.parametrize("name", ["a/00", "b/99"])
def test_items_unlike_those_of_the_store_are_left_out(clips, name):
    """Wherever they sort."""
    encode(clips)
    np.save(clips / f"{name}.npy", np.random.default_rng(0).standard_normal((5, 20)))
    with pytest.warns(UserWarning, match="1 item was skipped, the first because"):
        store = encode(clips)
    assert len(store) == 8
    assert store.n_channels == 6


@pytest.mark.parametrize("name", ["check_values", "frame_of"])
def test_a_mistake_of_ours_is_no_item_to_skip(clips, monkeypatch, name):
    monkeypatch.setattr(encoding_tasks, name, lambda *_, **options: None + 1)
    with pytest.raises(TypeError, match="unsupported operand"):
        encode(clips)
