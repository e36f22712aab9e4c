"""The fixed list of classes whose objects a file may hold."""

from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import LabelBinarizer, StandardScaler
from sklearn.svm import SVC, LinearSVC

from ldslearn.auto import AutoLDSClassifier, ChannelScaler
from ldslearn.auto.candidates import Rule
from ldslearn.auto.committee import KernelCommittee
from ldslearn.auto.report import Report
from ldslearn.classify import (
    LDSSVC,
    DictionaryClassifier,
    NearestLDSClassifier,
    SparseCodingClassifier,
)
from ldslearn.cluster import LDSKMeans
from ldslearn.coding import SparseCoder
from ldslearn.dictionary import FiniteDictionary, LDSDictionary
from ldslearn.dictionary.atoms import Atoms
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.online import Memory
from ldslearn.dictionary.recipe import Recipe
from ldslearn.geometry.fitted_kernels import FittedKernel, ReferenceKernel
from ldslearn.models import LDSEncoder, LDSImputer
from ldslearn.random_systems import RandomSystems, RandomSystemsClassifier, SystemBank

ESTIMATORS: dict[str, type] = {
    known.__name__: known
    for known in (
        AutoLDSClassifier,
        ChannelScaler,
        DictionaryClassifier,
        FiniteDictionary,
        KernelCommittee,
        LDSDictionary,
        LDSEncoder,
        LDSImputer,
        LDSKMeans,
        LDSSVC,
        NearestLDSClassifier,
        Pipeline,
        RandomSystems,
        RandomSystemsClassifier,
        SparseCoder,
        SparseCodingClassifier,
    )
}
# Their attributes belong to a version of scikit-learn: another one may read them differently.
FOREIGN: dict[str, type] = {
    known.__name__: known
    for known in (LinearSVC, LogisticRegression, RidgeClassifier, StandardScaler, SVC)
}
_PARTS: dict[str, type] = {
    known.__name__: known
    for known in (Atoms, Columns, FittedKernel, LabelBinarizer, Memory, Recipe, ReferenceKernel,
                  Report, Rule, SystemBank)
}  # fmt: skip
CLASSES = {**ESTIMATORS, **FOREIGN, **_PARTS}
