"""Every estimator that can be saved, fitted to small data, with what it is asked about."""

import warnings

import numpy as np
from sklearn.base import is_regressor
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from ldslearn import (
    LDSSVC,
    AutoLDSClassifier,
    AutoLDSRegressor,
    DictionaryClassifier,
    FiniteDictionary,
    LDSDictionary,
    LDSEmbedding,
    LDSEncoder,
    LDSKMeans,
    LDSNovelty,
    LDSRegressor,
    NearestLDSClassifier,
    RandomSystems,
    RandomSystemsClassifier,
    SparseCoder,
    SparseCodingClassifier,
)
from ldslearn.auto import ChannelScaler
from ldslearn.random_systems import RandomSystemsRegressor
from ldslearn.sequences import make_lds_sequences

SEQUENCES, NUMBERS = make_lds_sequences(3, 12, n_channels=4, n_timepoints=50, random_state=0)[:2]
LABELS = np.array(["wave", "drift", "pulse"])[NUMBERS]
ORDER = np.random.default_rng(0).permutation(len(LABELS))
SEQUENCES, LABELS = [SEQUENCES[i] for i in ORDER], LABELS[ORDER]
TARGETS = NUMBERS[ORDER] + 0.5  # of regressors
SYSTEMS = LDSEncoder(3).fit_transform(SEQUENCES)
N_TRAIN = 24
METHODS = ("predict", "predict_proba", "decision_function", "transform", "score")
MIXTURE = {"projection": 0.7, "covariance": 0.1, "mean": 0.2}


def dictionary(**options):
    return LDSDictionary(4, max_iter=2, random_state=0, **options)


# By name: an unfitted estimator, and whether it takes sequences (or else systems).
ESTIMATORS = {
    "LDSEncoder": (LDSEncoder(3, delays=2), True),
    "ChannelScaler": (ChannelScaler(), True),
    "SparseCoder": (SparseCoder("martin", kernel_params={"bandwidth": "median"}), False),
    "SparseCoder-atoms": (SparseCoder(atoms=SYSTEMS[:9]), False),
    "SparseCodingClassifier": (SparseCodingClassifier(), False),
    "SparseCodingClassifier-mixture": (SparseCodingClassifier(MIXTURE, n_nonzero=3), False),
    "SparseCodingClassifier-cv": (
        SparseCodingClassifier("hybrid", kernel_params={"mix": "cv"}),
        False,
    ),
    "SparseCodingClassifier-reject": (SparseCodingClassifier(reject=0.3), False),
    "NearestLDSClassifier": (NearestLDSClassifier(), False),
    "NearestLDSClassifier-three": (NearestLDSClassifier("projection", n_neighbors=3), False),
    "LDSSVC": (LDSSVC({"projection": 1.0, "deviation": 0.5}), False),
    "LDSSVC-martin": (LDSSVC("martin", C="cv", class_weight="balanced"), False),
    "AutoLDSClassifier": (AutoLDSClassifier(1, random_state=0), True),
    "AutoLDSRegressor": (AutoLDSRegressor(1, random_state=0), True),
    "LDSDictionary": (dictionary(), False),
    "LDSDictionary-covariance": (dictionary(mix=0.5, shared_codes=True), False),
    "FiniteDictionary": (FiniteDictionary(3, order=2, max_iter=1, random_state=0), False),
    "DictionaryClassifier": (DictionaryClassifier(dictionary()), False),
    "DictionaryClassifier-ridge": (
        DictionaryClassifier(dictionary(), RidgeClassifier(), per_class=True),
        False,
    ),
    "DictionaryClassifier-logistic": (
        DictionaryClassifier(dictionary(), LogisticRegression()),
        False,
    ),
    "DictionaryClassifier-residual": (
        DictionaryClassifier(dictionary(mix="cv"), "residual", per_class=True),
        False,
    ),
    "DictionaryClassifier-svc": (DictionaryClassifier(dictionary(), SVC()), False),
    "LDSKMeans": (LDSKMeans(3, random_state=0), False),
    "LDSKMeans-auto": (LDSKMeans("auto", max_clusters=4, n_init=1, random_state=0), False),
    "LDSKMeans-spectral": (LDSKMeans(3, method="spectral", random_state=0), False),
    "LDSNovelty": (LDSNovelty(MIXTURE, n_neighbors=3), False),
    "LDSNovelty-martin": (LDSNovelty("martin", contamination="auto"), False),
    "LDSNovelty-support": (LDSNovelty(method="support_vectors"), False),
    "LDSRegressor": (LDSRegressor(MIXTURE), False),
    "LDSRegressor-process": (LDSRegressor("martin", method="gaussian_process"), False),
    "Pipeline-novelty": (make_pipeline(LDSEncoder(3), LDSNovelty()), True),
    "LDSEmbedding": (LDSEmbedding(MIXTURE, n_landmarks=8, random_state=0), False),
    "RandomSystems": (RandomSystems(9, n_thresholds=3, random_state=0), True),
    "RandomSystems-components": (RandomSystems(9, n_components=2, random_state=0), True),
    "RandomSystemsClassifier": (RandomSystemsClassifier(20, random_state=0), True),
    "RandomSystemsRegressor": (RandomSystemsRegressor(20, random_state=0), True),
    "Pipeline-random": (
        make_pipeline(
            ChannelScaler(), RandomSystems(9, random_state=0), StandardScaler(), RidgeClassifier()
        ),
        True,
    ),
    "Pipeline": (
        make_pipeline(ChannelScaler(), LDSEncoder(3, windows=2), SparseCodingClassifier()),
        True,
    ),
    "Pipeline-coder": (
        make_pipeline(LDSEncoder(3), SparseCoder(), StandardScaler(), LinearSVC(random_state=0)),
        True,
    ),
    "Pipeline-dictionary": (
        make_pipeline(LDSEncoder(3), dictionary(), StandardScaler(), LogisticRegression()),
        True,
    ),
}


def choose_targets(estimator):
    """Labels, or numbers for a regressor."""
    return TARGETS if is_regressor(estimator) else LABELS


def fit(name):
    """The estimator, fitted, and what it is to be asked about."""
    estimator, takes_sequences = ESTIMATORS[name]
    inputs = SEQUENCES if takes_sequences else SYSTEMS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of indefinite kernels
        estimator.fit(inputs[:N_TRAIN], choose_targets(estimator)[:N_TRAIN])
    return estimator, inputs[N_TRAIN:]


def answer(estimator, X):
    """Every answer of an estimator as bytes, or as the fields of a batch, by method."""
    answers = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for method in METHODS:
            if not hasattr(estimator, method):
                continue
            arguments = (choose_targets(estimator)[N_TRAIN:],) if method == "score" else ()
            found = getattr(estimator, method)(X, *arguments)
            if hasattr(found, "_arrays"):
                found = np.concatenate([array.ravel() for array in found._arrays.values()])
            elif isinstance(found, list):
                found = np.concatenate([array.ravel() for array in found])
            answers[method] = np.asarray(found)
    return answers
