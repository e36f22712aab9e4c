"""Dictionaries whose atoms are systems (Sec. 6 and 7)."""

from ldslearn.dictionary.atoms import Atoms
from ldslearn.dictionary.dictionary import LDSDictionary
from ldslearn.dictionary.finite import FiniteDictionary

__all__ = ["Atoms", "FiniteDictionary", "LDSDictionary"]
