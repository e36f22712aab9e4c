"""Versions of the packages that decide the numbers."""

import platform
from importlib.metadata import version

_PACKAGES = ("ldslearn", "numpy", "scipy", "scikit-learn", "numba")


def versions() -> dict[str, str]:
    """Return the versions of everything that decides the numbers."""
    return {
        "python": platform.python_version(),
        **{package: version(package) for package in _PACKAGES},
    }
