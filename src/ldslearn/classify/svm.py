"""Support vector classification with kernels of systems."""

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted

from ldslearn._checks import as_random_state, check_positive
from ldslearn._places import locate_systems
from ldslearn._types import Floats, Indices
from ldslearn.classify.labels import LDSClassifier, check_labelled, check_weights
from ldslearn.geometry.fitted_kernels import FittedKernel, cut_rows
from ldslearn.geometry.registry import Kernel
from ldslearn.models import LDS
from ldslearn.models.blocks import apply_by_blocks

_CANDIDATES = tuple(10.0**exponent for exponent in range(-2, 5))
_FOLDS = 5


class LDSSVC(LDSClassifier):
    r"""Support vector classifier of systems; LDS-SVM of the paper with ``kernel="martin"``.

    Parameters
    ----------
    kernel : str, callable or mapping of str to float, default="projection"
        As in :func:`ldslearn.geometry.pairwise_kernel`.
    C : float or "cv", default=10.0
        Weight of errors; "cv" uses the best of 0.01, 0.1, ..., 10000 by five stratified folds of
        the training set (the smallest of equals), on one kernel matrix.
    class_weight : mapping, "balanced" or None, default=None
        As in :class:`sklearn.svm.SVC`.
    kernel_params : mapping or None, default=None
        Parameters of the kernel. ``bandwidth="median"`` is computed from the training systems.
    random_state : int, RandomState, Generator or None, default=0
        Shuffles the folds of ``C="cv"``.
    n_jobs : int or None, default=None
        Threads for the kernel, as in joblib; the result does not depend on it.

    Attributes
    ----------
    classes_ : (n_classes,) array
        Labels.
    C_ : float
        The weight of errors that was used.
    cv_scores_ : dict of float to float
        Mean accuracy over the folds for each candidate of ``C="cv"``.
    kernel_ : ReferenceKernel
        The kernel and the support systems (``kernel_.systems``), which are all that predictions
        need; of an indefinite kernel, all training systems.
    svc_ : sklearn.svm.SVC
        Fitted to the kernel matrix of the training systems; ``svc_.support_`` are the indices
        of the support systems.

    Notes
    -----
    The SVM of two classes is :math:`f(x) = \sum_i a_i k(x, x_i) + b`, summed over its support
    systems :math:`x_i`. `predict` is the class of the largest score of `decision_function`. Equal
    votes of the SVMs of two classes are decided by their margins (``SVC(break_ties=True)``).

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 9.2. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from ldslearn import LDSEncoder, LDSSVC
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> model = make_pipeline(LDSEncoder(n_states=10, delays=5), LDSSVC())
    >>> model.fit(X_train, y_train).score(X_test, y_test)
    0.975
    """

    def __init__(
        self,
        kernel: Kernel = "projection",
        *,
        C: float | Literal["cv"] = 10.0,
        class_weight: Any = None,
        kernel_params: Mapping[str, Any] | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.class_weight = class_weight
        self.kernel_params = kernel_params
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: LDS, y: Any, sample_weight: Any = None) -> Self:
        """Compute the kernel matrix of the training systems and fit the SVM to it.

        Parameters
        ----------
        X : LDS
        y : (len(X),) array of labels
        sample_weight : (len(X),) array, optional
            Multiplies C for each system. A weight of two is like the same system twice, up to the
            tolerance of the solver (``C="cv"``: the folds do not keep copies together).

        Returns
        -------
        self
        """
        systems, classes, indices = check_labelled(X, y)
        weights = check_weights(sample_weight, len(systems))
        if weights is not None and not weights.all():  # libsvm would number the others wrongly
            kept = np.flatnonzero(weights)
            systems, classes, indices = check_labelled(systems[kept], classes[indices[kept]])
            weights = weights[kept]
        if self.C != "cv":
            check_positive("C", self.C, "be positive or 'cv'")
        elif (smallest := np.bincount(indices)).min() < 2:
            raise ValueError(
                "y must hold at least 2 systems of every class for C='cv'; got "
                f"{int(smallest.min())} of {classes.tolist()[smallest.argmin()]!r}. Give C a "
                "number, or add examples."
            )
        kernel = FittedKernel.fit(systems, self.kernel, self.kernel_params, self.n_jobs)
        labels = classes[indices]
        scores = None
        if self.C == "cv":
            scores = self._cross_validate(kernel.gram, labels, indices, weights)
        C = float(self.C) if scores is None else max(scores, key=lambda C: (scores[C], -C))
        svc = self._make_svc(C).fit(kernel.gram, labels, sample_weight=weights)
        self.__dict__.pop("cv_scores_", None)
        if scores is not None:
            self.cv_scores_ = scores
        self.kernel_, self.C_ = kernel.restrict(np.sort(svc.support_)), C
        self.svc_, self.classes_ = svc, classes
        return self

    @apply_by_blocks
    def predict(self, X: LDS) -> NDArray[Any]:
        """Return the label of every system.

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X),) array
        """
        return self._apply_in_blocks(X, "predict")

    @apply_by_blocks
    def decision_function(self, X: LDS) -> Floats:
        """Return the scores of all classes.

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X), n_classes) array, or (len(X),) of two classes
        """
        return self._apply_in_blocks(X, "decision_function")

    def _apply_in_blocks(self, X: LDS, method: str) -> NDArray[Any]:
        check_is_fitted(self)
        systems = self.kernel_.check(X)
        found = []
        for block in cut_rows(len(systems), self.svc_.shape_fit_[0]):
            with locate_systems(block.start):
                found.append(getattr(self.svc_, method)(self._make_rows(systems[block])))
        return np.concatenate(found)

    def _make_rows(self, systems: LDS) -> Floats:
        """Rows of the kernel matrix for the SVM; only columns of support systems are needed."""
        cross = self.kernel_.cross(systems, self.n_jobs)
        rows = np.zeros((len(cross), self.svc_.shape_fit_[0]))
        if cross.shape == rows.shape:  # every system is a support system
            return cross
        rows[:, np.sort(self.svc_.support_)] = cross
        return rows

    def _make_svc(self, C: float) -> Any:
        return SVC(kernel="precomputed", C=C, class_weight=self.class_weight, break_ties=True)

    def _cross_validate(
        self,
        K: Floats,
        labels: NDArray[Any],
        indices: Indices,
        weights: Floats | None,
    ) -> dict[float, float]:
        """Accuracy of every C, mean over folds."""
        hits = dict.fromkeys(_CANDIDATES, 0.0)
        n_folds = min(_FOLDS, int(np.bincount(indices).min()))
        seed = as_random_state(self.random_state)
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        for train, test in folds.split(K, labels):
            for C in _CANDIDATES:
                known, unknown = (
                    (None, None) if weights is None else (weights[train], weights[test])
                )
                svc = self._make_svc(C).fit(K[np.ix_(train, train)], labels[train], known)
                hits[C] += svc.score(K[np.ix_(test, train)], labels[test], unknown) / n_folds
        return {C: round(accuracy, 12) for C, accuracy in hits.items()}
