"""Learning on collections of sequences by treating each one as a linear dynamical system."""

from ldslearn import datasets, models, video
from ldslearn.classify import (
    LDSSVC,
    DictionaryClassifier,
    NearestLDSClassifier,
    SparseCodingClassifier,
)
from ldslearn.cluster import LDSKMeans
from ldslearn.coding import SparseCoder, sparse_code
from ldslearn.dictionary import FiniteDictionary, LDSDictionary
from ldslearn.models import LDS, LDSEncoder

__version__ = "0.1.0"
__all__ = [
    "LDS",
    "LDSSVC",
    "DictionaryClassifier",
    "FiniteDictionary",
    "LDSDictionary",
    "LDSEncoder",
    "LDSKMeans",
    "NearestLDSClassifier",
    "SparseCoder",
    "SparseCodingClassifier",
    "__version__",
    "datasets",
    "models",
    "sparse_code",
    "video",
]
