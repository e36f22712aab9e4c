"""Methods by name, protocols, and the records of their evaluation."""

from ldslearn.evaluate import methods, protocol_names, published
from ldslearn.evaluate.methods import Method, find_method
from ldslearn.evaluate.parameters import Parameters, settle_parameters
from ldslearn.evaluate.protocol_names import parse_protocol
from ldslearn.evaluate.protocols import Protocol
from ldslearn.evaluate.published import PaperSet
from ldslearn.evaluate.runs import Round, evaluate
from ldslearn.evaluate.selection import choose_parameters
from ldslearn.evaluate.settings import Settings
from ldslearn.evaluate.training import train

# Assigned here, not imported: the reference finds their comments in this file alone.

#: Name of the method that :func:`~ldslearn.evaluate.evaluate` and
#: :func:`~ldslearn.evaluate.train` use by default.
DEFAULT_METHOD = methods.DEFAULT_METHOD

#: Methods by name: "auto", and those of the paper, such as "lds-sc-grass" and "covlds-dl". Each is
#: a :class:`~ldslearn.evaluate.Method`.
#:
#: :meta hide-value:
METHODS = methods.METHODS

#: Sets of the paper by name: "cambridge", "ucsd", "ucla", "dyntexpp", "sd", "spr" and "bdh". Each
#: is a :class:`~ldslearn.evaluate.PaperSet`.
#:
#: :meta hide-value:
PAPER_SETS = published.PAPER_SETS

#: Protocols of the paper by name (Sections 9.1, 9.3): "cambridge", "cambridge-halves", "ucsd",
#: "ucla", "dyntexpp" and "tactile". Each is a :class:`~ldslearn.evaluate.Protocol`.
#:
#: :meta hide-value:
PROTOCOLS = protocol_names.PROTOCOLS

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
