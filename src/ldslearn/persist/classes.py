"""The fixed list of classes whose objects a file may hold."""

from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import LabelBinarizer, StandardScaler
from sklearn.svm import SVC, LinearSVC

from ldslearn.auto import AutoLDSClassifier, AutoLDSRegressor, ChannelScaler, RegressionReport
from ldslearn.auto.candidates import Rule
from ldslearn.auto.committee import KernelCommittee
from ldslearn.auto.number_committee import RegressionCommittee
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
from ldslearn.novelty import LDSNovelty
from ldslearn.random_systems import (
    RandomSystems,
    RandomSystemsClassifier,
    RandomSystemsRegressor,
    SystemBank,
)
from ldslearn.regress import LDSRegressor
from ldslearn.search import LDSEmbedding

ESTIMATORS: dict[str, type] = {
    known.__name__: known
    for known in (
        AutoLDSClassifier,
        AutoLDSRegressor,
        ChannelScaler,
        DictionaryClassifier,
        FiniteDictionary,
        KernelCommittee,
        LDSDictionary,
        LDSEmbedding,
        LDSEncoder,
        LDSImputer,
        LDSKMeans,
        LDSNovelty,
        LDSRegressor,
        LDSSVC,
        NearestLDSClassifier,
        Pipeline,
        RandomSystems,
        RandomSystemsClassifier,
        RandomSystemsRegressor,
        RegressionCommittee,
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
                  RegressionReport, Report, Rule, SystemBank)
}  # fmt: skip
CLASSES = {**ESTIMATORS, **FOREIGN, **_PARTS}
