"""Compiled functions that are kept on disk, or compiled again by each process if they cannot be."""

import os
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numba


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return :func:`numba.njit` with some options, without ``cache`` where nothing can be written.

    Numba keeps code next to the source file or in the home folder, and raises an error if neither
    can be written, as in some containers. There is one warning, which names the remedy.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            return numba.njit(**options)(function)
        except RuntimeError as error:
            if not options.get("cache") or "cannot cache" not in str(error):
                raise
        _warn_about_cache()
        return numba.njit(**{**options, "cache": False})(function)

    return decorate


@cache
def _warn_about_cache() -> None:
    given = os.environ.get("NUMBA_CACHE_DIR")
    named = f"{given} (NUMBA_CACHE_DIR) cannot be written, nor can " if given else ""
    # The folder is the user's own: whoever can write to it can run code.
    warnings.warn(
        (
            f"compiled functions cannot be kept on disk: {named}the folders of the installed "
            f"package and of the user's cache{'' if given else ' cannot be written'}. Every "
            "process compiles them again, for some seconds. Name a folder of yours that can be "
            "written in the environment variable NUMBA_CACHE_DIR, or run: "
            "export NUMBA_CACHE_DIR=$(mktemp -d)"
        ),
        stacklevel=4,
    )


def leave_warnings_to_the_caller() -> None:
    """Do not warn in this process, which another one has started that warns itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _warn_about_cache()
