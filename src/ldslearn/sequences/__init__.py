"""Sequences, (n_channels, n_timepoints) arrays: check, stack, cut into windows, generate.

Collections are checked (`validation`), named for messages (`named`), stacked with delays, cut into
windows, padded, resampled and placed on grids; `synthetic` and `textures` generate them.
"""

from ldslearn.sequences.delays import hankel
from ldslearn.sequences.grid import place_on_grid
from ldslearn.sequences.synthetic import make_lds_sequences
from ldslearn.sequences.textures import make_dynamic_textures
from ldslearn.sequences.validation import as_collection
from ldslearn.sequences.windows import aligned_windows

__all__ = [
    "aligned_windows",
    "as_collection",
    "hankel",
    "make_dynamic_textures",
    "make_lds_sequences",
    "place_on_grid",
]
