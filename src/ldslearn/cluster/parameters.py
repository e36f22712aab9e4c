"""The parameters of a clustering, and their checks."""

from typing import Any, Literal

from sklearn.base import BaseEstimator

from ldslearn import _errors
from ldslearn._checks import check_real, check_whole
from ldslearn.dictionary.recipe import PARTS, Recipe
from ldslearn.geometry.registry import Kernel

METHODS = ("kmeans", "spectral")


class ClusterParameters(BaseEstimator):
    """Base class of :class:`ldslearn.LDSKMeans`: its parameters, as they are given."""

    def __init__(
        self,
        n_clusters: int | Literal["auto"] = 8,
        *,
        method: Literal["kmeans", "spectral"] = "kmeans",
        kernel: Kernel = "projection",
        parts: str = "twofold",
        order: int = 5,
        max_clusters: int = 10,
        n_init: int = 4,
        max_iter: int = 50,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.kernel = kernel
        self.parts = parts
        self.order = order
        self.max_clusters = max_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _check_parameters(self, n_systems: int) -> None:
        if self.n_clusters == "auto" and n_systems < 3:
            raise _errors.invalid(
                "X", "hold at least three systems for n_clusters='auto'", n_systems,
                "Give the number of clusters.",
            )  # fmt: skip
        if self.n_clusters != "auto":
            check_whole("n_clusters", self.n_clusters)
            if int(self.n_clusters) > n_systems:
                raise _errors.invalid_parameter(
                    "n_clusters", f"be at most the number of systems, {n_systems}", self.n_clusters
                )
        if self.method not in METHODS:
            raise _errors.unknown_name("method", self.method, METHODS)
        check_whole("max_clusters", self.max_clusters, least=2)
        if self.parts != "finite" and self.parts not in PARTS:
            raise _errors.unknown_name("parts", self.parts, [*PARTS, "finite"])
        check_whole("order", self.order)
        check_whole("n_init", self.n_init)
        check_whole("max_iter", self.max_iter, least=0)
        check_real("tol", self.tol, "be a finite number of at least 0", low=0)

    def _make_recipe(self) -> Recipe:
        if self.parts == "finite":
            return Recipe.finite(self.order)
        return Recipe.twofold(self.parts, None, shared=True)
