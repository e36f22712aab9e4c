"""Data to learn from: embedded collections, generators, files, folders and the paper's sets."""

from ldslearn.datasets.cambridge import load_cambridge
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.dyntexpp import load_dyntexpp
from ldslearn.datasets.embedded import load_basic_motions, load_japanese_vowels
from ldslearn.datasets.encoding import encode_folder
from ldslearn.datasets.folder import load_folder
from ldslearn.datasets.npz import load_npz, save_npz
from ldslearn.datasets.tactile import load_tactile
from ldslearn.datasets.ts import load_arff, load_ts
from ldslearn.datasets.ucla import load_ucla
from ldslearn.datasets.ucsd import load_ucsd
from ldslearn.sequences import make_dynamic_textures, make_lds_sequences

__all__ = [
    "Collection",
    "encode_folder",
    "load_arff",
    "load_basic_motions",
    "load_cambridge",
    "load_dyntexpp",
    "load_folder",
    "load_japanese_vowels",
    "load_npz",
    "load_tactile",
    "load_ts",
    "load_ucla",
    "load_ucsd",
    "make_dynamic_textures",
    "make_lds_sequences",
    "save_npz",
]
