"""Random systems: sequences drive them, and the outputs are features for a linear model."""

from ldslearn.random_systems.bank import SystemBank
from ldslearn.random_systems.classifier import RandomSystemsClassifier
from ldslearn.random_systems.explanation import Explanation
from ldslearn.random_systems.regressor import RandomSystemsRegressor
from ldslearn.random_systems.transformer import RandomSystems

__all__ = [
    "Explanation",
    "RandomSystems",
    "RandomSystemsClassifier",
    "RandomSystemsRegressor",
    "SystemBank",
]
