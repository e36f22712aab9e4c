"""Data sets of the experiments: the paper's own, stand-ins, embedded and synthetic ones."""

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ldslearn import _errors
from ldslearn.datasets import (
    Collection,
    load_basic_motions,
    load_cambridge,
    load_dyntexpp,
    load_japanese_vowels,
    load_npz,
    load_tactile,
    load_ucla,
    load_ucsd,
    make_dynamic_textures,
    make_lds_sequences,
)
from ldslearn.datasets.summary import fingerprint
from ldslearn.evaluate.protocol_names import parse_protocol
from ldslearn.evaluate.protocols import Protocol, Split
from ldslearn.paper.plans import read_collections
from ldslearn.video import to_sequence


@dataclass(frozen=True)
class DataSet:
    """An available collection, with its protocols and parameters.

    Attributes
    ----------
    name, title, origin : str
        Of ``configs/collections.toml``.
    data : Collection
    settings : dict
        Protocols, states, delays, scale and mix for this collection.
    n_jobs : int or None
        Number of threads.
    """

    name: str
    title: str
    origin: str
    data: Collection
    settings: dict[str, Any]
    n_jobs: int | None = -1

    @cached_property
    def fingerprint(self) -> str:
        """Hash of sequences, labels, frame shape, and training and test parts."""
        digest = hashlib.sha256(fingerprint(self.data).encode())
        digest.update(str(self.data.frame_shape).encode())
        halves = self.split_halves() if "halves" in self.settings else []
        for part in (part for split in (*self.splits(), *halves) for part in split):
            digest.update(np.asarray(part, dtype=np.int64).tobytes() + b";")
        return digest.hexdigest()

    @property
    def protocol(self) -> Protocol:
        """The protocol of classification."""
        return parse_protocol(self.settings["protocol"])

    def splits(self, seed: int = 0) -> list[Split]:
        """Return training and test part of every round of classification."""
        return self.protocol.splits(self.data, seed)

    def split_halves(self, most: int | None = None) -> list[Split]:
        """Return random halves for dictionaries; `most` at most, else the collection's number."""
        protocol = parse_protocol(self.settings["halves"])
        most = self.settings.get("most_halves", protocol.repeats) if most is None else most
        return replace(protocol, repeats=min(protocol.repeats, most)).splits(self.data)

    def limit_states(self, n_states: int) -> int:
        """Return the number of states, or the largest that channels and lengths allow."""
        shortest = min(x.shape[1] for x in self.data.X)
        return min(n_states, len(self.data.X[0]) * self.delays, shortest - self.delays)

    @property
    def n_states(self) -> int:
        """The number of states of experiments that do not vary it."""
        return self.limit_states(self.settings["n_states"])

    def list_states(self, most: int | None = None) -> list[int]:
        """Return the numbers of states to compare that the sequences allow.

        At most `most` of them, from the smallest to the largest, and `n_states`.
        """
        allowed = [n for n in self.settings["states"] if n == self.limit_states(n)]
        if most is not None and len(allowed) > most:
            places = np.linspace(0, len(allowed) - 1, most).round().astype(int)
            allowed = [allowed[place] for place in places]
        return sorted({self.n_states, *allowed})

    @property
    def delays(self) -> int:
        """The number of lagged copies."""
        return int(self.settings.get("delays", 1))


class Library:
    """Finds data sets, and reads each once.

    Parameters
    ----------
    folder : path or None
        Folder of the paper's sets and of stand-ins.
    n_jobs : int or None
    """

    def __init__(self, folder: str | os.PathLike[str] | None, n_jobs: int | None = None) -> None:
        self.folder = None if folder is None else Path(folder)
        self.n_jobs = n_jobs
        self.known = read_collections()
        self._read: dict[str, DataSet] = {}
        if self.folder is not None:
            if not self.folder.is_dir():
                raise FileNotFoundError(
                    f"the folder of data sets must exist; {self.folder} is no folder. "
                    "Without one, embedded data are used; docs/datasets.md says where to get "
                    "the paper's."
                )
            if not any(
                self.is_available(name) for name in self.known if "path" in self.known[name]
            ):
                paths: dict[str, str] = {}
                for entry in self.known.values():
                    if "path" in entry:  # a part of a set comes after the whole
                        paths.setdefault(entry["path"], entry["title"])
                raise _no_data_in_folder(self.folder, paths)

    def is_available(self, name: str) -> bool:
        """Whether a data set is embedded, or its files are in the folder."""
        path = self.known[name].get("path")
        if path is None:
            return True
        return self.folder is not None and (self.folder / path).exists()

    def find_available(self, chain: Iterable[str]) -> str | None:
        """Return the first of these names that is available, or None."""
        return next((name for name in chain if self.is_available(name)), None)

    def load(self, name: str) -> DataSet:
        """Return a data set by its name."""
        if name not in self._read:
            entry = dict(self.known[name])
            path = None
            if self.folder is not None and "path" in entry:
                path = self.folder / entry["path"]
            if path is None:
                data = _EMBEDDED[name](entry)
            elif path.is_file():
                data = load_npz(path)
            else:
                data = _READERS[name](path, self.n_jobs)
            if data.y is None:
                raise _errors.bad_file(path or name, "have labels", "none")
            title, origin = entry.pop("title"), entry.pop("origin")
            self._read[name] = DataSet(name, title, origin, data, entry, self.n_jobs)
        return self._read[name]


_READERS: dict[str, Callable[[Path, int | None], Collection]] = {
    "cambridge": lambda path, n_jobs: load_cambridge(path, n_jobs=n_jobs),
    "ucsd": lambda path, n_jobs: load_ucsd(path, n_jobs=n_jobs),
    "ucla": lambda path, n_jobs: load_ucla(path, n_jobs=n_jobs),
    "dyntexpp": lambda path, n_jobs: load_dyntexpp(path, n_jobs=n_jobs),
    "dyntexpp9": lambda path, n_jobs: load_dyntexpp(path, classes="nine", n_jobs=n_jobs),
    "sd": lambda path, n_jobs: load_tactile(path, "sd", n_jobs=n_jobs),
    "spr": lambda path, n_jobs: load_tactile(path, "spr", n_jobs=n_jobs),
    "bdh": lambda path, n_jobs: load_tactile(path, "bdh", n_jobs=n_jobs),
}


def _make_textures(entry: dict[str, Any]) -> Collection:
    videos, kinds = make_dynamic_textures(random_state=0, **entry["draw"])
    return Collection([to_sequence(v) for v in videos], kinds, frame_shape=videos.shape[2:])


def _make_systems(entry: dict[str, Any]) -> Collection:
    options = dict(entry["draw"])
    if isinstance(options["n_timepoints"], list):
        options["n_timepoints"] = tuple(options["n_timepoints"])
    X, y = make_lds_sequences(random_state=0, **options)
    return Collection(X, y.astype(str))


def _join_parts(parts: tuple[Any, Any, Any, Any]) -> Collection:
    X_train, y_train, X_test, y_test = parts
    split = ["train"] * len(X_train) + ["test"] * len(X_test)
    y = np.concatenate([y_train, y_test])
    return Collection([*X_train, *X_test], y, split=np.array(split))


_EMBEDDED: dict[str, Callable[[dict[str, Any]], Collection]] = {
    "textures": _make_textures,
    "clear": _make_textures,
    "systems2": _make_systems,
    "systems3": _make_systems,
    "systems10": _make_systems,
    "motions": lambda entry: _join_parts(load_basic_motions()),
    "vowels": lambda entry: _join_parts(load_japanese_vowels()),
}


def _no_data_in_folder(folder: str | PathLike[str], known: Mapping[str, str]) -> FileNotFoundError:
    """Return the error for a folder without any data set."""
    names = ", ".join(f"{path} ({title})" for path, title in known.items())
    return FileNotFoundError(
        f"{folder} must contain at least one of the collections {names}; none is there. "
        "docs/datasets.md says where to get them and how to arrange their files."
    )
