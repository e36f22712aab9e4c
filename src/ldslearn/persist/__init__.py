"""Fitted estimators in one file, and back, with nothing in it that is executed.

`files.load` reads; `checks.check_fitted` checks attributes; `examples.try_out` predicts one
example.
"""

from ldslearn.persist.files import load, save
from ldslearn.persist.model import Model

__all__ = ["Model", "load", "save"]
