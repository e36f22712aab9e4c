"""Parameters of a method chosen by folds of each training part: encoding, kernel, sparsity, C."""

import time
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from ldslearn._types import Floats, Indices
from ldslearn.classify import LDSSVC, NearestLDSClassifier, SparseCodingClassifier
from ldslearn.coding import residual_reductions, sparse_code
from ldslearn.geometry import (
    covariance_kernel,
    finite_projection_kernel,
    martin_distance,
    mean_kernel,
    projection_kernel,
)
from ldslearn.geometry.definiteness import positive_part
from ldslearn.geometry.static_kernels import resolve_bandwidth
from ldslearn.models import LDSEncoder
from ldslearn.paper.ledger import Run
from ldslearn.paper.rounds import Numbers, get_labels
from ldslearn.sequences.named import select

STATES, DELAYS = (3, 4, 5, 6, 8, 10, 12), (1, 2, 3, 5, 10)
_MOST_CHANNELS = 1000  # stacked
_SPARSITIES = (0.02, 0.1)  # of kernels with ones on the diagonal
_BANDWIDTHS = (200.0, "median")
_COSTS = (10.0, 100.0, 1.0)  # C of support vector machines
_WEIGHTS = (  # of the projection, mean and covariance kernels
    (1.0, 0.0, 0.0), (0.8, 0.2, 0.0), (0.5, 0.5, 0.0), (0.8, 0.0, 0.2), (0.6, 0.2, 0.2),
)  # fmt: skip
_FEW = 300  # training sequences; fewer are cut into folds three times

Encoding = tuple[int, int]  # states and delays
Setting = dict[str, Any]


def tune(run: Run, *, method: str, order: int | None = None, rounds: int | None = None) -> Numbers:
    """Choose all parameters on each training part, then train and test once with the choice.

    Kernels of all sequences are computed once per encoding. Each entry depends on its pair alone,
    so that no test sequence takes part in a choice.
    """
    data_set, y = run.data_set, get_labels(run)
    tuner = _Tuner(run, method, order)
    numbers: Numbers = {"accuracy": [], "chosen": [], "fit_seconds": []}
    for train, test in data_set.splits()[:rounds]:
        start = time.perf_counter()
        (n_states, delays), classifier = tuner.choose(train)
        encoder = LDSEncoder(n_states, delays=delays, n_jobs=data_set.n_jobs)
        model = make_pipeline(encoder, classifier).fit(select(data_set.data.X, train), y[train])
        numbers["fit_seconds"].append(time.perf_counter() - start)
        numbers["accuracy"].append(float(model.score(select(data_set.data.X, test), y[test])))
        numbers["chosen"].append(f"n = {n_states}, delays = {delays}")
    return numbers


class _Tuner:
    """Chooses the parameters of one method on one collection."""

    def __init__(self, run: Run, method: str, order: int | None) -> None:
        self.data_set, self.method, self.order = run.data_set, method, order
        self.n_jobs = run.data_set.n_jobs
        self.labels = np.unique(get_labels(run), return_inverse=True)[1]
        self.kernels = lru_cache(None)(self._compute_kernels)

    def choose(self, train: Indices) -> tuple[Encoding, Any]:
        """Return an encoding and a classifier.

        First the encoding is chosen, with a setting in the middle of the list; then the setting.
        The simplest of equals wins.
        """
        cuts, labels = self._cut_folds(train), self.labels[train]
        settings = self._list_settings()
        middle = settings[len(settings) // 2]
        best, chosen = -1.0, ((0, 0), None)
        for encodings, tried in ((self._list_encodings(), [middle]), (None, settings)):
            for encoding in [chosen[0]] if encodings is None else encodings:
                for setting in tried:
                    answers, model = self._try(encoding, setting, train, cuts)
                    accuracy = float(np.mean([answer == labels for answer in answers]))
                    if accuracy > best + 1e-9:
                        best, chosen = accuracy, (encoding, model)
        return chosen

    def _list_encodings(self) -> list[Encoding]:
        """States and delays that the shortest sequence allows, the simplest first."""
        X = self.data_set.data.X
        shortest, n_channels = min(x.shape[1] for x in X), len(X[0])
        found = [
            (n, d)
            for d in DELAYS
            for n in STATES
            if n <= n_channels * d
            and n + d <= shortest
            and (d == 1 or n_channels * d <= _MOST_CHANNELS)
        ]
        return sorted(found, key=lambda pair: (pair[0] * pair[1], pair[1]))

    def _list_settings(self) -> list[Setting]:
        """What the method has to choose beside the encoding."""
        if self.method == "lds-martin":
            return [{}]
        if self.method == "lds-svm":
            return [{"C": C, "bandwidth": b} for b in _BANDWIDTHS for C in _COSTS]
        if self.method == "lds-sc-martin":
            return [{"sparsity": s, "bandwidth": b} for b in _BANDWIDTHS for s in _SPARSITIES]
        weights = _WEIGHTS if self.method == "mixture" else _WEIGHTS[:1]
        return [{"sparsity": s, "weights": w} for w in weights for s in _SPARSITIES]

    def _cut_folds(self, train: Indices) -> list[NDArray[Any]]:
        """Fold of each training sequence, once or three times; folds are like the protocol."""
        split, y = self.data_set.data.split, self.labels[train]
        if self.data_set.protocol.kind == "split" and split is not None:
            parts = split[train]
            if len(np.unique(parts)) > 1:
                return [parts]
        n_folds = 10 if len(self.data_set.splits()) > 1 else 5  # random 9:1 splits are ten folds
        cuts = []
        for seed in range(3 if len(train) < _FEW else 1):
            folds = np.empty(len(train), dtype=int)
            cut = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
            for number, (_, held_out) in enumerate(cut.split(train, y)):
                folds[held_out] = number
            cuts.append(folds)
        return cuts

    def _compute_kernels(self, n_states: int, delays: int) -> dict[str, Any]:
        """Return the systems of all sequences, and what the method needs of all pairs."""
        encoder = LDSEncoder(n_states, delays=delays, n_jobs=self.n_jobs)
        systems = encoder.fit_transform(self.data_set.data.X)
        found: dict[str, Any] = {"systems": systems}
        if self.method in ("lds-martin", "lds-svm", "lds-sc-martin"):
            return {**found, "martin": martin_distance(systems, n_jobs=self.n_jobs) ** 2}
        if self.method == "glds-sc":
            assert self.order is not None
            finite = finite_projection_kernel(systems, order=self.order, n_jobs=self.n_jobs)
            return {**found, "projection": finite / n_states}
        found["projection"] = projection_kernel(systems, n_jobs=self.n_jobs) / n_states
        if self.method == "mixture":
            covariance = covariance_kernel(systems, n_jobs=self.n_jobs)
            found["covariance"] = covariance / systems.n_noise
        return found

    def _try(
        self, encoding: Encoding, setting: Setting, train: Indices, cuts: list[NDArray[Any]]
    ) -> tuple[list[NDArray[Any]], Any]:
        """Return out-of-fold labels of the training sequences, and the setting's classifier."""
        kernels, labels, square = self.kernels(*encoding), self.labels[train], np.ix_(train, train)
        common: dict[str, Any] = {"n_jobs": self.n_jobs}
        if self.method == "lds-martin":
            D = kernels["martin"][square]
            return [_predict_nearest(D, labels, folds) for folds in cuts], NearestLDSClassifier(
                **common
            )
        if "bandwidth" in setting:
            D = kernels["martin"][square]
            K = _clip(np.exp(-D / resolve_bandwidth(setting["bandwidth"], D)))
            common["kernel_params"] = {"bandwidth": setting["bandwidth"]}
            if "C" in setting:
                C = setting["C"]
                model = LDSSVC("martin", C=C, **common)
                return [_predict_by_svm(K, labels, folds, C) for folds in cuts], model
            kernel: Any = "martin"
        elif self.method == "glds-sc":
            K = kernels["projection"][square]
            kernel = {"finite": 1 / encoding[0]}
            common["kernel_params"] = {"finite": {"order": self.order}}
        else:
            systems, (projection, mean, covariance) = kernels["systems"], setting["weights"]
            K = projection * kernels["projection"][square]
            kernel = {"projection": projection / encoding[0]}
            if covariance:
                K = K + covariance * kernels["covariance"][square]
                kernel["covariance"] = covariance / systems.n_noise
            if mean:
                K = K + mean * mean_kernel(systems[train])
                kernel["mean"] = mean
        sparsity = setting["sparsity"]
        model = SparseCodingClassifier(kernel, sparsity=sparsity, **common)
        return [_predict_by_codes(K, labels, f, sparsity, self.n_jobs) for f in cuts], model


def _clip(K: Floats) -> Floats:
    """Return the positive part, of all folds at once: no more than a choice depends on it."""
    part = positive_part(K)
    return K if part is None else part.gram


def _predict_by_codes(
    K: Floats, labels: Indices, folds: NDArray[Any], sparsity: float, n_jobs: int | None
) -> Indices:
    """Classes of training systems by codes on the systems of other folds, all folds at once."""
    codes = sparse_code(K, K, sparsity, allowed=folds[:, None] != folds, n_jobs=n_jobs)
    return residual_reductions(K, K, codes, labels, labels.max() + 1).argmax(axis=1)


def _predict_nearest(D: Floats, labels: Indices, folds: NDArray[Any]) -> Indices:
    """Classes of the nearest systems of other folds."""
    return labels[np.where(folds[:, None] != folds, D, np.inf).argmin(axis=1)]


def _predict_by_svm(K: Floats, labels: Indices, folds: NDArray[Any], C: float) -> Indices:
    """Classes by support vector machines trained on the other folds."""
    answers = np.empty_like(labels)
    for fold in np.unique(folds):
        own, others = folds == fold, folds != fold
        svm = SVC(kernel="precomputed", C=C).fit(K[np.ix_(others, others)], labels[others])
        answers[own] = svm.predict(K[np.ix_(own, others)])
    return answers
