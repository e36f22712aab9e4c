"""Encodings of the same sequences that a search tries one after the other."""

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn.auto.candidates import Encoding
from ldslearn.auto.scaling import ChannelScaler
from ldslearn.models import LDS
from ldslearn.models.shared_encoding import SharedEncoding

_MOST_BYTES = 2**28  # of systems that are encoded before they are asked for


class SharedEncodings:
    """Encodings of some sequences; those that share decompositions are computed together.

    Parameters
    ----------
    X : list of (n_channels, n_timepoints) arrays
    n_jobs : int or None
    """

    def __init__(self, X: list[NDArray[Any]], n_jobs: int | None) -> None:
        self.X, self.n_jobs = X, n_jobs
        self._sequences: dict[bool, SharedEncoding] = {}
        self._ready: dict[Encoding, LDS] = {}

    def encode(self, encoding: Encoding, others: Iterable[Encoding] = ()) -> LDS:
        """Return the systems of an encoding.

        Parameters
        ----------
        encoding : Encoding
        others : iterable of Encoding
            Those that may be asked for next. Other orders of the same windows and delays are
            encoded at once, and kept until the next call that finds nothing ready.
        """
        if encoding not in self._ready:
            group = [encoding, *self._select_alike(encoding, others)]
            try:
                self._ready = dict(zip(group, self._encode_all(group), strict=True))
            except (ValueError, np.linalg.LinAlgError):
                if len(group) == 1:
                    raise
                self._ready = {encoding: self._encode_all([encoding])[0]}
        return self._ready.pop(encoding)

    def _select_alike(self, encoding: Encoding, others: Iterable[Encoding]) -> list[Encoding]:
        found, n_bytes = [], self._estimate_bytes(encoding)
        for other in others:
            if other == encoding or not other.shares_windows(encoding):
                continue
            n_bytes += self._estimate_bytes(other)
            if n_bytes <= _MOST_BYTES:
                found.append(other)
        return found

    def _estimate_bytes(self, encoding: Encoding) -> int:
        return 8 * len(self.X) * len(self.X[0]) * encoding.size

    def _encode_all(self, group: list[Encoding]) -> list[LDS]:
        scaled = group[0].scaled
        if scaled not in self._sequences:
            sequences = ChannelScaler().fit_transform(self.X) if scaled else self.X
            self._sequences[scaled] = SharedEncoding(sequences)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # idle states of windows at rest
            encoders = [encoding.make_encoder(self.n_jobs) for encoding in group]
            return self._sequences[scaled].encode(encoders)
