"""What an encoder finds of some sequences, before it is checked and made a batch."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Floats, Indices
from ldslearn.models.certificate import StabilityCertificate


class Fits(NamedTuple):
    """Fields of some systems, the rank of each, which are constant, and what stabilizers did."""

    fields: dict[str, Floats]
    ranks: Indices
    constant: NDArray[np.bool_]
    certificates: list[StabilityCertificate]

    @classmethod
    def joined(cls, parts: "list[Fits]") -> "Fits":
        """Return the parts as one."""
        fields = {k: np.concatenate([p.fields[k] for p in parts]) for k in parts[0].fields}
        return cls(
            fields,
            np.concatenate([part.ranks for part in parts]),
            np.concatenate([part.constant for part in parts]),
            [certificate for part in parts for certificate in part.certificates],
        )
