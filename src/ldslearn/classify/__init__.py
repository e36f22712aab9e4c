"""Classifiers of systems: by sparse codes, learned dictionaries, neighbours, support vectors."""

from ldslearn.classify.dictionary import DictionaryClassifier
from ldslearn.classify.nearest import NearestLDSClassifier
from ldslearn.classify.sparse import SparseCodingClassifier
from ldslearn.classify.svm import LDSSVC

__all__ = ["LDSSVC", "DictionaryClassifier", "NearestLDSClassifier", "SparseCodingClassifier"]
