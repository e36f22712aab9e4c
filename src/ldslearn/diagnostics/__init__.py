"""Diagnostics of an evaluation: similarity, eigenvalues, codes, mistakes, clips, atoms."""

from ldslearn.diagnostics.diagnostics import Diagnostics, compute_diagnostics

__all__ = ["Diagnostics", "compute_diagnostics"]
