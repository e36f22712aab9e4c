"""Vectors whose inner products approximate a kernel, and search among many systems."""

from ldslearn.search.embedding import LDSEmbedding
from ldslearn.search.index import LDSIndex

__all__ = ["LDSEmbedding", "LDSIndex"]
