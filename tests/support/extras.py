"""Commands that need an extra, and the message that they must end with where it is missing."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ldslearn import LDSEncoder
from ldslearn.scale import encode_folder

HDF5 = bytes(512) + b"\x89HDF\r\n\x1a\n" + bytes(500)  # the beginning of a MATLAB file, version 7.3


@dataclass(frozen=True)
class Need:
    """A package that an extra installs, a command that needs it, and the same as a program."""

    package: str
    extra: str
    command: tuple[str, ...]
    program: str


NEEDS = [
    *(
        Need(
            package,
            "dask",
            ("encode", "clips", "-n", "2", "-o", "store", "--cluster", "tcp://127.0.0.1:9"),
            "with ldslearn.scale.use_cluster('tcp://127.0.0.1:9'): pass",
        )
        for package in ("dask", "distributed")
    ),
    Need(
        "usearch",
        "search",
        ("index", "store", "-o", "index", "--exact-below", "2"),
        "ldslearn.LDSIndex(exact_below=2).add(ldslearn.scale.LDSStore.open('store'))",
    ),
    Need("h5py", "hdf5", ("inspect", "new.mat"), "ldslearn.datasets.load_mat('new.mat')"),
]


def write_inputs(folder: Path) -> None:
    """Write the files that the commands read."""
    (folder / "clips").mkdir()
    for index in range(3):
        values = np.random.default_rng(index).standard_normal((4, 30))
        np.save(folder / "clips" / f"{index}.npy", values)
    encode_folder(folder / "clips", folder / "store", LDSEncoder(2))
    (folder / "new.mat").write_bytes(HDF5)
