"""The files of an index: shards of systems, a graph of vectors, and the list of both.

A file is written completely before ``search.json`` names it, and never changed afterwards. A
process that is killed leaves the index as it was when its last call returned; files that are not
named are written over by the next call.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from ldslearn import _errors
from ldslearn._arrays import damaged_contents, read_npy
from ldslearn._locks import lock_file
from ldslearn._types import Floats
from ldslearn._writing import atomic_write, check_target_folder, tidy_leftovers
from ldslearn.geometry.registry import KernelTerm, parse_kernel
from ldslearn.scale.shards import (
    INDEX,
    LOCK,
    IndexFormat,
    Shard,
    hash_file,
    read_index,
    write_index,
)  # fmt: skip
from ldslearn.search.mapped_systems import check_digest

FORM = IndexFormat("search.json", "ldslearn search index", 1)
_SETTINGS = {"n_landmarks": int, "n_candidates": int, "exact_below": int, "random_state": int}
_LARGEST_SETTING = 2**31


@dataclass(frozen=True)
class GraphFiles:
    """A graph of vectors and the map that made them.

    Attributes
    ----------
    number : int
        In the names of its files; every graph of an index has another.
    n_systems : int
        The first ids of the index, which it covers.
    n_vectors : int
        Those of them that were not removed before.
    landmarks : tuple of int
        Ids.
    sha256, map_sha256 : str
        Of the graph, and of the array of the map.
    """

    number: int
    n_systems: int
    n_vectors: int
    landmarks: tuple[int, ...]
    sha256: str = ""
    map_sha256: str = ""

    @property
    def name(self) -> str:
        """File of the graph."""
        return f"graph-{self.number:06d}.usearch"

    @property
    def map_name(self) -> str:
        """File of the map from kernels with the landmarks to vectors."""
        return f"graph-{self.number:06d}.npy"

    @classmethod
    def from_dict(cls, values: Any, n_systems: int) -> Self:
        """Return what a JSON value describes; raise ValueError if it cannot be."""
        if not isinstance(values, dict) or set(values) != set(cls.__dataclass_fields__):
            raise ValueError("the entry of the graph lacks fields, or has unknown ones")
        counts = [values[name] for name in ("number", "n_systems", "n_vectors")]
        if not all(type(n) is int and 0 <= n < 2**62 for n in counts):
            raise ValueError("the entry of the graph has an invalid number")
        landmarks = values["landmarks"]
        known = isinstance(landmarks, list) and landmarks
        if not known or not all(type(n) is int and 0 <= n < n_systems for n in landmarks):
            raise ValueError("the entry of the graph has invalid landmarks")
        if not values["n_vectors"] <= values["n_systems"] <= n_systems:
            raise ValueError("the entry of the graph has more systems than the index")
        if not all(isinstance(values[name], str) for name in ("sha256", "map_sha256")):
            raise ValueError("the entry of the graph has no checksums")
        return cls(**{**values, "landmarks": tuple(landmarks)})


@dataclass(frozen=True)
class IndexState:
    """All that ``search.json`` holds.

    Attributes
    ----------
    settings : dict
        Arguments of LDSIndex that are whole numbers.
    terms : list of (name, weight, parameters) or None
        Of the kernel, with bandwidths as numbers; before the first systems as they were given.
    has_numbers : bool
        Whether bandwidths are numbers already.
    shards : tuple of Shard
    removed : frozenset of int
    graph : GraphFiles or None
    about : dict
        How the systems were encoded, where known.
    """

    settings: dict[str, int]
    terms: list[KernelTerm]
    has_numbers: bool = False
    shards: tuple[Shard, ...] = ()
    removed: frozenset[int] = frozenset()
    graph: GraphFiles | None = None
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def n_systems(self) -> int:
        """Systems that were ever added."""
        return sum(shard.length for shard in self.shards)

    def write(self, folder: Path) -> None:
        """Make this the state of the index in a folder."""
        graph = None if self.graph is None else vars(self.graph)
        about = {
            "settings": self.settings,
            "terms": [[name, weight, parameters] for name, weight, parameters in self.terms],
            "has_numbers": self.has_numbers,
            "removed": sorted(self.removed),
            "graph": graph,
            "about": self.about,
        }
        write_index(folder, self.shards, about, FORM)

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Return the state of the index in a folder, checked."""
        if not (folder / FORM.name).is_file():
            kind = "a store" if (folder / INDEX).is_file() else "none"
            remedy = (
                f"Make one of it: ldslearn index {folder} -o INDEX."
                if kind == "a store"
                else "Make one with `ldslearn index`, or with LDSIndex.save."
            )
            raise FileNotFoundError(
                f"{folder} must be an index with a file {FORM.name}; got {kind}. {remedy}"
            )
        shards, values = read_index(folder, FORM)
        try:
            return cls._parse(shards, values)
        except (ValueError, _errors.InputTypeError) as error:
            raise damaged_contents(folder / FORM.name, error) from error

    @classmethod
    def _parse(cls, shards: tuple[Shard, ...], values: dict[str, Any]) -> Self:
        names = ("settings", "terms", "has_numbers", "removed", "graph", "about")
        if set(values) != set(names):
            raise ValueError("fields are missing, or unknown")
        settings, listed, has_numbers, removed, graph, about = (values[name] for name in names)
        known = isinstance(settings, dict) and {
            name: type(value) for name, value in settings.items()
        } == _SETTINGS  # fmt: skip
        if not known or not all(0 <= n < _LARGEST_SETTING for n in settings.values()):
            raise ValueError("invalid settings")
        if not isinstance(listed, list) or not listed or not isinstance(has_numbers, bool):
            raise ValueError("no terms of a kernel")
        terms = [cls._parse_term(term) for term in listed]
        n_systems = sum(shard.length for shard in shards)
        whole = isinstance(removed, list) and all(
            type(n) is int and 0 <= n < n_systems for n in removed
        )
        if not whole or not isinstance(about, dict):
            raise ValueError("invalid ids of removed systems")
        found = None if graph is None else GraphFiles.from_dict(graph, n_systems)
        return cls(settings, terms, has_numbers, shards, frozenset(removed), found, about)

    @staticmethod
    def _parse_term(term: Any) -> KernelTerm:
        if not isinstance(term, list) or len(term) != 3 or not isinstance(term[0], str):
            raise ValueError("a term of the kernel has no name")
        name, weight, parameters = term
        if not isinstance(weight, int | float) or not 0 <= weight < np.inf:
            raise ValueError("a term of the kernel has no weight")
        ((_, _, checked),) = parse_kernel(name, parameters)
        return name, float(weight), checked


@contextmanager
def lock_index(folder: Path) -> Iterator[None]:
    """Hold the lock of an index inside the block; raise if another process writes it."""
    check_target_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with lock_file(folder / LOCK, f"index {folder}"):
        tidy_leftovers(folder)
        yield


def write_map(folder: Path, graph: GraphFiles, components: Floats) -> GraphFiles:
    """Write the map of a graph, whose own file is there, and return the entry with checksums."""
    with atomic_write(folder / graph.map_name) as file:
        np.save(file, components)
    return replace(
        graph,
        sha256=hash_file(folder / graph.name),
        map_sha256=hash_file(folder / graph.map_name),
    )


def read_map(folder: Path, graph: GraphFiles) -> Floats:
    """Return the map of a graph, after its bytes are compared with their checksum."""
    path = folder / graph.map_name
    check_digest(path, graph.map_sha256)
    components = read_npy(path)
    if (
        components.ndim != 2
        or components.dtype != np.float64
        or len(components) != len(graph.landmarks)
    ):
        raise damaged_contents(path, f"the map has shape {components.shape}")
    return components


def remove_graphs(folder: Path, kept: GraphFiles | None) -> None:
    """Remove the files of graphs that the index does not name."""
    names = set() if kept is None else {kept.name, kept.map_name}
    for name in os.listdir(folder):
        if name.startswith("graph-") and name not in names:
            with suppress(OSError):  # mapped by another process: the next change removes it
                (folder / name).unlink()
