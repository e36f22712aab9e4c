"""Methods by name, protocols, and the records of their evaluation."""

from ldslearn.evaluate.methods import DEFAULT_METHOD, METHODS, Method, Settings, find_method
from ldslearn.evaluate.parameters import Parameters, settle_parameters
from ldslearn.evaluate.protocols import PROTOCOLS, Protocol, parse_protocol
from ldslearn.evaluate.published import PAPER_SETS, PaperSet
from ldslearn.evaluate.runs import Round, evaluate
from ldslearn.evaluate.selection import choose_parameters
from ldslearn.evaluate.training import train

__all__ = [
    "DEFAULT_METHOD",
    "METHODS",
    "PAPER_SETS",
    "PROTOCOLS",
    "Method",
    "PaperSet",
    "Parameters",
    "Protocol",
    "Round",
    "Settings",
    "choose_parameters",
    "evaluate",
    "find_method",
    "parse_protocol",
    "settle_parameters",
    "train",
]
