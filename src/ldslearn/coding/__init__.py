"""Sparse codes on Gram matrices, the transformer to them, and what they leave unexplained."""

from ldslearn.coding.coder import SparseCoder
from ldslearn.coding.residuals import explained_by_class
from ldslearn.coding.sparse import SparsePath, sparse_code, sparse_path

__all__ = ["SparseCoder", "SparsePath", "explained_by_class", "sparse_code", "sparse_path"]
