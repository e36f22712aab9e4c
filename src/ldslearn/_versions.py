"""Versions of the packages that results depend on."""

import platform
from importlib.metadata import version

_PACKAGES = ("ldslearn", "numpy", "scipy", "scikit-learn", "numba")


def list_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that results depend on."""
    return {
        "python": platform.python_version(),
        **{package: version(package) for package in _PACKAGES},
    }
