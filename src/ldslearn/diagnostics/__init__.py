"""Internal: what the page of an evaluation shows of it besides numbers.

`diagnostics` computes all of it: similarity, eigenvalues, codes, mistakes, clips and atoms.
"""
