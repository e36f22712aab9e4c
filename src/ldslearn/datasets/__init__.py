"""Data to learn from: embedded collections, generators, files, folders and the paper's sets.

Every reader returns a `collection`. Read the modules of `load_folder` in this order:

1. `folder`: the whole way from a folder to a collection.
2. `items`: which files are items; `labels_from_folders`, `labels_from_manifest` and
   `labels_from_file`: where the label of each item comes from.
3. `reading_settings`: how one file becomes a `recording`; `shared_columns`: one time column and
   one order of channels for all tables.
4. `parallel_reading`: all items are read.
5. `channels`, `rates`, `channels_and_rate`: names of channels, rates, and their change in memory.

An item may be skipped at several places: by `labels_from_folders` (folders without items, broken
links), `labels_from_file` (no label), `parallel_reading` (cannot be read, or unlike the first),
`ldslearn.models.unusable_sequences` (too short or constant), and `ldslearn.scale.encoding_tasks`
(for stores: cannot be read or encoded).

File formats are in `formats`, the sets of the paper in `paper_sets`, numbers for records in
`summary`.
"""

from ldslearn.datasets.collection import Collection
from ldslearn.datasets.embedded import load_basic_motions, load_japanese_vowels
from ldslearn.datasets.folder import load_folder
from ldslearn.datasets.formats.arff import load_arff
from ldslearn.datasets.formats.mat import load_mat
from ldslearn.datasets.formats.npz import load_npz, save_npz
from ldslearn.datasets.formats.ts import load_ts
from ldslearn.datasets.paper_sets.cambridge import load_cambridge
from ldslearn.datasets.paper_sets.dyntexpp import load_dyntexpp
from ldslearn.datasets.paper_sets.tactile import load_tactile
from ldslearn.datasets.paper_sets.ucla import load_ucla
from ldslearn.datasets.paper_sets.ucsd import load_ucsd
from ldslearn.sequences import make_dynamic_textures, make_lds_sequences

__all__ = [
    "Collection",
    "load_arff",
    "load_basic_motions",
    "load_cambridge",
    "load_dyntexpp",
    "load_folder",
    "load_japanese_vowels",
    "load_mat",
    "load_npz",
    "load_tactile",
    "load_ts",
    "load_ucla",
    "load_ucsd",
    "make_dynamic_textures",
    "make_lds_sequences",
    "save_npz",
]
