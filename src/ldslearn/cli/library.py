"""Functions of the library that commands call and that no package exports."""

from ldslearn.cluster.collections import cluster_collection
from ldslearn.geometry.comparison import compare_sequences
from ldslearn.models import synthesis

__all__ = ["cluster_collection", "compare_sequences", "synthesis"]
