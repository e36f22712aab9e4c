"""Estimators of sequences that choose their own parameters."""

from ldslearn.auto.classifier import AutoLDSClassifier
from ldslearn.auto.number_report import RegressionReport
from ldslearn.auto.regressor import AutoLDSRegressor
from ldslearn.auto.report import Report
from ldslearn.auto.scaling import ChannelScaler

__all__ = [
    "AutoLDSClassifier",
    "AutoLDSRegressor",
    "ChannelScaler",
    "RegressionReport",
    "Report",
]
