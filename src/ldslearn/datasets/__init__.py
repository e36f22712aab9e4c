"""Data to learn from: embedded real collections and generators of synthetic ones."""

from ldslearn.datasets.embedded import load_basic_motions, load_japanese_vowels
from ldslearn.sequences import make_dynamic_textures, make_lds_sequences

__all__ = [
    "load_basic_motions",
    "load_japanese_vowels",
    "make_dynamic_textures",
    "make_lds_sequences",
]
