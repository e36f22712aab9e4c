"""Classification by codes on a learned dictionary."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ldslearn import _errors
from ldslearn._checks import check_whole
from ldslearn._places import one_warning, placed
from ldslearn.classify.labels import LDSClassifier, check_labelled, check_weights
from ldslearn.dictionary import Atoms
from ldslearn.dictionary.base import SystemDictionary
from ldslearn.models import LDS

Floats = NDArray[np.float64]


def _classifier_has(method: str) -> Callable[[Any], bool]:
    def has(model: Any) -> bool:
        usual = model.classifier is None  # LinearSVC, which has scores but no probabilities
        return method == "decision_function" if usual else hasattr(model.classifier, method)

    return has


class DictionaryClassifier(LDSClassifier):
    """Learn a dictionary, code systems by it, and classify the codes (Sec. 9.3).

    Parameters
    ----------
    dictionary : LDSDictionary or FiniteDictionary
        Learned anew by `fit`; to use atoms as they are, give ``init=atoms, max_iter=0``.
    classifier : estimator, default=None
        Of codes; None is ``LinearSVC()``.
    per_class : bool, default=False
        The hierarchical scheme: a dictionary of ``dictionary.n_atoms`` atoms for every class (fewer
        where a class has fewer systems), put side by side.

    Attributes
    ----------
    classes_ : (n_classes,) array
    dictionary_ : fitted dictionary
        With ``per_class``, of the atoms of all classes.
    dictionaries_ : list
        With ``per_class``, those of the classes.
    classifier_ : fitted classifier

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from ldslearn import DictionaryClassifier, LDSDictionary, LDSEncoder
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> dictionary = LDSDictionary(n_atoms=8, random_state=0)
    >>> model = make_pipeline(LDSEncoder(n_states=6), DictionaryClassifier(dictionary))
    >>> model.fit(X_train, y_train).score(X_test, y_test) > 0.8
    True
    """

    def __init__(self, dictionary: Any, classifier: Any = None, *, per_class: bool = False) -> None:
        self.dictionary = dictionary
        self.classifier = classifier
        self.per_class = per_class

    @one_warning
    def fit(self, X: LDS, y: Any, sample_weight: Any = None) -> Self:
        """Learn the dictionary and the classifier of codes.

        Parameters
        ----------
        X : LDS
        y : (len(X),) array of labels
        sample_weight : (len(X),) array, optional
            Passed to the classifier of codes. The dictionary is learned without weights.
        """
        if not isinstance(self.per_class, bool | np.bool_):
            raise _errors.invalid_parameter("per_class", "be True or False", self.per_class)
        systems, classes, indices = check_labelled(X, y, stored=not self.per_class)
        if not isinstance(self.dictionary, SystemDictionary):
            raise _errors.invalid_parameter(
                "dictionary", "be an LDSDictionary or a FiniteDictionary", self.dictionary
            )
        weights = check_weights(sample_weight, len(systems))
        dictionary, of_classes = clone(self.dictionary), []
        if self.per_class:
            members = [np.flatnonzero(indices == c) for c in range(len(classes))]
            of_classes = self._fit_classes(systems, members)
            atoms = Atoms.concatenate([fitted.atoms_ for fitted in of_classes])
            dictionary.set_params(n_atoms=len(atoms)).with_atoms(atoms, systems)
        else:
            self._fit_all(dictionary, systems)
        classifier = self._new_classifier()
        options = {} if weights is None else {"sample_weight": weights}
        classifier.fit(dictionary.transform(systems), classes[indices], **options)
        self.classes_, self.dictionary_, self.classifier_ = classes, dictionary, classifier
        self.__dict__.pop("dictionaries_", None)
        if self.per_class:
            self.dictionaries_ = of_classes
        return self

    def _fit_all(self, dictionary: SystemDictionary, systems: LDS) -> None:
        """Learn one dictionary; an interrupt leaves what was learned, and no classifier."""
        try:
            dictionary.fit(systems)
        except (KeyboardInterrupt, ConnectionError):
            if hasattr(dictionary, "atoms_"):
                self.__dict__.pop("classifier_", None)  # one of other codes
                self.dictionary_ = dictionary
            raise

    def _fit_classes(self, systems: LDS, members: list[NDArray[np.intp]]) -> list[SystemDictionary]:
        """Learn a dictionary of the systems of each class."""
        template = self.dictionary
        check_whole("n_atoms", template.n_atoms)
        if not isinstance(template.init, str):
            raise _errors.atoms_given_per_class()
        found = []
        for own in members:
            dictionary = clone(template).set_params(n_atoms=min(template.n_atoms, len(own)))
            with placed(own.tolist()):
                found.append(dictionary.fit(systems[own]))
        return found

    def predict(self, X: LDS) -> NDArray[Any]:
        """Return the label of every system, (len(X),)."""
        codes = self._codes(X)
        return self.classifier_.predict(codes)

    @available_if(_classifier_has("decision_function"))
    def decision_function(self, X: LDS) -> Floats:
        """Return the scores of the classifier of codes, if it has any."""
        codes = self._codes(X)
        return self.classifier_.decision_function(codes)

    @available_if(_classifier_has("predict_proba"))
    def predict_proba(self, X: LDS) -> Floats:
        """Return the probabilities of the classifier of codes, if it has any."""
        codes = self._codes(X)
        return self.classifier_.predict_proba(codes)

    def _codes(self, X: LDS) -> Floats:
        check_is_fitted(self, "classifier_")
        return self.dictionary_.transform(X)

    def _new_classifier(self) -> Any:
        if self.classifier is not None:
            return clone(self.classifier)
        from sklearn.svm import LinearSVC  # here, so that importing the package stays quick

        return LinearSVC(random_state=0)  # liblinear draws at random where features are many
