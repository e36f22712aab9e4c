"""Classification by sparse representation."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ldslearn._places import locate_systems
from ldslearn._types import Floats, Indices
from ldslearn.classify.class_scores import (
    normalize_reductions,
    pick_classes,
    score_classes,
)
from ldslearn.classify.labels import LDSClassifier, check_labelled
from ldslearn.classify.mixing import choose_mix
from ldslearn.classify.rejection import check_rejection, find_reject_label
from ldslearn.coding import SparseCoder, residual_reductions, sparse_code
from ldslearn.geometry import pairwise_kernel
from ldslearn.geometry.registry import Kernel
from ldslearn.models import LDS
from ldslearn.models.blocks import apply_by_blocks


class SparseCodingClassifier(LDSClassifier):
    r"""Classify a system by the class whose training systems reconstruct it best, Equation (13).

    A system is coded by all training systems in the space of a kernel; the class whose part of the
    code leaves the smallest residual wins. LDS-SC-Grass of the paper is ``kernel="projection"``,
    LDS-SC-Martin ``kernel="martin"`` and gLDS-SC ``kernel="finite", kernel_params={"order": L}``.

    Parameters
    ----------
    kernel : str, callable or mapping of str to float, default="projection"
        As in :func:`ldslearn.geometry.pairwise_kernel`.
    sparsity : float, default=0.1
        The paper's :math:`\lambda`; see :func:`ldslearn.sparse_code`, also for the next two.
    n_nonzero : int or None, default=None
        Largest number of coefficients, instead of `sparsity`.
    nonnegative : bool, default=False
        Only coefficients of at least 0.
    kernel_params : mapping or None, default=None
        Parameters of the kernel. ``bandwidth="median"`` is computed from the training systems. The
        `mix` of the kernel "hybrid" may be "cv": the best of 0.2, 0.4, 0.6, 0.8 and 1 by five
        stratified folds of the training systems (ties: the largest).
    reject : float or None, default=None
        Open-set rejection: `predict` returns `reject_label` if the smallest residual exceeds this
        fraction of k(x, x).
    reject_label : str, number or None, default=None
        None is -1 for numbers and "unknown" for other labels. Only `predict` rejects; a rejected
        system counts as an error in `score`.
    n_jobs : int or None, default=None
        Threads, as in joblib; the result does not depend on it.

    Attributes
    ----------
    classes_ : (n_classes,) array
        Labels.
    coder_ : SparseCoder
        Fitted to the training systems, which are its atoms.
    atom_classes_ : (n_atoms,) int array
        Class of each atom, an index into `classes_`.
    mix_ : float
        What ``mix="cv"`` chose.
    mix_scores_ : dict of float to float
        Fraction of held-out systems labelled correctly by each candidate of ``mix="cv"``.

    Notes
    -----
    With :math:`z_c` the part of the code of :math:`x` that belongs to class :math:`c`, :math:`K_c`
    the kernel matrix of its atoms and :math:`k_c` their kernels with :math:`x`, the residual is

    .. math:: e_c(x) = k(x, x) - 2 z_c^\top k_c + z_c^\top K_c z_c.

    If all coefficients are zero (`sparsity` too large), the residuals of all classes are equal. The
    label is then that of the most similar training system, the first atom on the path of codes,
    with a warning. With `reject` such systems are rejected.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 5.3. doi:10.48550/arXiv.1608.01059
    .. [2] J. Wright, A. Y. Yang, A. Ganesh, S. S. Sastry, Y. Ma, *Robust face recognition via
       sparse representation*, IEEE Transactions on Pattern Analysis and Machine Intelligence 31
       (2009) 210-227. doi:10.1109/TPAMI.2008.79

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from ldslearn import LDSEncoder, SparseCodingClassifier
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> model = make_pipeline(LDSEncoder(n_states=10, delays=5), SparseCodingClassifier())
    >>> model.fit(X_train, y_train).score(X_test, y_test)
    0.975
    """

    def __init__(
        self,
        kernel: Kernel = "projection",
        *,
        sparsity: float = 0.1,
        n_nonzero: int | None = None,
        nonnegative: bool = False,
        kernel_params: Mapping[str, Any] | None = None,
        reject: float | None = None,
        reject_label: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.sparsity = sparsity
        self.n_nonzero = n_nonzero
        self.nonnegative = nonnegative
        self.kernel_params = kernel_params
        self.reject = reject
        self.reject_label = reject_label
        self.n_jobs = n_jobs

    def fit(self, X: LDS, y: Any, groups: Any = None) -> Self:
        """Keep the training systems as atoms and compute their kernel matrix.

        Parameters
        ----------
        X : LDS
        y : (len(X),) array of labels
        groups : (len(X),) array, optional
            Group of each system, such as the subject. Folds of ``mix="cv"`` keep groups whole.

        Returns
        -------
        self
        """
        systems, classes, indices = check_labelled(X, y)
        check_rejection(self.reject, self.reject_label, classes)
        for name in ("mix_", "mix_scores_"):
            self.__dict__.pop(name, None)
        parameters = self.kernel_params
        if self.kernel == "hybrid" and dict(parameters or {}).get("mix") == "cv":
            self.mix_, self.mix_scores_ = self._choose_mix(systems, indices, groups)
            parameters = {**dict(parameters or {}), "mix": self.mix_}
        self.coder_ = SparseCoder(
            self.kernel,
            sparsity=self.sparsity,
            n_nonzero=self.n_nonzero,
            nonnegative=self.nonnegative,
            kernel_params=parameters,
            n_jobs=self.n_jobs,
        ).fit(systems)
        self.classes_, self.atom_classes_ = classes, indices
        return self

    def _choose_mix(
        self, systems: LDS, labels: Indices, groups: Any
    ) -> tuple[float, dict[float, float]]:
        """The best `mix`; both kernel matrices are computed once, for all candidates and folds."""
        dynamics, noise = (
            pairwise_kernel(systems, None, name, n_jobs=self.n_jobs)
            for name in ("projection", "covariance")
        )
        options: dict[str, Any] = {"n_nonzero": self.n_nonzero, "nonnegative": self.nonnegative}
        n_classes = int(labels.max()) + 1

        def count_hits(mix: float, train: Indices, test: Indices) -> int:
            K = mix * dynamics[:, train] + (1 - mix) * noise[:, train]
            gram, cross = K[train], K[test]
            codes = sparse_code(gram, cross, self.sparsity, n_jobs=self.n_jobs, **options)
            reductions = residual_reductions(gram, cross, codes, labels[train], n_classes)
            # A class without training systems has reduction 0, which may be the largest.
            reductions[:, np.setdiff1d(np.arange(n_classes), labels[train])] = -np.inf
            first = labels[train][cross.argmax(axis=1)]
            nearest = np.where(codes.any(axis=1), -1, first)
            return int((pick_classes(reductions, nearest) == labels[test]).sum())

        return choose_mix(count_hits, labels, groups, "mix")

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
        reductions, nearest = self._compute_reductions(X, warn=self.reject is None)
        labels = self.classes_[pick_classes(reductions, nearest)]
        if self.reject is None:
            return labels
        own = self.coder_.kernel_.diagonal(X, self.n_jobs)
        unknown = own - reductions.max(axis=1) > self.reject * own
        unknown[nearest >= 0] = True
        label = np.asarray(find_reject_label(self.reject_label, self.classes_))
        kind = np.result_type(labels.dtype, label.dtype)
        return np.where(unknown, label.astype(kind), labels.astype(kind))

    @apply_by_blocks
    def decision_function(self, X: LDS) -> Floats:
        """Return negative residuals; of two classes, the difference of the residuals.

        The predicted class (without `reject`) has the largest score. If residuals are equal, as for
        codes of zeros, its score is larger by one unit in the last place.

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X), n_classes) array, or (len(X),) of two classes
        """
        reductions, nearest = self._compute_reductions(X)
        return score_classes(reductions, self.coder_.kernel_.diagonal(X, self.n_jobs), nearest)

    @apply_by_blocks
    def predict_proba(self, X: LDS) -> Floats:
        """Return the residual reductions of the classes, divided by their sum.

        Fractions sum to one, and the predicted class has the largest. They are *not* calibrated
        probabilities: for those wrap the classifier in
        :class:`sklearn.calibration.CalibratedClassifierCV`. If some reductions are negative, the
        smallest one is subtracted from all. A code of zeros has equal fractions.

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X), n_classes) array
        """
        return normalize_reductions(*self._compute_reductions(X))

    @apply_by_blocks
    def residuals_for(self, X: LDS) -> Floats:
        """Return the residuals of every system and class, Eq. (13).

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X), n_classes) array
        """
        reductions, _ = self._compute_reductions(X)
        return self.coder_.kernel_.diagonal(X, self.n_jobs)[:, None] - reductions

    @apply_by_blocks
    def codes_for(self, X: LDS) -> Floats:
        """Return the codes by the training systems.

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X), n_atoms) array
        """
        check_is_fitted(self)
        return self.coder_.transform(X)

    def _compute_reductions(self, X: LDS, *, warn: bool = True) -> tuple[Floats, Indices]:
        """Residual reductions; the nearest class where all coefficients are zero, else -1."""
        check_is_fitted(self)
        kernel = self.coder_.kernel_
        systems, n_classes = kernel.check(X), len(self.classes_)
        reductions = np.empty((len(systems), n_classes))
        nearest = np.full(len(systems), -1)
        for block in kernel.blocks(systems):
            with locate_systems(block.start):
                codes, cross = self.coder_.code(systems[block])
            reductions[block] = residual_reductions(
                kernel.gram, cross, codes, self.atom_classes_, n_classes
            )
            first = self.atom_classes_[cross.argmax(axis=1)]
            nearest[block] = np.where(codes.any(axis=1), -1, first)
        if warn:
            self.coder_.warn_of_zeros(np.flatnonzero(nearest >= 0), stacklevel=6)
        return reductions, nearest
