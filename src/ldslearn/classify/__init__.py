"""Classifiers of systems: by sparse representation, by support vectors, by neighbours."""

from ldslearn.classify.nearest import NearestLDSClassifier
from ldslearn.classify.sparse import SparseCodingClassifier
from ldslearn.classify.svm import LDSSVC

__all__ = ["LDSSVC", "NearestLDSClassifier", "SparseCodingClassifier"]
