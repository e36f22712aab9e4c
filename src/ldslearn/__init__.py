"""Learning on collections of sequences by treating each one as a linear dynamical system."""

import lazy_loader

__version__ = "0.1.0"

# Names are imported on first use, so that `ldslearn --help` does not wait for scikit-learn.
# The public names are listed in __init__.pyi.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
