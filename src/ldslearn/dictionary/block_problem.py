"""The objective in one atom whose samples are in blocks: sums over blocks are all it needs.

An update needs sums over the samples: the value, the rows S_k u_k, and the objective in every
eigenvalue at some points. Per evaluation an atom travels to the blocks, n m numbers, and as many
come back.
"""

from functools import reduce
from itertools import chain
from typing import Any, NamedTuple, Self

import numpy as np

from ldslearn._parallel import Engine
from ldslearn._types import Floats
from ldslearn.dictionary.eigenvalues import GRID, best_eigenvalues
from ldslearn.dictionary.problem import AtomProblem, Evaluation, evaluate_terms


class BlockSums(NamedTuple):
    """Sums over samples that the objective in one atom needs.

    Attributes
    ----------
    value : float
    half_gradient : (n, m) array or None
        The rows S_k u_k; None where points were given.
    curves : (k, n_points) array
        The objective in every eigenvalue at the points; empty without any.
    """

    value: float
    half_gradient: Floats | None
    curves: Floats

    def add(self, other: Self) -> Self:
        """Return the sum of both."""
        gradients = self.half_gradient, other.half_gradient
        return type(self)(
            self.value + other.value,
            None if gradients[0] is None or gradients[1] is None else gradients[0] + gradients[1],
            self.curves + other.curves,
        )


class BlockProblem:
    """The objective in one atom, as :class:`AtomProblem`, with samples in blocks.

    Parameters
    ----------
    others : AtomProblem or None
        All other atoms.
    parts : list
        Handles of the samples that use the atom, lists of an AtomProblem per term.
    term : int
        Which of them.
    kind : "symmetric", "skew" or "plain"
    positive : float
        Sum of the positive weights of the samples.
    engine : Engine
    """

    def __init__(
        self,
        others: AtomProblem | None,
        parts: list[Any],
        term: int,
        kind: str,
        positive: float,
        engine: Engine,
    ) -> None:
        self.others, self.parts, self.term, self.engine = others, parts, term, engine
        self.kind = kind
        self.largest = positive + (0.0 if others is None else others.largest)

    def evaluate(
        self, rows: Floats, eigenvalues: Floats, *, with_gradient: bool = False
    ) -> "BlockEvaluation":
        """Return the value of an atom; with its gradient, or with what better eigenvalues need."""
        # Subspaces have no eigenvalues, only columns.
        wants_curves = len(eigenvalues) and not with_gradient
        points = GRID.repeat(len(eigenvalues)) if wants_curves else None
        return BlockEvaluation(self, rows, eigenvalues, points)

    def sum_blocks(self, rows: Floats, eigenvalues: Floats, points: Floats | None) -> BlockSums:
        """Return the sums over all other atoms and all samples."""
        arguments = (self.term, rows, eigenvalues, points)
        sums = self.engine.map(sum_block, [(part,) for part in self.parts], *arguments)
        if self.others is not None:
            sums = chain([sum_block([self.others], 0, rows, eigenvalues, points)], sums)
        return reduce(BlockSums.add, sums)


class BlockEvaluation(Evaluation):
    """An atom in a :class:`BlockProblem`: its value, and what improves it, summed once."""

    def __init__(
        self, problem: BlockProblem, rows: Floats, eigenvalues: Floats, points: Floats | None
    ) -> None:
        self.blocks, self.rows, self.eigenvalues = problem, rows, eigenvalues
        self.value, self._half_gradient, curves = problem.sum_blocks(rows, eigenvalues, points)
        self._on_grid = None if points is None else curves

    def half_gradient(self) -> Floats:
        """The rows S_k u_k, (n, m)."""
        if self._half_gradient is None:
            self._half_gradient = self.blocks.sum_blocks(self.rows, self.eigenvalues, None)[1]
        return self._half_gradient  # type: ignore[return-value]

    def improve_eigenvalues(self) -> "BlockEvaluation":
        """Return the same columns with each eigenvalue at its best."""
        if not len(self.eigenvalues):
            return self

        def evaluate(points: Floats) -> Floats:
            return self.blocks.sum_blocks(self.rows, self.eigenvalues, points).curves

        best = best_eigenvalues(evaluate, self.eigenvalues, on_grid=self._on_grid)
        return BlockEvaluation(self.blocks, self.rows, best, None)


def sum_block(
    part: Any, term: int, rows: Floats, eigenvalues: Floats, points: Floats | None
) -> BlockSums:
    """Return the sums over the samples of one block."""
    problem: AtomProblem = (part() if callable(part) else part)[term]
    G = problem.cached_products(rows)
    value, H = problem.weigh(G, eigenvalues)
    if points is None:
        return BlockSums(value, problem.half_gradient(H), np.empty((0, 0)))
    return BlockSums(value, None, evaluate_terms(points, *problem.eigenvalue_terms(G)))
