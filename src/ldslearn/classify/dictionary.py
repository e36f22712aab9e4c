"""Classification by codes on a learned dictionary."""

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.svm import LinearSVC
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ldslearn import _errors
from ldslearn._places import warn_once
from ldslearn._types import Floats, Indices
from ldslearn.classify.class_scores import normalize_reductions, pick_classes, score_classes
from ldslearn.classify.labels import LDSClassifier, check_labelled, check_weights
from ldslearn.classify.mixing import choose_mix
from ldslearn.classify.per_class import check_residual, compute_class_reductions, fit_classes
from ldslearn.coding.coder import describe_zero_codes
from ldslearn.dictionary import Atoms
from ldslearn.dictionary.base import SystemDictionary
from ldslearn.models.blocks import apply_by_blocks
from ldslearn.models.lds import LDS, as_systems

RESIDUAL = "residual"


def _has_method(method: str) -> Callable[[Any], bool]:
    def has(model: Any) -> bool:
        if _is_residual(model.classifier):
            return True
        usual = model.classifier is None  # LinearSVC, which has scores but no probabilities
        return method == "decision_function" if usual else hasattr(model.classifier, method)

    return has


def _is_residual(classifier: Any) -> bool:
    return isinstance(classifier, str) and classifier == RESIDUAL


class DictionaryClassifier(LDSClassifier):
    """Learn a dictionary, code systems by it, and classify the codes (Sections 5.3 and 9.3).

    Parameters
    ----------
    dictionary : LDSDictionary or FiniteDictionary
        Learned by `fit`; to use given atoms unchanged, pass ``init=atoms, max_iter=0``. Its `mix`
        may be "cv": the best of 0.2, 0.4, 0.6, 0.8 and 1 by five stratified folds of the training
        systems (the largest of equals), for which 25 dictionaries are learned.
    classifier : estimator, "residual" or None, default=None
        Of codes; None is ``LinearSVC()``. "residual" labels a system by the class whose atoms
        rebuild it best from their part of its code (SRC [2]_, Eq. 13), and needs `per_class`.
    per_class : bool, default=False
        The hierarchical scheme: a dictionary of ``dictionary.n_atoms`` atoms for every class (fewer
        where a class has fewer systems), concatenated.

    Attributes
    ----------
    classes_ : (n_classes,) array
        Labels.
    dictionary_ : fitted dictionary
        With `per_class`, of the atoms of all classes.
    dictionaries_ : list
        With `per_class`, those of the classes.
    atom_classes_ : (n_atoms,) int array
        With `per_class`, the class of each atom, an index into `classes_`.
    classifier_ : fitted classifier, or "residual"
        Of codes.
    mix_ : float
        What ``mix="cv"`` chose.
    mix_scores_ : dict of float to float
        Fraction of held-out systems labelled correctly by each candidate of ``mix="cv"``.

    Notes
    -----
    Residuals of two-fold systems are sums over the codes of both parts, as the objective is. Where
    all codes are zero, residuals are equal: the label is that of the most similar atom, with a
    warning.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 5.3 and 9.3. doi:10.48550/arXiv.1608.01059
    .. [2] J. Wright, A. Y. Yang, A. Ganesh, S. S. Sastry, Y. Ma, *Robust face recognition via
       sparse representation*, IEEE Transactions on Pattern Analysis and Machine Intelligence 31
       (2009) 210-227. doi:10.1109/TPAMI.2008.79

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from ldslearn import DictionaryClassifier, LDSDictionary, LDSEncoder
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> dictionary = LDSDictionary(n_atoms=8, max_iter=5, random_state=0)
    >>> model = make_pipeline(LDSEncoder(n_states=4, delays=2), DictionaryClassifier(dictionary))
    >>> model.fit(X_train, y_train).score(X_test, y_test) > 0.8
    True
    """

    def __init__(self, dictionary: Any, classifier: Any = None, *, per_class: bool = False) -> None:
        self.dictionary = dictionary
        self.classifier = classifier
        self.per_class = per_class

    @warn_once
    def fit(self, X: LDS, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn the dictionary and the classifier of codes.

        Parameters
        ----------
        X : LDS
        y : (len(X),) array of labels
        sample_weight : (len(X),) array, optional
            Passed to the classifier of codes. The dictionary is learned without weights.
        groups : (len(X),) array, optional
            Group of each system, such as the subject. Folds of ``mix="cv"`` keep groups whole.

        Returns
        -------
        self
        """
        if not isinstance(self.per_class, bool | np.bool_):
            raise _errors.invalid_parameter("per_class", "be True or False", self.per_class)
        systems, classes, indices = check_labelled(X, y, stored=not self.per_class)
        if not isinstance(self.dictionary, SystemDictionary):
            raise _errors.invalid_parameter(
                "dictionary", "be an LDSDictionary or a FiniteDictionary", self.dictionary
            )
        weights = check_weights(sample_weight, len(systems))
        residual = _is_residual(self.classifier)
        if residual:
            check_residual(self.per_class, weights)
        dictionary, of_classes = clone(self.dictionary), []
        chosen = None
        if getattr(dictionary, "mix", None) == "cv":
            chosen = self._choose_mix(as_systems(X, "X"), classes, indices, groups)
            dictionary.set_params(mix=chosen[0])
        if self.per_class:
            members = [np.flatnonzero(indices == c) for c in range(len(classes))]
            of_classes = fit_classes(dictionary, systems, members)
            atoms = Atoms.concatenate([fitted.atoms_ for fitted in of_classes])
            dictionary.set_params(n_atoms=len(atoms)).with_atoms(atoms, systems)
        else:
            self._fit_all(dictionary, systems)
        classifier: Any = RESIDUAL
        if not residual:
            classifier = self._make_classifier()
            options = {} if weights is None else {"sample_weight": weights}
            classifier.fit(dictionary.transform(systems), classes[indices], **options)
        self.classes_, self.dictionary_, self.classifier_ = classes, dictionary, classifier
        for name in ("dictionaries_", "atom_classes_", "mix_", "mix_scores_"):
            self.__dict__.pop(name, None)
        if self.per_class:
            self.dictionaries_ = of_classes
            sizes = [len(fitted.atoms_) for fitted in of_classes]
            self.atom_classes_ = np.repeat(np.arange(len(classes)), sizes)
        if chosen is not None:
            self.mix_, self.mix_scores_ = chosen
        return self

    def _choose_mix(
        self, systems: LDS, classes: NDArray[Any], labels: Indices, groups: Any
    ) -> tuple[float, dict[float, float]]:
        y = classes[labels]

        def count_hits(mix: float, train: Indices, test: Indices) -> int:
            model = clone(self)
            n_atoms = self.dictionary.n_atoms
            if isinstance(self.dictionary.init, str):
                n_atoms = min(n_atoms, len(train))
            model.dictionary.set_params(mix=mix, n_atoms=n_atoms)
            predicted = model.fit(systems[train], y[train]).predict(systems[test])
            return int((predicted == y[test]).sum())

        return choose_mix(count_hits, labels, groups, "mix")

    def _fit_all(self, dictionary: SystemDictionary, systems: LDS) -> None:
        """Learn one dictionary; an interrupt keeps the atoms so far, without a classifier."""
        try:
            dictionary.fit(systems)
        except (KeyboardInterrupt, ConnectionError):
            if hasattr(dictionary, "atoms_"):
                self.__dict__.pop("classifier_", None)  # one of other codes
                self.dictionary_ = dictionary
            raise

    def predict(self, X: LDS) -> NDArray[Any]:
        """Return the label of every system.

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X),) array
        """
        if self._uses_residuals:
            reductions, _, nearest = self._compute_reductions(X)
            return self.classes_[pick_classes(reductions, nearest)]
        codes = self._find_codes(X)
        return self.classifier_.predict(codes)

    @available_if(_has_method("decision_function"))
    def decision_function(self, X: LDS) -> Floats:
        """Return the scores of the classifier of codes, if it has any; or minus the residuals.

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X), n_classes) array, or (len(X),) of two classes
        """
        if self._uses_residuals:
            return score_classes(*self._compute_reductions(X))
        codes = self._find_codes(X)
        return self.classifier_.decision_function(codes)

    @available_if(_has_method("predict_proba"))
    def predict_proba(self, X: LDS) -> Floats:
        """Return the probabilities of the classifier of codes, if it has any.

        With ``classifier="residual"``, the fraction of each class in what all classes explain, as
        of :class:`~ldslearn.SparseCodingClassifier`, which is no probability.

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X), n_classes) array
        """
        if self._uses_residuals:
            reductions, _, nearest = self._compute_reductions(X)
            return normalize_reductions(reductions, nearest)
        codes = self._find_codes(X)
        return self.classifier_.predict_proba(codes)

    @available_if(lambda model: _is_residual(model.classifier))
    def residuals_for(self, X: LDS) -> Floats:
        """Return the residuals of every system and class, Eq. (13).

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X), n_classes) array
        """
        check_is_fitted(self, "classifier_")
        reductions, own, _ = self._compute_reductions(X)
        return own[:, None] - reductions

    @property
    def _uses_residuals(self) -> bool:
        """Whether labels come from residuals."""
        check_is_fitted(self, "classifier_")
        return _is_residual(self.classifier_)

    def _compute_reductions(self, X: LDS) -> tuple[Floats, Floats, Indices]:
        """Residual reductions, k(x, x), and the nearest class of codes of zeros, else -1."""
        table = self._compute_reductions_table(X)
        nearest = table[:, -1].astype(np.intp)
        empty = np.flatnonzero(nearest >= 0)
        if len(empty):
            text = describe_zero_codes(empty.tolist(), self.dictionary_.sparsity)
            warnings.warn(text, stacklevel=3)
        return table[:, :-2], table[:, -2], nearest

    @apply_by_blocks
    def _compute_reductions_table(self, X: LDS) -> Floats:
        """The three arrays of :meth:`_compute_reductions` as one, (len(X), n_classes + 2)."""
        return compute_class_reductions(
            self.dictionary_, X, self.atom_classes_, len(self.classes_)
        )  # fmt: skip

    def _find_codes(self, X: LDS) -> Floats:
        check_is_fitted(self, "classifier_")
        return self.dictionary_.transform(X)

    def _make_classifier(self) -> Any:
        if self.classifier is not None:
            return clone(self.classifier)
        return LinearSVC(random_state=0)  # liblinear is random where features are many
