"""Methods by name, protocols, evaluation records, and models on disk."""

from ldslearn.evaluate.exhibits import Exhibits, exhibit
from ldslearn.evaluate.methods import DEFAULT_METHOD, METHODS, Method, Settings
from ldslearn.evaluate.model import Model, train
from ldslearn.evaluate.parameters import Parameters, settle_parameters
from ldslearn.evaluate.protocols import PROTOCOLS, Protocol, parse
from ldslearn.evaluate.published import PAPER_SETS, PaperSet
from ldslearn.evaluate.runs import Round, evaluate
from ldslearn.evaluate.selection import choose

__all__ = [
    "DEFAULT_METHOD",
    "METHODS",
    "PAPER_SETS",
    "PROTOCOLS",
    "Exhibits",
    "Method",
    "Model",
    "PaperSet",
    "Parameters",
    "Protocol",
    "Round",
    "Settings",
    "choose",
    "evaluate",
    "exhibit",
    "parse",
    "settle_parameters",
    "train",
]
