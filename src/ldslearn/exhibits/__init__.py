"""What a page shows of an evaluation: clips, codes, mistakes, similarities, atoms."""

from ldslearn.exhibits.evaluation import Exhibits, exhibit

__all__ = ["Exhibits", "exhibit"]
