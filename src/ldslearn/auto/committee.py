"""Classifiers of the same systems, which share their kernel matrices."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ldslearn._places import locate_systems
from ldslearn._types import Floats
from ldslearn.auto.candidates import PARTS, Rule
from ldslearn.auto.rules import score_by_codes
from ldslearn.auto.support_vectors import fit_pairs
from ldslearn.classify.calibration import calibrated_probabilities
from ldslearn.classify.class_scores import couple_pairs
from ldslearn.classify.labels import LDSClassifier, check_labelled
from ldslearn.classify.ridge_path import RidgePath, make_targets
from ldslearn.geometry.fitted_kernels import (
    FittedKernel,
    ReferenceKernel,
    check_same_layout,
    cut_rows,
)
from ldslearn.geometry.registry import KernelTerm
from ldslearn.models import LDS
from ldslearn.models.blocks import apply_by_blocks


class SharedKernels:
    """Base class of estimators of several rules, which share their kernels.

    It needs `rules`, `scales` and `bandwidths`.
    """

    rules: Sequence[Rule]
    scales: Mapping[str, float]
    bandwidths: Mapping[str, float]

    def _list_parts(self) -> list[str]:
        return [part for part in PARTS if any(rule.weigh(part) for rule in self.rules)]

    def _make_term(self, part: str) -> KernelTerm:
        """Return a kernel, one over its scale, and its parameters."""
        settings = {"bandwidth": self.bandwidths[part]} if part in self.bandwidths else {}
        return part, 1 / self.scales[part], settings

    def _make_kernels(self, systems: LDS) -> dict[str, ReferenceKernel]:
        """Return each kernel with the training systems."""
        return {
            part: ReferenceKernel(systems, [self._make_term(part)], None)
            for part in self._list_parts()
        }

    def _compute_matrices(self, systems: LDS, n_jobs: int | None) -> dict[str, Floats]:
        """Return the kernel matrix of the training systems for each kernel."""
        matrices = {}
        for part in self._list_parts():
            _, weight, settings = self._make_term(part)
            fitted = FittedKernel.fit(systems, {part: weight}, {part: settings}, n_jobs)
            matrices[part] = fitted.gram
        return matrices


class KernelCommittee(SharedKernels, LDSClassifier):
    """Classify systems by the mean log-probability of several rules.

    Parameters
    ----------
    rules : sequence of Rule
        Weights of kernels, and ridge regression, SVM or sparse coding.
    factors : sequence of float
        Probabilities of a rule are the softmax of this times its scores.
    scales : mapping of str to float
        Variance of each kernel, which it is divided by.
    bandwidths : mapping of str to float
        Of the kernels that have one.
    n_jobs : int or None, default=None
        Threads, as in joblib.

    Attributes
    ----------
    classes_ : (n_classes,) array
        Labels.
    systems_ : LDS
        The training systems.
    labels_ : (n_systems,) int array
        Their classes, indices into `classes_`.
    grams_ : dict of str to (n_systems, n_systems) array
        Kernels of the training systems, which sparse coding needs, divided by their scales.
    expansions_ : list of (weights, intercepts) or None
        Of each rule: ``k(x, X) @ weights + intercepts`` are the scores of ridge regression, or
        the decisions of SVMs; None for sparse coding.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        factors: Sequence[float],
        scales: Mapping[str, float],
        bandwidths: Mapping[str, float],
        *,
        n_jobs: int | None = None,
    ) -> None:
        self.rules = rules
        self.factors = factors
        self.scales = scales
        self.bandwidths = bandwidths
        self.n_jobs = n_jobs

    def fit(self, X: LDS, y: Any) -> Self:
        """Compute the kernel matrices of the training systems, and fit every rule.

        Parameters
        ----------
        X : LDS
        y : (len(X),) array of labels

        Returns
        -------
        self
        """
        systems, _, _ = check_labelled(X, y)
        return self.fit_matrices(systems, self._compute_matrices(systems, self.n_jobs), y)

    def fit_matrices(
        self,
        systems: LDS,
        matrices: Mapping[str, Floats],
        y: Any,
        known: Mapping[Rule, tuple[Floats, Floats]] | None = None,
    ) -> Self:
        """Fit every rule to kernel matrices that are known.

        Parameters
        ----------
        systems : LDS
            The training systems.
        matrices : mapping of str to (N, N) array
            Kernels of the training systems, divided by their scales.
        y : (N,) array of labels
        known : mapping of Rule to (weights, intercepts), optional
            Of rules that were fitted to the same systems before.

        Returns
        -------
        self
        """
        _, classes, labels = check_labelled(systems, y)
        targets = make_targets(labels)
        paths: dict[tuple[float, ...], RidgePath] = {}
        expansions: list[tuple[Floats, Floats] | None] = []
        for rule in self.rules:
            if known is not None and rule in known:
                expansions.append(known[rule])
            elif rule.kind == "svm":
                expansions.append(fit_pairs(rule.mix(matrices), labels, rule.value))
            elif rule.kind == "coding":
                expansions.append(None)
            else:
                if rule.weights not in paths:
                    paths[rule.weights] = RidgePath.decompose(rule.mix(matrices))
                expansions.append(paths[rule.weights].fit(targets, rule.penalty))
        coded = {part for rule in self.rules if rule.kind == "coding" for part in rule.parts}
        self.grams_ = {part: matrices[part] for part in self._list_parts() if part in coded}
        self.systems_ = systems
        self.classes_, self.labels_, self.expansions_ = classes, labels, expansions
        return self

    def predict(self, X: LDS) -> NDArray[Any]:
        """Return the label of every system.

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X),) array
        """
        return self.classes_[self.score_rules(X).mean(axis=1).argmax(axis=1)]

    @apply_by_blocks
    def score_rules(self, X: LDS) -> Floats:
        """Return the log-probabilities of every system, rule and class.

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X), n_rules, n_classes) array
        """
        check_is_fitted(self)
        kernels = self._make_kernels(self.systems_)
        systems = check_same_layout(X, self.systems_, "the model was fitted with")
        found = np.empty((len(systems), len(self.rules), len(self.classes_)))
        for block in cut_rows(len(systems), len(self.systems_)):
            with locate_systems(block.start):
                self._score_block(kernels, systems[block], found[block])
        return found

    def _score_block(
        self, kernels: Mapping[str, ReferenceKernel], systems: LDS, found: Floats
    ) -> None:
        """Write the log-probabilities of a few systems into `found`."""
        cross = {part: kernel.cross(systems, self.n_jobs) for part, kernel in kernels.items()}
        own = {part: kernels[part].diagonal(systems, self.n_jobs) for part in self.grams_}
        for i, (rule, expansion) in enumerate(zip(self.rules, self.expansions_, strict=True)):
            if expansion is not None:
                scores = rule.mix(cross) @ expansion[0] + expansion[1]
                if rule.kind == "svm":
                    scores = couple_pairs(scores, len(self.classes_))
            else:
                gram = rule.mix(self.grams_)
                scores = score_by_codes(
                    rule, gram, rule.mix(cross), rule.mix(own), self.labels_, self.n_jobs
                )
            found[:, i] = np.log(calibrated_probabilities(scores, self.factors[i]))

    @property
    def kernel_(self) -> ReferenceKernel:
        """Kernel of the first rule, as one mixture, and the training systems."""
        rule = self.rules[0]
        terms = [self._make_term(part) for part in rule.parts]
        mixture: list[KernelTerm] = [
            (part, rule.weigh(str(part)) * weight, settings) for part, weight, settings in terms
        ]
        return ReferenceKernel(self.systems_, mixture, None)
