"""Scale channels of different units."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ldslearn import _errors
from ldslearn._checks import check_channel_count
from ldslearn._tags import NonTabularMixin
from ldslearn._types import Floats
from ldslearn.sequences import as_collection
from ldslearn.sequences.moments import pooled_deviations
from ldslearn.sequences.named import keep_names


class ChannelScaler(NonTabularMixin, TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Divide every channel by its standard deviation over all training sequences.

    Attributes
    ----------
    scale_ : (n_channels,) array
        Standard deviations; 1 for channels that never change.

    Notes
    -----
    Means are not removed. One standard deviation per channel serves all sequences, so that
    differences of size between sequences remain.

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn.auto import ChannelScaler
    >>> X = [np.array([[0.0, 2.0], [0.0, 2000.0]])]
    >>> ChannelScaler().fit_transform(X)[0].tolist()
    [[0.0, 2.0], [0.0, 2.0]]
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Compute the standard deviations of the channels.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array
        y : ignored

        Returns
        -------
        self
        """
        deviations = pooled_deviations(as_collection(X))
        self.scale_ = np.where(deviations > 0, deviations, 1.0)
        return self

    def transform(self, X: Any) -> list[Floats]:
        """Return the sequences with every channel divided by its scale.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array

        Returns
        -------
        list of (n_channels, n_timepoints) arrays
        """
        check_is_fitted(self)
        sequences = as_collection(X)
        check_channel_count("X", len(sequences[0]), len(self.scale_))
        return keep_names([sequence / self.scale_[:, None] for sequence in sequences], sequences)


def channels_are_scaled() -> ValueError:
    """Return the error about systems for a model that scales channels before it encodes them."""
    return _errors.invalid(
        "the model", "take channels as they are to label systems", "one that scales them",
        "Systems in a store are not scaled: predict from the sequences or files.",
    )  # fmt: skip
