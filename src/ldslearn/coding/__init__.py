"""Sparse codes on Gram matrices, the transformer to them, and the residuals of classes."""

from ldslearn.coding.class_residuals import residual_reductions
from ldslearn.coding.coder import SparseCoder
from ldslearn.coding.sparse_codes import sparse_code
from ldslearn.coding.sparse_paths import SparsePath, sparse_path

__all__ = ["SparseCoder", "SparsePath", "residual_reductions", "sparse_code", "sparse_path"]
