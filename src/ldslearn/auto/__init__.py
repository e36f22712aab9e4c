"""A classifier of sequences that chooses its own parameters."""

from ldslearn.auto.classifier import AutoLDSClassifier
from ldslearn.auto.report import Report
from ldslearn.auto.scaling import ChannelScaler

__all__ = ["AutoLDSClassifier", "ChannelScaler", "Report"]
