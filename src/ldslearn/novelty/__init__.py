"""Systems that are unlike those of training: scores of novelty, and recordings watched by them."""

from ldslearn.novelty.detector import LDSNovelty

__all__ = ["LDSNovelty"]
