"""Fitted estimators in one file, and back, with nothing in it that is executed."""

from ldslearn.persist.files import load, save

__all__ = ["load", "save"]
