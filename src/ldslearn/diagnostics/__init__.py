"""What a page shows of an evaluation: clips, codes, mistakes, similarities, atoms."""

from ldslearn.diagnostics.diagnostics import Diagnostics, compute_diagnostics

__all__ = ["Diagnostics", "compute_diagnostics"]
