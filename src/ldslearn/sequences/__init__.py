"""Collections of sequences: checked, stacked with delays, cut into windows, and made up."""

from ldslearn.sequences.delays import hankel, lagged
from ldslearn.sequences.lengthening import lengthen
from ldslearn.sequences.named import NamedSequences, keep_names, name_sequence, name_some, select
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
    "lagged",
    "lengthen",
    "make_dynamic_textures",
    "make_lds_sequences",
    "name_sequence",
    "name_some",
    "propagate",
    "select",
    "window_levels",
]
