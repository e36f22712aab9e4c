"""Systems: the LDS batch, its identification from sequences, stabilizers, canonical forms."""

from ldslearn.models import stabilizers
from ldslearn.models.canonical import (
    SkewForm,
    SymmetricForm,
    canonical_skew,
    canonical_symmetric,
)
from ldslearn.models.certificate import StabilityCertificate
from ldslearn.models.encoder import LDSEncoder
from ldslearn.models.imputation import LDSImputer
from ldslearn.models.lds import LDS
from ldslearn.models.stabilizers import stabilize

#: Names that `method=` of :func:`stabilize` and `stabilizer=` of :class:`~ldslearn.LDSEncoder`
#: take.
STABILIZERS = stabilizers.STABILIZERS

__all__ = [
    "LDS",
    "STABILIZERS",
    "LDSEncoder",
    "LDSImputer",
    "SkewForm",
    "StabilityCertificate",
    "SymmetricForm",
    "canonical_skew",
    "canonical_symmetric",
    "stabilize",
]
