"""Compiled functions that are kept on disk, or compiled again by each process if they cannot be."""

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
    warnings.warn(
        (
            "compiled functions cannot be kept on disk: neither the folder of the installed "
            "package nor that of the user's cache can be written. Every process compiles them "
            "again, for some seconds. Name a folder that can be written in the environment "
            "variable NUMBA_CACHE_DIR, or run: export NUMBA_CACHE_DIR=/tmp/numba"
        ),
        stacklevel=4,
    )
