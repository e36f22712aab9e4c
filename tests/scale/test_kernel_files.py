"""Kernel matrices on disk: full disks, second writers and damaged progress."""

import errno
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from ldslearn.geometry import pairwise_kernel
from ldslearn.scale import LDSStore, kernel_files, write_kernel

from support.interruptions import interrupt_kernel
from support.makers import contractions


@pytest.fixture
def systems(monkeypatch):
    monkeypatch.setattr(kernel_files, "_TILE", 700)  # three or four blocks
    return contractions(10, 6, 3)


def count_tiles(monkeypatch):
    original, made = kernel_files.compute_tile, []

    def tile(*arguments, **settings):
        made.append(1)
        return original(*arguments, **settings)

    monkeypatch.setattr(kernel_files, "compute_tile", tile)
    return made


def test_a_full_disk_is_told_before_the_work(systems, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    made = count_tiles(monkeypatch)
    message = "file .*K.npy must fit on its disk; got: No space left on device. It needs 0.0 MiB."
    with pytest.raises(OSError, match=message):
        write_kernel(tmp_path / "K.npy", systems)
    assert made == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("free", [10**12, 10])
def test_room_is_looked_for_where_it_cannot_be_reserved(systems, tmp_path, monkeypatch, free):
    from ldslearn import _writing

    def unsupported(*_):
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")

    usage = type("usage", (), {"free": free})
    monkeypatch.setattr(os, "posix_fallocate", unsupported)
    monkeypatch.setattr(_writing.shutil, "disk_usage", lambda _: usage)
    if free < 100:
        with pytest.raises(OSError, match="must fit on its disk"):
            write_kernel(tmp_path / "K.npy", systems)
        assert list(tmp_path.iterdir()) == []
    else:
        K = write_kernel(tmp_path / "K.npy", systems)
        np.testing.assert_allclose(K, pairwise_kernel(systems), rtol=1e-12)


LIMITED = """
import resource, sys
sys.path.insert(0, sys.argv[2])
from support.interruptions import interrupt_kernel
from support.makers import contractions
from ldslearn.scale import write_kernel
systems = contractions(300, 4, 2)
resource.setrlimit(resource.RLIMIT_FSIZE, (2**18, 2**18))
try:
    write_kernel(sys.argv[1], systems)
except OSError as error:
    print(error)
"""


def test_a_process_that_may_not_write_so_much_lives(tmp_path):
    tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    command = [sys.executable, "-c", LIMITED, str(tmp_path / "K.npy"), tests]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "K.npy must fit on its disk; got: File too large. It needs 0.7 MiB." in ended.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_kernel_has_one_writer(systems, tmp_path, monkeypatch):
    path, original = tmp_path / "K.npy", kernel_files.compute_tile

    def meanwhile(*arguments, **settings):
        with pytest.raises(BlockingIOError, match="kernel .*K.npy must be written by one process"):
            write_kernel(path, systems[:4])
        return original(*arguments, **settings)

    monkeypatch.setattr(kernel_files, "compute_tile", meanwhile)
    K = write_kernel(path, systems)
    np.testing.assert_allclose(K, pairwise_kernel(systems), rtol=1e-12)
    assert [file.name for file in tmp_path.iterdir()] == ["K.npy"]


def test_progress_is_kept_if_it_is_whole(systems, tmp_path, monkeypatch):
    path = tmp_path / "K.npy"
    interrupt_kernel(path, systems, after=3)
    made = count_tiles(monkeypatch)
    K = write_kernel(path, systems)
    n_blocks = len(kernel_files.cut_systems(systems, kernel_files._TILE))
    assert len(made) == n_blocks * (n_blocks + 1) // 2 - 3
    np.testing.assert_allclose(K, pairwise_kernel(systems), rtol=1e-12)


def damage_values(part, note):
    K = np.lib.format.open_memmap(part, "r+")
    K[0, 0] += 1.0


def damage_mirror(part, note):
    K = np.lib.format.open_memmap(part, "r+")
    K[-1, 0] = 7.0


def damage_zeros(part, note):
    np.lib.format.open_memmap(part, "r+")[:] = 0.0


def damage_order(part, note):
    K = np.load(part)
    np.save(part.with_suffix(".npy"), np.asfortranarray(K))
    part.with_suffix(".npy").replace(part)


def damage_size(part, note):
    np.save(part.with_suffix(".npy"), np.zeros((2, 2)))
    part.with_suffix(".npy").replace(part)


def cut(part, note):
    os.truncate(part, 200)


def damage_note(part, note):
    found = json.loads(note.read_bytes())
    found["tiles"].append([0, 9, 1])
    note.write_text(json.dumps(found))


def nest_note(part, note):
    note.write_bytes(b"[" * 10**6)


def damage_header(part, note):
    """A bracket that nobody closes."""
    with part.open("r+b") as file:
        start = file.read(128)
        file.seek(start.index(b")"))
        file.write(b"(")


def lengthen(part, note):
    with part.open("ab") as file:
        file.write(b"more")


DAMAGES = [
    damage_values, damage_mirror, damage_zeros, damage_order, damage_size, cut, damage_note,
    nest_note, damage_header, lengthen,
]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_progress_that_was_damaged_is_made_again(systems, tmp_path, monkeypatch, damage):
    path = tmp_path / "K.npy"
    interrupt_kernel(path, systems, after=9)
    damage(tmp_path / "K.npy.part", tmp_path / "K.npy.done")
    K = write_kernel(path, systems)
    np.testing.assert_allclose(K, pairwise_kernel(systems), rtol=1e-12)
    assert path.stat().st_size == 128 + K.nbytes


def test_pipes_in_place_of_progress_are_refused(systems, tmp_path):
    for end in (".part", ".done"):
        os.mkfifo(tmp_path / f"K.npy{end}")
        with pytest.raises(ValueError, match="must be a new or a regular file; got a pipe"):
            write_kernel(tmp_path / "K.npy", systems)
        (tmp_path / f"K.npy{end}").unlink()


@pytest.mark.parametrize("end", [".part", ".done"])
def test_links_in_place_of_progress_are_refused(systems, tmp_path, end):
    (tmp_path / "precious").write_text("kept")
    (tmp_path / f"K.npy{end}").symlink_to("precious")
    with pytest.raises(ValueError, match=f"{end} must be a new or a regular file; got a link"):
        write_kernel(tmp_path / "K.npy", systems)
    assert (tmp_path / "precious").read_text() == "kept"


def test_what_has_another_name_stays_under_it(systems, tmp_path):
    (tmp_path / "precious").write_text("kept")
    os.link(tmp_path / "precious", tmp_path / "K.npy.part")
    write_kernel(tmp_path / "K.npy", systems)
    assert (tmp_path / "precious").read_text() == "kept"
    assert sorted(os.listdir(tmp_path)) == ["K.npy", "precious"]


def test_permissions_of_a_kernel_stay(systems, tmp_path, monkeypatch):
    path = tmp_path / "K.npy"
    path.write_bytes(b"old")
    path.chmod(0o600)
    interrupt_kernel(path, systems, after=3)
    assert (tmp_path / "K.npy.part").stat().st_mode & 0o777 == 0o600
    write_kernel(path, systems)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_kernel_is_not_written_into_its_store(systems, tmp_path):
    store = LDSStore.write(tmp_path / "store", systems)
    with pytest.raises(ValueError, match="must be outside of .*store, which is read"):
        write_kernel(tmp_path / "store" / "K.npy", store)


def test_names_leave_room_for_suffixes(systems, tmp_path):
    with pytest.raises(ValueError, match="must have at most 250 bytes; got 251"):
        write_kernel(tmp_path / ("n" * 247 + ".npy"), systems)
