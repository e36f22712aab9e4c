"""Encode the same sequences in many ways; the work that they share is done once."""

from collections.abc import Sequence
from typing import Any

from sklearn.base import clone

from ldslearn import _errors
from ldslearn.models.encoder import LDSEncoder
from ldslearn.models.encoder_checks import check_parameters
from ldslearn.models.lds import LDS
from ldslearn.models.shared_fits import SharedFits
from ldslearn.sequences import as_collection
from ldslearn.sequences.offsets import warn_of_offsets


class SharedEncoding:
    r"""Sequences that several encoders encode, in little more than the time of one.

    Parameters
    ----------
    X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array

    Notes
    -----
    Results are those of ``encoder.fit_transform(X)``, to rounding. All orders of the same windows
    come from one decomposition per window. Where sequences have more channels than time points,
    all windows, delays and means come from one matrix of products of the samples per sequence,
    :math:`G = Y^\top Y`: those of :math:`d` stacked samples are
    :math:`\sum_{k < d} G_{i + k, j + k}`, those of a window are a diagonal block of these, and
    removing the mean is a projection. A sequence that would lose digits that way, because its
    singular values decrease too fast, is encoded separately.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 4.1. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from ldslearn import LDSEncoder
    >>> from ldslearn.datasets import load_basic_motions
    >>> from ldslearn.models.shared_encoding import SharedEncoding
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> encoders = [LDSEncoder(n, delays=2, windows=w) for n in (2, 4, 6) for w in (1, 4)]
    >>> batches = SharedEncoding(X_train).encode(encoders)
    >>> [(batch.n_states, batch.windows) for batch in batches]
    [(2, 1), (2, 4), (4, 1), (4, 4), (6, 1), (6, 4)]
    """

    def __init__(self, X: Any) -> None:
        self._sequences = as_collection(X)
        self._fits = SharedFits(self._sequences)
        self._checked_offsets = False

    def encode(self, encoders: Sequence[LDSEncoder]) -> list[LDS]:
        """Return the systems of all sequences by each encoder.

        Parameters
        ----------
        encoders : sequence of LDSEncoder
            With ``missing="raise"``. They are not changed.

        Returns
        -------
        list of LDS
        """
        fitted = [clone(encoder) for encoder in encoders]
        for encoder in fitted:
            if encoder.missing != "raise":
                raise _errors.invalid_parameter(
                    "missing", "be 'raise' for encoders that share their work", encoder.missing
                )
            check_parameters(encoder)
            encoder._learn(self._sequences)
        fits = self._fits.fit([encoder._make_settings(self._sequences) for encoder in fitted])
        batches = [
            encoder._make_systems(found, self._sequences, stacklevel=3)
            for encoder, found in zip(fitted, fits, strict=True)
        ]
        if not self._checked_offsets and any(encoder.center for encoder in fitted):
            warn_of_offsets(self._sequences)
            self._checked_offsets = True
        return batches
