"""The public names of the library, as the API reference lists them (docs/public_names.py)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))

from public_names import assign_pages, list_names, list_packages

__all__ = ["assign_pages", "find_public"]


def find_public():
    """Return the public objects of all packages below the top level, by full name."""
    _, *packages = list_packages()
    return {
        f"{package.__name__}.{name}": getattr(package, name)
        for package in packages
        for name in list_names(package)
    }
