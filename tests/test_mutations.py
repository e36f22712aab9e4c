"""Damaged files load, or an error names them; none crashes, hangs, warns or takes much memory.

Files with checksums are never read as anything but what was written. ``LDSLEARN_FUZZ=10000`` sets
the number of damaged files per format.
"""

import importlib.util
import io
import os
import shutil
import signal
import sys
import zipfile
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import joblib
import numpy as np
import pytest
import scipy.io
from PIL import Image

from ldslearn import LDS, LDSDictionary, load, save
from ldslearn.datasets import load_arff, load_folder, load_mat, load_npz, load_ts, save_npz
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.formats.csv_table import read_csv
from ldslearn.evaluate import train
from ldslearn.paper.data_sets import DataSet
from ldslearn.paper.ledger import Ledger, Run
from ldslearn.persist import Model
from ldslearn.scale import LDSStore, kernel_files, write_kernel
from ldslearn.scale.resuming import find_finished, name_note, write_note
from ldslearn.scale.shards import INDEX, Shard
from ldslearn.video import read_video, write_video

from support.interruptions import interrupt_kernel
from support.makers import contractions, ragged_sequences, random_systems
from support.matlab import cell, save_mat73
from support.mutations import mutations

N_FILES = int(os.environ.get("LDSLEARN_FUZZ", "60"))
SECONDS = 5  # of processor time: the machine may be busy
MEMORY = 2**30  # bytes beyond what an idle process has
X = ragged_sequences(3, n_channels=2, shortest=3, longest=6)
LABELS = ["a", "b", "a"]


def write_npz(path):
    settings = {"groups": np.array(LABELS), "frame_shape": (1, 2), "preprocessing": {"size": 2}}
    save_npz(path, Collection(X, np.array(LABELS), **settings))


def write_lds(path):
    random_systems(2, n_channels=3, n_states=2).save(path)


def write_ts(path):
    rows = [
        ":".join(",".join(map("{:.3f}".format, channel)) for channel in x) + f":{label}\n"
        for x, label in zip(X, LABELS, strict=True)
    ]
    path.write_text(
        "#set\n@problemName s\n@timeStamps false\n@univariate false\n@dimensions 2\n"
        "@equalLength false\n@classLabel true a b\n@data\n" + "".join(rows)
    )


def write_arff(path):
    path.write_text(
        "@relation r\n@attribute bag relational\n  @attribute t0 numeric\n  @attribute t1 numeric\n"
        "@end bag\n@attribute class {a,b}\n@data\n'1,2.5\\n3,4',a\n'5,?\\n-7e-3,?',b\n"
    )


def write_csv(path):
    rows = [",".join(map("{:.4f}".format, point)) + "\n" for point in X[0].T]
    path.write_text("time,force\n" + "".join(rows))


def write_mat(path, compressed=False):
    entries = {"size": 3.0, "text": "some"}
    variables = {"X": cell(*X), "y": cell(*LABELS), "s": entries, "e": scipy.sparse.eye(3).tocsc()}
    scipy.io.savemat(path, variables, do_compression=compressed)


def write_compressed_mat(path):
    write_mat(path, compressed=True)


def write_mat73(path):
    import h5py

    save_mat73(h5py, path, {"X": X, "y": LABELS, "s": {"size": np.ones((1, 1)), "text": "some"}})


def write_model(path):
    train(Collection([*X, *X], LABELS * 2), "lds-martin", n_states=1, delays=1).save(path)


def write_manifest(path):
    lines = [f"{number}.npy,{label}\n" for number, label in enumerate(LABELS)]
    for number, x in enumerate(X):
        np.save(path.parent / f"{number}.npy", x)
    path.write_text("path,label\n" + "".join(lines))


def write_film(suffix):
    def write(path):
        frames = 255 * np.random.default_rng(0).random((5, 16, 16))
        write_video(path.with_suffix(suffix), frames)
        path.with_suffix(suffix).rename(path)

    return write


def write_image(path):
    Image.fromarray(np.arange(256, dtype=np.uint8).reshape(16, 16)).save(path, "png")


def write_dictionary(path):
    systems = contractions(6, 3, 2)
    save(LDSDictionary(2, max_iter=1, random_state=0).fit(systems), path)


def write_store(path):
    """A store whose first shard, or index, is the file that is damaged: whichever it is named."""
    systems = random_systems(6, n_channels=3, n_states=2)
    path.unlink(missing_ok=True)
    (path.parent / ".lock").unlink(missing_ok=True)
    for file in path.parent.iterdir():
        file.unlink()
    LDSStore.write(path.parent, [systems[:2], systems[2:3], systems[3:]])


def read_store(path):
    store = LDSStore.open(path.parent)
    return store[:], store.about, store.skipped


SHARD = Shard("systems-0123456789abcdef.npz", 0, fingerprint="f" * 64, skipped=(("a", "bad"),))


def write_a_note(path):
    write_note(path.parent, SHARD.fingerprint, SHARD)
    (path.parent / name_note(SHARD.fingerprint)).replace(path)


def read_a_note(path):
    return find_finished(path.parent).get(SHARD.fingerprint, REFUSED)


SOURCE = DataSet(
    "toy", "Toy", "embedded", Collection([*X, *X], LABELS * 2), {"protocol": "folds:2"}
)  # fmt: skip
RUN = Run("classify", SOURCE, {"n_states": 2})


def write_record(path):
    Ledger(path.parent).find_or_compute(RUN, lambda run: {"accuracy": [0.25, 0.5], "n": 3})
    Ledger(path.parent).path(RUN).replace(path)


def read_record(path):
    ledger = Ledger(path.parent)
    path.replace(ledger.path(RUN))
    found = ledger.find(RUN)
    ledger.path(RUN).replace(path)
    return REFUSED if found is None else (found, ledger.seconds, ledger.makers)


SYSTEMS = random_systems(5, n_channels=4, n_states=2)


def write_progress(path):
    """Half a kernel on disk; its notes, or its file, are what is damaged: whichever it is named."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel_files, "_TILE", 0)
        interrupt_kernel(path.with_suffix(""), SYSTEMS, after=4)
    for end in (".part", ".done"):
        shutil.copy(path.with_suffix(end), path.with_suffix(f"{end}.kept"))


def read_progress(path):
    """The kernel that is made from what was damaged, which must be the right one."""
    other = path.with_suffix(".done" if path.suffix == ".part" else ".part")
    shutil.copy(path.with_suffix(f"{other.suffix}.kept"), other)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel_files, "_TILE", 0)
        return np.array(write_kernel(path.with_suffix(""), SYSTEMS))


def damage_start(data, random):
    """Damage the header of an npy file more often than its numbers, which are many."""
    at = random.choice((128, len(data)))
    return mutations(data[:at], random) + data[at:]


class Case(NamedTuple):
    """A format: how a file of it is written and read, its name, and what tells that it changed."""

    write: Any
    read: Any
    name: str = "damaged.file"
    checked: str = "nothing"  # "nothing", "bytes" (by a checksum of an archive) or "all"
    damage: Any = mutations


REFUSED = "refused"
NEEDS_H5PY = pytest.mark.skipif(not importlib.util.find_spec("h5py"), reason="h5py is missing")
CASES = {
    "npz": Case(write_npz, load_npz, checked="bytes"),
    "lds": Case(write_lds, LDS.load, checked="bytes"),
    "dictionary": Case(write_dictionary, load, checked="all"),
    "model": Case(write_model, Model.load, checked="all"),
    "index": Case(write_store, read_store, INDEX, checked="all"),
    "shard": Case(write_store, read_store, "systems-000000.npz", checked="all"),
    "note": Case(write_a_note, read_a_note, name_note(SHARD.fingerprint), checked="all"),
    "record": Case(write_record, read_record, checked="all"),
    "progress": Case(write_progress, read_progress, "K.npy.done", checked="all"),
    "kernel": Case(write_progress, read_progress, "K.npy.part", "all", damage_start),
    "ts": Case(write_ts, load_ts),
    "arff": Case(write_arff, load_arff),
    "csv": Case(write_csv, read_csv),
    "mat": Case(write_mat, load_mat),
    "mat-compressed": Case(write_compressed_mat, load_mat),
    "mat-73": Case(write_mat73, load_mat),
    "manifest": Case(write_manifest, load_folder),
    "avi": Case(write_film(".avi"), read_video),
    "mkv": Case(write_film(".mkv"), read_video),
    "mp4": Case(write_film(".mp4"), read_video),
    "gif": Case(write_film(".gif"), read_video),
    "png": Case(write_image, read_video),
}


def inside(data, random):
    """Damage one member of an archive and pack it again, so that its checksum is right."""
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as old,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        chosen = random.choice(old.namelist())
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, mutations(content, random) if name == chosen else content)
    return packed.getvalue()


@pytest.fixture
def little_memory():
    """Let this process take no more than `MEMORY` bytes beyond what it has."""
    resource = pytest.importorskip("resource")
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("the system does not tell what a process has")
    line = next(x for x in status.read_text().splitlines() if x.startswith("VmData:"))
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (1024 * int(line.split()[1]) + MEMORY, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_DATA, before)


@contextmanager
def limited_time():
    """End what takes more than `SECONDS` of processor time, as an endless loop does."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_):
        raise AssertionError(f"more than {SECONDS} s of processor time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def test_an_endless_loop_is_ended(monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "SECONDS", 0.1)
    with pytest.raises(AssertionError, match="more than 0.1 s of processor time"), limited_time():
        while True:
            pass


@pytest.mark.filterwarnings("ignore:the last frame of .* may have been cut short")
@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=name, marks=[NEEDS_H5PY] if name == "mat-73" else [])
        for name, case in CASES.items()
    ],
)
def test_damaged_files_load_or_are_named(tmp_path, case):
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / case.name
    case.write(path)
    whole = path.read_bytes()
    expected = joblib.hash(case.read(path))
    path.write_bytes(whole)
    assert joblib.hash(case.read(path)) == expected
    random = Random(0)
    counts = dict.fromkeys(("refused", "same", "changed"), 0)
    for _ in range(N_FILES):
        packed_again = whole.startswith(b"PK") and random.random() < 0.5
        damaged = (inside if packed_again else case.damage)(whole, random)
        path.write_bytes(damaged)
        message = None
        try:
            with limited_time():
                found = case.read(path)
        except (ValueError, OSError) as error:  # any other error, and any warning, ends the test
            found, message = REFUSED, str(error)
        assert message is None or (path.name in message and len(message) < 1000)
        same = joblib.hash(found) == expected
        counts["refused" if found is REFUSED else "same" if same else "changed"] += 1
        if case.checked == "all" or (case.checked == "bytes" and not packed_again):
            assert same or found is REFUSED, f"read as something else, silently: {damaged[:2000]!r}"
    if case.read is not read_progress:  # what is refused there is made again
        assert counts["refused"] > N_FILES / 10
    if "LDSLEARN_FUZZ" in os.environ:
        print(f"\n{case.name}: {counts}", file=sys.__stderr__)
