"""The base class of dictionaries: Algorithm 1 on columns made of systems."""

import warnings
from copy import deepcopy
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ldslearn import _errors
from ldslearn._checks import check_real, check_whole
from ldslearn._places import warn_once
from ldslearn._progress import show_progress
from ldslearn._tags import NonTabularMixin
from ldslearn._types import Floats
from ldslearn.dictionary.algorithm import UPDATES, Group, learn
from ldslearn.dictionary.atoms import Atoms
from ldslearn.dictionary.block_group import BlockGroup
from ldslearn.dictionary.initial_atoms import make_initial_atoms, name_terms
from ldslearn.dictionary.online import Memory, learn_batch
from ldslearn.dictionary.recipe import Recipe, split_name
from ldslearn.dictionary.samples import Samples, is_in_blocks, open_samples
from ldslearn.geometry.fitted_kernels import check_same_layout, systems_not_as_fitted
from ldslearn.models.blocks import StoredSystems, apply_by_blocks, as_batch
from ldslearn.models.lds import LDS, as_systems


class SystemDictionary(
    NonTabularMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """A dictionary of systems; a subclass defines the recipe that turns systems into columns.

    A subclass has parameters `n_atoms`, `update`, `sparsity`, `init`, `max_iter`, `tol`,
    `random_state` and `n_jobs`.
    """

    @warn_once
    def fit(self, X: LDS | StoredSystems, y: Any = None) -> Self:
        """Learn the atoms.

        Parameters
        ----------
        X : LDS or LDSStore
        y : ignored

        Returns
        -------
        self
        """
        systems = as_batch(X)
        self._check_parameters(len(systems))
        if self.update != "joint" and is_in_blocks(systems):
            raise ValueError(
                "update must be 'joint' for many systems in a store or on a cluster; got "
                f"{self.update!r}. update={self.update!r} needs all systems in memory."
            )
        recipe = self._make_recipe().for_windows(systems.windows)
        with open_samples(systems, recipe) as samples:
            atoms = self._make_initial_atoms(systems, recipe, samples)
            groups = self._group_samples(samples, recipe, atoms)
            self._learn(groups, recipe, systems)
        if not any(group.n_nonzero for group in groups):
            warnings.warn(
                (
                    f"no code uses any atom with sparsity={self.sparsity:g}: nothing was learned. "
                    "Lower sparsity."
                ),
                stacklevel=3,
            )
        return self

    def _learn(self, groups: list[Group], recipe: Recipe, systems: LDS | StoredSystems) -> None:
        """Run Algorithm 1; an interrupt, or the loss of a cluster, keeps the atoms so far."""
        steps: list[float] = []
        try:
            with show_progress("dictionary", self.max_iter + 1) as advance:
                for pair in learn(groups, self.update, self.max_iter, self.tol, self.n_jobs):
                    steps += pair
                    advance(1, _format_state(groups, pair[0]))
        except (KeyboardInterrupt, ConnectionError) as error:
            lost = isinstance(error, ConnectionError)
            why = "by the loss of the cluster" if lost else "by an interrupt"
            self._set_results(groups, recipe, systems, steps, why)
            raise
        ended = len(steps) < 2 * (self.max_iter + 1)
        settled = f"an iteration lowered the objective by less than tol={self.tol:g}"
        limit = f"after max_iter={self.max_iter} iterations"
        self._set_results(groups, recipe, systems, steps, settled if ended else limit)

    @warn_once
    def partial_fit(self, X: LDS, y: Any = None) -> Self:
        """Learn from one batch of a stream, continuing from the atoms learned before.

        One stochastic step: atoms follow averages over batches, which batch t enters with weight
        ``t ** -0.6``. A `fit` before it counts as ten batches. The first batch of a new dictionary
        provides the initial atoms, and must hold `n_atoms` systems. Atoms that five batches in a
        row do not use are replaced by the system coded worst. `update` is not used.

        Parameters
        ----------
        X : LDS
        y : ignored

        Returns
        -------
        self
        """
        new = not hasattr(self, "atoms_")
        systems = as_systems(X, "X", at_least_one=True) if new else self._check_like(X)
        if new:
            self._check_parameters(len(systems))
        recipe = self._make_recipe().for_windows(systems.windows) if new else self.recipe_
        data = _make_samples(recipe, systems)
        atoms = self._make_initial_atoms(systems, recipe, data) if new else self.atoms_
        groups = self._group_samples(data, recipe, atoms)
        if hasattr(self, "_memories"):
            memories, objectives = deepcopy(self._memories), self.batch_objective_
        else:
            memories = [Memory.of(group.atoms, learned=not new) for group in groups]
            objectives = []
        steps = zip(groups, memories, strict=True)
        objective = sum(learn_batch(group, memory, self.n_jobs) for group, memory in steps)
        self._set_atoms(groups, recipe, systems)  # all at once: an interrupt changes nothing
        self._memories: list[Memory] = memories
        self.batch_objective_: list[float] = [*objectives, objective]
        self.n_batches_ = len(self.batch_objective_)
        return self

    @apply_by_blocks
    def transform(self, X: LDS) -> Floats:
        """Return the codes.

        Parameters
        ----------
        X : LDS or LDSStore

        Returns
        -------
        (len(X), n_atoms) array
            Two-fold systems with separate codes have 2 `n_atoms` columns: those of the symmetric
            parts, then those of the skew parts.
        """
        groups = self.make_groups(X)
        for group in groups:
            group.update_codes(self.n_jobs)
        return np.concatenate([group.codes for group in groups], axis=1)

    def fit_transform(self, X: LDS, y: Any = None) -> Floats:
        """Learn the atoms, and return the codes of the same systems.

        Parameters
        ----------
        X : LDS or LDSStore
        y : ignored

        Returns
        -------
        (len(X), n_atoms) array
            As from `transform`.
        """
        return self.fit(X).transform(X)

    def score(self, X: LDS | StoredSystems, y: Any = None) -> float:
        """Return minus the objective per system, best codes included.

        Parameters
        ----------
        X : LDS or LDSStore
        y : ignored

        Returns
        -------
        float
        """
        check_is_fitted(self, "atoms_")
        systems = as_batch(X)
        self._check_like(systems[:1])
        with open_samples(systems, self.recipe_) as samples:
            groups = self._group_samples(samples, self.recipe_, self.atoms_)
            return -sum(group.update_codes(self.n_jobs) for group in groups) / len(systems)

    def with_atoms(self, atoms: Atoms, like: LDS) -> Self:
        """Use given atoms, as if they had been learned from systems like those given.

        Parameters
        ----------
        atoms : Atoms
        like : LDS
            Of the layout of the systems to code.

        Returns
        -------
        self
        """
        recipe = self._make_recipe().for_windows(like.windows)
        groups = self._group_samples(_make_samples(recipe, like[:1]), recipe, atoms)
        self._set_results(groups, recipe, like, [], "nothing was learned")
        return self

    def _make_recipe(self) -> Recipe:
        """Return the recipe of the current parameters."""
        raise NotImplementedError

    def make_groups(self, X: LDS) -> list[Group]:
        """Return one group per code: the atoms and new systems, not coded yet.

        Parameters
        ----------
        X : LDS

        Returns
        -------
        list of Group
        """
        check_is_fitted(self, "atoms_")
        systems = self._check_like(X)
        return self._group_samples(_make_samples(self.recipe_, systems), self.recipe_, self.atoms_)

    def _group_samples(self, samples: list[Samples], recipe: Recipe, atoms: Atoms) -> list[Group]:
        groups: list[Group] = []
        for one, code, terms in zip(samples, recipe.codes, atoms.terms, strict=True):
            own, weights = [terms[name].copy() for name in code], list(code.values())
            if one.in_memory is None:
                groups.append(BlockGroup(one, own, weights, self.sparsity))
            else:
                groups.append(Group(one.in_memory, own, weights, self.sparsity))
        return groups

    def _set_results(
        self,
        groups: list[Group],
        recipe: Recipe,
        systems: LDS | StoredSystems,
        steps: list[float],
        stopped: str,
    ) -> None:
        """Set the atoms and the history of a fit, and delete those of a stream before it."""
        for name in ("_memories", "batch_objective_", "n_batches_"):
            self.__dict__.pop(name, None)
        self._set_atoms(groups, recipe, systems)
        self.half_steps_, self.objective_ = steps, np.array(steps[::2])
        self.n_iter_, self.stopped_ = max(len(self.objective_) - 1, 0), stopped

    def _set_atoms(self, groups: list[Group], recipe: Recipe, systems: LDS | StoredSystems) -> None:
        """Set the atoms to those of the groups."""
        terms = name_terms(recipe, [group.atoms for group in groups])
        self.recipe_, self._like = recipe, systems[:1]
        self.atoms_ = Atoms(terms, systems.delays)

    def _make_initial_atoms(
        self, systems: LDS | StoredSystems, recipe: Recipe, samples: list[Samples]
    ) -> Atoms:
        return make_initial_atoms(
            self.init, self.n_atoms, systems, recipe, samples,
            random_state=self.random_state, n_jobs=self.n_jobs,
        )  # fmt: skip

    def _check_parameters(self, n_systems: int) -> None:
        check_whole("n_atoms", self.n_atoms)
        if self.n_atoms > n_systems and isinstance(self.init, str):
            raise _errors.invalid(
                "n_atoms",
                f"be at most the number of systems, {n_systems}",
                self.n_atoms,
                "Lower n_atoms, or give atoms to start from with init.",
            )
        if self.update not in UPDATES:
            raise _errors.unknown_name("update", self.update, UPDATES)
        check_real("sparsity", self.sparsity, "be a finite number of at least 0", low=0)
        check_whole("max_iter", self.max_iter, least=0)
        check_real("tol", self.tol, "be a finite number of at least 0", low=0)

    def _check_like(self, X: Any) -> LDS:
        whose = "the model was fitted with"
        systems, fitted = check_same_layout(X, self._like, whose), self._like.n_noise
        covariance = any(split_name(name)[0] == "covariance" for name in self.recipe_.codes[0])
        if covariance and systems.n_noise != fitted:
            raise systems_not_as_fitted("n_noise", systems.n_noise, fitted, whose)
        return systems

    @property
    def _n_features_out(self) -> int:
        return len(self.atoms_) * len(self.atoms_.terms)


def _make_samples(recipe: Recipe, systems: LDS) -> list[Samples]:
    return [Samples.of(list(terms.values())) for terms in recipe.make_columns(systems)]


def _format_state(groups: list[Group], objective: float) -> str:
    used = [group.n_nonzero / len(group) for group in groups]
    return f"dictionary: objective {objective:.5g}, {np.mean(used):.1f} atoms per code"
