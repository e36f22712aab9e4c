"""Collections of sequences: accepted and checked, stacked with delays, and made up."""

from ldslearn.sequences.collection import as_collection
from ldslearn.sequences.delays import hankel, lagged
from ldslearn.sequences.synthetic import make_lds_sequences, propagate
from ldslearn.sequences.textures import make_dynamic_textures

__all__ = [
    "as_collection",
    "hankel",
    "lagged",
    "make_dynamic_textures",
    "make_lds_sequences",
    "propagate",
]
