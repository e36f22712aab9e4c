"""Clusters of systems."""

from ldslearn.cluster.kmeans import LDSKMeans

__all__ = ["LDSKMeans"]
