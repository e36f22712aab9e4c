"""Atoms from which a dictionary is learned: given, random samples, or centres of k-means."""

from typing import Any

from ldslearn import _errors
from ldslearn._checks import as_random_state
from ldslearn.dictionary.atoms import Atoms
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.recipe import Recipe
from ldslearn.dictionary.restarts import run_from_best_seeds
from ldslearn.dictionary.samples import Samples
from ldslearn.models.blocks import StoredSystems
from ldslearn.models.lds import LDS


def make_initial_atoms(
    init: Any,
    n_atoms: int,
    systems: LDS | StoredSystems,
    recipe: Recipe,
    samples: list[Samples],
    *,
    random_state: Any,
    n_jobs: int | None,
) -> Atoms:
    """Return atoms that were given, or chosen from samples by `init`."""
    random = as_random_state(random_state)
    like = name_terms(recipe, [one.first_sample for one in samples])
    if isinstance(init, Atoms):
        if len(init) != n_atoms:
            raise _errors.invalid("init", f"hold n_atoms={n_atoms} atoms", len(init), "")
        return init.arrange_like(like, systems.delays)
    if isinstance(init, LDS):
        layouts = [(batch.shape[1:], batch.delays, batch.windows) for batch in (init, systems)]
        if layouts[0] != layouts[1] or len(init) != n_atoms:
            raise _errors.invalid(
                "init", f"hold n_atoms={n_atoms} systems like {systems[:1]}", init, ""
            )
        given = Atoms(recipe.make_columns(init), systems.delays)
        return given.arrange_like(like, systems.delays).complete()
    if isinstance(init, str) and init == "random":
        chosen = random.choice(len(systems), n_atoms, replace=False)
        terms = name_terms(recipe, [one.take(chosen) for one in samples])
        return Atoms(terms, systems.delays).complete()
    if isinstance(init, str) and init == "kmeans":
        terms = []
        for code, one in zip(recipe.codes, samples, strict=True):
            found = run_from_best_seeds(
                one, list(code.values()), n_atoms, random,
                n_seedings=3, max_iter=10, tol=1e-3, n_jobs=n_jobs,
            )  # fmt: skip
            terms.append(dict(zip(code, found.centres, strict=True)))
        return Atoms(terms, systems.delays)
    raise _errors.invalid_parameter("init", "be 'kmeans', 'random', an LDS or atoms", init)


def name_terms(recipe: Recipe, terms: list[list[Columns]]) -> list[dict[str, Columns]]:
    """Return the terms of every code by name."""
    pairs = zip(recipe.codes, terms, strict=True)
    return [dict(zip(code, columns, strict=True)) for code, columns in pairs]
