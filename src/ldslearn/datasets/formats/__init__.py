"""Readers of file formats, one module per format.

There are two kinds of formats. A file of the first kind holds a collection: `npz`, `ts`, `arff` and
`mat`, registered by suffix in `COLLECTION_READERS` below. A file of the second kind holds one
sequence: a video, an array or a table. Their suffixes are registered in `ldslearn.datasets.items`,
and `ldslearn.datasets.reading_settings` reads them.

Tables of text: `text_lines` reads lines and numbers, `csv_table` the columns, `timestamps` the
times as texts, `time_columns` recognises the time column, `time_faults` checks its times.
"""

from collections.abc import Callable

from ldslearn.datasets.collection import Collection
from ldslearn.datasets.formats.arff import load_arff
from ldslearn.datasets.formats.mat import load_mat
from ldslearn.datasets.formats.npz import load_npz
from ldslearn.datasets.formats.ts import load_ts

COLLECTION_READERS: dict[str, Callable[..., Collection]] = {
    ".npz": load_npz,
    ".ts": load_ts,
    ".arff": load_arff,
    ".mat": load_mat,
}
