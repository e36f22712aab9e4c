"""Kill a process before each of its file operations, and see what is left; run as a program.

``python -m support.kills FOLDER SCENARIO [COUNT]`` does the work of a scenario in a process that is
ended by SIGKILL before its first, second, ... operation on a file, `COUNT` of them spread evenly or
all, does it again to the end in another process, and prints one JSON object.
"""

import json
import os
import shutil
import signal
import sys
from contextlib import contextmanager
from pathlib import Path

import joblib
import numpy as np

from ldslearn import LDS, LDSEncoder, LDSIndex, _writing
from ldslearn.datasets import Collection
from ldslearn.datasets.formats.npz import load_npz, save_npz
from ldslearn.paper.data_sets import DataSet
from ldslearn.paper.ledger import Ledger, Run
from ldslearn.scale import LDSStore, encode_folder, kernel_files, write_kernel

EVENTS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.truncate"}
ENCODER = LDSEncoder(2, n_jobs=1)
SYSTEMS = [
    ENCODER.fit_transform([np.random.default_rng(i).normal(size=(4, 30)).cumsum(axis=1)])
    for i in range(6)
]  # fmt: skip


class Scenario:
    """Some work on a folder, and what may be in it whenever the work is cut off."""

    def before(self, home):
        """What is there to begin with."""

    def work(self, home):
        """What is cut off, and done again."""

    def state(self, home):
        """What a user would find."""

    def names(self, home):
        """Files that are left in the end."""
        return sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())


class Encoding(Scenario):
    """A store that is made, or made anew after some files changed."""

    def __init__(self, again):
        self.again = again

    def before(self, home):
        for index in range(5):
            (home / "clips").mkdir(exist_ok=True)
            values = np.random.default_rng(index).normal(size=(4, 30)).cumsum(axis=1)
            np.save(home / "clips" / f"{index}.npy", values)
        if self.again:
            self.work(home)
            for index in (1, 3):
                path = home / "clips" / f"{index}.npy"
                np.save(path, np.load(path)[:, ::-1] + 1.0)

    def work(self, home):
        encode_folder(home / "clips", home / "store", ENCODER, shard_size=1)

    def state(self, home):
        if not (home / "store" / "index.json").exists():
            return None
        store = LDSStore.open(home / "store")
        assert store.verify() == []
        return joblib.hash((store[:], store.read_texts("names")))


class Kernel(Scenario):
    """A kernel matrix, in tiles of single systems, each noted at once."""

    def work(self, home):
        kernel_files._TILE, kernel_files._SAVED_EVERY = 0, -1.0
        write_kernel(home / "K.npy", LDS.concatenate(SYSTEMS[:3]), n_jobs=1)

    def state(self, home):
        return joblib.hash(np.load(home / "K.npy")) if (home / "K.npy").exists() else None


class Storing(Scenario):
    """A store that is written batch by batch."""

    def work(self, home):
        try:
            LDSStore.write(home / "store", SYSTEMS[:3])
        except ValueError:
            assert self.state(home), "what is refused must be finished"

    def state(self, home):
        if not (home / "store" / "index.json").exists():
            return None
        store = LDSStore.open(home / "store")
        assert store.verify() == []
        return joblib.hash(store[:])


class Adding(Scenario):
    """Systems that are added to an index with a graph, which grows."""

    def before(self, home):
        index = LDSIndex(exact_below=2, n_landmarks=2, n_jobs=1)
        index.save(home / "index")
        index.add(LDS.concatenate(SYSTEMS[:3]))

    def work(self, home):
        index = LDSIndex.open(home / "index", n_jobs=1)
        if len(index) == 3:
            index.add(LDS.concatenate(SYSTEMS[3:]), names=["a", "b", "c"])

    def state(self, home):
        index = LDSIndex.open(home / "index", n_jobs=1)
        assert index.has_graph
        ids, similarities = index.search(index.get_systems(index.ids), 1)
        assert ids.ravel().tolist() == index.ids.tolist()
        assert np.allclose(similarities, 1)
        return joblib.hash((index.get_systems(index.ids), index.get_names(index.ids)))

    def names(self, home):
        """Without the graph before the last one and the lock, which the next change removes."""
        left = ("index/.lock", "index/graph-000000.npy", "index/graph-000000.usearch")
        return [name for name in super().names(home) if name not in left]


class Replacing(Scenario):
    """A file of systems and a collection that replace earlier ones."""

    def before(self, home):
        self._write(home, 0)

    def work(self, home):
        self._write(home, 1)

    def _write(self, home, which):
        SYSTEMS[which].save(home / "systems.lds")
        save_npz(home / "data.npz", Collection([np.full((2, 3), float(which))], ["a"]))

    def state(self, home):
        return [
            [joblib.hash(LDS.load(home / "systems.lds").A)],
            [joblib.hash(load_npz(home / "data.npz").X)],
        ]


class Recording(Scenario):
    """Records of runs."""

    def work(self, home):
        data = Collection(
            [np.arange(12.0).reshape(2, 6) + i for i in range(4)], ["a", "a", "b", "b"]
        )
        source = DataSet("toy", "Toy", "embedded", data, {"protocol": "folds:2"})
        ledger = Ledger(home / "records")
        for n_states in (1, 2, 3):
            run = Run("classify", source, {"n_states": n_states})
            assert ledger.find_or_compute(run, lambda run: {"x": run.parameters["n_states"]}) == {
                "x": n_states
            }

    def state(self, home):
        found = sorted((home / "records").glob("*.json"))
        assert all(json.loads(path.read_bytes())["numbers"] for path in found)
        return None if len(found) < 3 else [path.name for path in found]

    def names(self, home):
        return sorted(path.name for path in (home / "records").iterdir())


SCENARIOS = {
    "encode": Encoding(again=False),
    "encode-again": Encoding(again=True),
    "kernel": Kernel(),
    "store": Storing(),
    "add": Adding(),
    "replace": Replacing(),
    "record": Recording(),
}


@contextmanager
def counting(home, on_event):
    """Call a function before each operation on files of a folder."""
    active, fsync = [True], os.fsync

    def hook(event, arguments):
        if active[0] and event in EVENTS:
            path = arguments[0]
            if isinstance(path, str | bytes | os.PathLike) and str(home) in os.fspath(path):
                on_event()

    def flushed(number):
        on_event()
        fsync(number)

    sys.addaudithook(hook)
    os.fsync = flushed
    try:
        yield
    finally:
        active[0], os.fsync = False, fsync


def in_child(function, *arguments):
    """Call a function in a process of its own, and return how that ended and what was printed.

    This process never writes files itself: each child begins as a new program does.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            code, text = 0, json.dumps(function(*arguments))
        except BaseException as error:
            code, text = 1, f"{type(error).__name__}: {error}"
        with open(writer, "w") as file:
            file.write(text)
        os._exit(code)
    os.close(writer)
    with open(reader) as file:
        text = file.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text


def count_moments(scenario, home):
    """Do the work, and return how many operations on files it takes."""
    seen = []
    with counting(home, lambda: seen.append(1)):
        scenario.work(home)
    return len(seen)


def work_until(moment, scenario, home):
    """Do the work in a process that is killed before its operation of that number."""
    seen = []

    def on_event():
        seen.append(1)
        if len(seen) == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    with counting(home, on_event):
        scenario.work(home)


def main(folder, name, count):
    scenario, home, start = SCENARIOS[name], folder / "home", folder / "start"
    start.mkdir(parents=True)
    assert in_child(scenario.before, start) == (0, "null")
    shutil.copytree(start, home)
    old = scenario.state(home) if any(home.iterdir()) else None
    code, text = in_child(count_moments, scenario, home)
    assert code == 0, text
    total = int(text)
    new, names = scenario.state(home), scenario.names(home)
    moments = range(1, total + 1)
    if count and count < total:
        moments = sorted({round(x) for x in np.linspace(1, total, count)})
    kills, failures = 0, []
    for moment in moments:
        shutil.rmtree(home)
        shutil.copytree(start, home)
        kills += in_child(work_until, moment, scenario, home)[0] == -signal.SIGKILL
        try:
            allowed = zip(old, new, strict=True) if isinstance(old, list) else [(old, new)]
            found = scenario.state(home) if any(home.iterdir()) else None
            found = found if isinstance(old, list) else [found]
            assert all(one in pair for one, pair in zip(found, allowed, strict=True)), "a mixture"
            code, text = in_child(scenario.work, home)
            assert code == 0, text
            assert scenario.state(home) == new, "another result"
            assert scenario.names(home) == names, scenario.names(home)
        except Exception as error:
            failures.append(f"{moment}: {type(error).__name__}: {error}"[:500])
    assert not _writing._tidied, "this process wrote files"
    print(json.dumps({"moments": total, "kills": kills, "failures": failures}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0)
