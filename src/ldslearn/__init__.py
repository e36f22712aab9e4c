"""Learning on collections of sequences by treating each one as a linear dynamical system."""

from ldslearn import datasets, models, video
from ldslearn.models import LDS, LDSEncoder

__version__ = "0.1.0"
__all__ = ["LDS", "LDSEncoder", "__version__", "datasets", "models", "video"]
