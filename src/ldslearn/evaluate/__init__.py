"""Methods by name, protocols, evaluation records, and models on disk."""

from ldslearn.evaluate.methods import DEFAULT_METHOD, METHODS, Method, Settings
from ldslearn.evaluate.model import Model, train
from ldslearn.evaluate.protocols import PROTOCOLS, Protocol, parse
from ldslearn.evaluate.runs import evaluate
from ldslearn.evaluate.selection import choose

__all__ = [
    "DEFAULT_METHOD",
    "METHODS",
    "PROTOCOLS",
    "Method",
    "Model",
    "Protocol",
    "Settings",
    "choose",
    "evaluate",
    "parse",
    "train",
]
