"""The kernel of a fitted method: its values and its name."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ldslearn._types import Floats
from ldslearn.classify import DictionaryClassifier, NearestLDSClassifier
from ldslearn.dictionary.recipe import split_name
from ldslearn.evaluate.fitting import Fit
from ldslearn.geometry import pairwise_distance
from ldslearn.geometry.registry import KernelTerm, sum_terms
from ldslearn.models import LDS

_NAMES = {"martin": "Martin", "binet_cauchy": "Binet-Cauchy", "twofold": "two-fold"}
_SETTINGS = ("bandwidth", "order")  # parameters of a kernel that its name includes


def compute_chosen_kernel(fit: Fit, systems: LDS, n_jobs: int | None = None) -> Floats:
    """Return the kernel of all pairs of systems that the fitted classifier uses, (N, N).

    For a classifier by distances d it is exp(-d^2 / m), where m is the median of d^2.
    """
    classifier = fit.pipeline[-1]
    if isinstance(classifier, NearestLDSClassifier):
        distances = pairwise_distance(
            systems, None, classifier.distance, n_jobs=n_jobs, **(classifier.distance_params or {})
        )
        squares = np.square(distances)
        pairs = squares[~np.eye(len(squares), dtype=bool) & np.isfinite(squares)]
        middle = float(np.median(pairs)) if pairs.size else 0.0
        return np.exp(-squares / (middle or 1.0))
    return sum_terms(_find_parts(classifier), systems, None, n_jobs)


def describe_chosen_kernel(fit: Fit) -> str:
    """Return the name of the kernel of :func:`compute_chosen_kernel`, for a caption."""
    classifier = fit.pipeline[-1]
    if isinstance(classifier, NearestLDSClassifier):
        name = _name_part(classifier.distance)
        return f"exp(\N{MINUS SIGN}d²/m) of the {name} distance d, m the median of d²"
    if fit.report is not None:
        weights = fit.report["chosen"]["weights"]
        if len(weights) > 1:
            mixture = ", ".join(f"{_name_part(name)} {w:g}" for name, w in weights.items())
            return f"mixture of kernels, each divided by its variance, with weights: {mixture}"
    parts = _find_parts(classifier)
    if len(parts) == 1:
        part, _, settings = parts[0]
        values = [
            f"{name} {_format_value(settings[name])}" for name in _SETTINGS if name in settings
        ]
        return f"{_name_part(part)} kernel" + (f", {', '.join(values)}" if values else "")
    mixture = ", ".join(f"{_name_part(part)} {weight:.3g}" for part, weight, _ in parts)
    return f"mixture of kernels with weights: {mixture}"


def _find_parts(classifier: Any) -> list[KernelTerm]:
    """Return name, weight and parameters of each part of the classifier's kernel."""
    if isinstance(classifier, DictionaryClassifier):
        recipe = classifier.dictionary_.recipe_
        weights: dict[str, float] = {}
        for code in recipe.codes:
            for term, weight in code.items():
                name = split_name(term)[0]  # registered kernels are themselves means over windows
                weights[name] = weights.get(name, 0.0) + weight / len(recipe.codes)
        settings: Mapping[str, Any] = {"finite": {"order": recipe.order}}
        return [(name, weight, settings.get(name, {})) for name, weight in weights.items()]
    kernel = getattr(classifier, "kernel_", None) or classifier.coder_.kernel_
    return list(kernel.parts)


def _name_part(part: Any) -> str:
    name = part if isinstance(part, str) else getattr(part, "__name__", "given")
    return _NAMES.get(name, name)


def _format_value(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
