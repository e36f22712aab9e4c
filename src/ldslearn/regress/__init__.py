"""Numbers from systems: kernel ridge regression and Gaussian processes."""

from ldslearn.regress.regressor import LDSRegressor

__all__ = ["LDSRegressor"]
