"""Checks of systems that are added to an index, and of queries."""

from typing import Any

from ldslearn import _errors
from ldslearn._checks import check_whole
from ldslearn.geometry.registry import KernelTerm
from ldslearn.models import LDS
from ldslearn.models.blocks import StoredSystems

_ENCODING = ("encoder", "reading", "frame")  # what a store says of its systems


def check_addable(
    batch: LDS | StoredSystems, example: LDS | None, about: dict[str, Any]
) -> dict[str, Any]:
    """Return how all systems were encoded; raise unless new ones are like those in the index."""
    layout = batch[:1]._layout
    if example is not None and layout != example._layout:
        raise _errors.invalid(
            "X", f"have the layout of the systems in the index, {example._layout}", layout,
            "Encode all sequences with the same parameters.",
        )  # fmt: skip
    check_same_encoding(batch, about)
    given = getattr(batch, "about", {})
    return about or {name: given[name] for name in _ENCODING if name in given}


def check_same_encoding(batch: LDS | StoredSystems, about: dict[str, Any]) -> None:
    """Raise if a store says that its systems were encoded otherwise than those in the index.

    Systems in memory do not know how they were encoded.
    """
    given = getattr(batch, "about", {})
    known = about and any(name in given for name in _ENCODING)
    for name in ("encoder", "reading") if known else ():
        if about.get(name) != given.get(name):
            raise _errors.invalid(
                "X", f"be encoded as the systems in the index, {name} {about.get(name)}",
                given.get(name), "Encode all files with the same options.",
            )  # fmt: skip


def check_queries(X: Any, k: int, n_systems: int, about: dict[str, Any]) -> None:
    """Raise unless an index of so many systems can be searched for k neighbours of X."""
    if not n_systems:
        raise _errors.invalid(
            "the index", "hold at least one system to be searched", "none", "Add systems first."
        )
    check_whole("k", k)
    if k > n_systems:
        rule = f"be at most the number of systems in the index, {n_systems}"
        raise _errors.invalid_parameter("k", rule, k)
    check_same_encoding(X, about)


def check_savable(terms: list[KernelTerm]) -> None:
    """Raise if a kernel is a function, which files cannot hold."""
    if any(callable(name) for name, _, _ in terms):
        raise _errors.InputTypeError(
            "the kernel of an index must be given by name to be saved; got a function. Files of an "
            "index hold no code."
        )
