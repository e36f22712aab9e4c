"""Sequences, (n_channels, n_timepoints) arrays, before any model.

Collections are checked (`validation`), named for messages (`named`), stacked with delays, cut into
windows, padded and resampled; `synthetic` and `textures` generate them.
"""

from ldslearn.sequences.delays import hankel, lagged_copies
from ldslearn.sequences.named import NamedSequences, keep_names, name_sequence, name_some, select
from ldslearn.sequences.padding import pad_short_sequences
from ldslearn.sequences.synthetic import make_lds_sequences, propagate
from ldslearn.sequences.textures import make_dynamic_textures
from ldslearn.sequences.validation import as_collection
from ldslearn.sequences.windows import aligned_windows, window_levels

__all__ = [
    "NamedSequences",
    "aligned_windows",
    "as_collection",
    "hankel",
    "keep_names",
    "lagged_copies",
    "make_dynamic_textures",
    "make_lds_sequences",
    "name_sequence",
    "name_some",
    "pad_short_sequences",
    "propagate",
    "select",
    "window_levels",
]
