"""Systems: the LDS batch, its identification from sequences, stabilizers, canonical forms."""

from ldslearn.models.canonical import (
    SkewForm,
    SymmetricForm,
    canonical_skew,
    canonical_symmetric,
)
from ldslearn.models.certificate import StabilityCertificate
from ldslearn.models.encoder import LDSEncoder
from ldslearn.models.lds import LDS, as_systems
from ldslearn.models.stabilizers import STABILIZERS, stabilize

__all__ = [
    "LDS",
    "STABILIZERS",
    "LDSEncoder",
    "SkewForm",
    "StabilityCertificate",
    "SymmetricForm",
    "as_systems",
    "canonical_skew",
    "canonical_symmetric",
    "stabilize",
]
