"""The transformer from sequences to features by random systems."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ldslearn._checks import as_random_state, check_channel_count, check_jobs, check_whole
from ldslearn._parallel import current_engine, cut_by_bytes, for_each_block
from ldslearn._tags import NonTabularMixin
from ldslearn._types import Floats
from ldslearn.random_systems.bank import draw_bank
from ldslearn.random_systems.outputs import RunningSystems, choose_thresholds
from ldslearn.random_systems.standardization import (
    Standardization,
    count_components,
    fit_standardization,
)
from ldslearn.sequences import as_collection
from ldslearn.sequences.orientation import warn_if_transposed

_FOR_THRESHOLDS = 20  # training sequences whose outputs decide the thresholds


class RandomSystems(
    NonTabularMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    r"""Describe sequences by how often they drive random systems above thresholds.

    Nothing is fitted to a sequence. It drives many random systems of second order, which differ in
    the channels they read, in frequency and in decay time. The features are the shares of time
    points at which their outputs exceed thresholds. Lengths may differ.

    Parameters
    ----------
    n_systems : int, default=1000
        Number of systems.
    n_thresholds : int, default=8
        Thresholds per system. There are ``n_systems * n_thresholds`` features.
    n_components : int, "auto" or None, default="auto"
        Project the channels on this many principal directions of the training data first. "auto" is
        20 directions above 30 channels, else None: the channels themselves.
    random_state : int, RandomState, Generator or None, default=None
        Of the systems, of the levels of the thresholds, and of the training sequences whose
        outputs decide the thresholds.
    n_jobs : int or None, default=None
        Threads, as in joblib: None is one, -1 is all cores. The result does not depend on it.

    Attributes
    ----------
    bank_ : SystemBank
        The systems: channels and weights, poles, numerators, windows, thresholds.
    mean_, scale_ : (n_channels,) arrays
        Mean and standard deviation of the training channels; 1 where the deviation is 0.
    components_ : (n_components, n_channels) array or None
        Principal directions of standardised channels in rows, divided by the deviations along
        them; those without variance are left out. None if systems read the channels themselves.
    n_channels_in_ : int
        Channels of the training sequences.

    Notes
    -----
    Channels are standardised. A system reads :math:`q` of them, with weights
    :math:`\pm 1 / \sqrt q`; :math:`\log_2 q` is uniform, and :math:`q` at most 9. Its output is

    .. math:: y_t = 2 r \cos(\theta) y_{t-1} - r^2 y_{t-2} + b_0 u_t + b_1 u_{t-1} + b_2 u_{t-2},
       \qquad r = e^{-1 / \tau}.

    With :math:`T` the median length of training sequences, the decay time :math:`\tau` is
    log-uniform in :math:`[1, T / 2]`. The angle :math:`\theta` is 0 for half of the systems, and
    log-uniform in :math:`[2 \pi / T, \pi]` for the others. The numerator :math:`b` is normal; its
    mean is removed with probability 0.7. Half of the systems run backwards in time. Half are
    counted over a random half or quarter of the sequence, the others over all of it. Each starts
    in its steady state for the first input. Thresholds are random quantiles, from 5 to 95 %, of the
    outputs for 20 training sequences. The feature of threshold :math:`h` is the share of time
    points with :math:`y_t > h`.

    Random convolutions with pooled outputs are the idea of [1]_ and [2]_. Here the impulse
    responses are infinite and those of linear dynamical systems.

    References
    ----------
    .. [1] A. Dempster, F. Petitjean, G. I. Webb, *ROCKET: exceptionally fast and accurate time
       series classification using random convolutional kernels*, Data Mining and Knowledge
       Discovery 34 (2020) 1454-1495. doi:10.1007/s10618-020-00701-z
    .. [2] A. Dempster, D. F. Schmidt, G. I. Webb, *MiniRocket: a very fast (almost) deterministic
       transform for time series classification*, KDD 2021. doi:10.1145/3447548.3467231

    Examples
    --------
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from ldslearn import RandomSystems
    >>> from ldslearn.datasets import load_basic_motions
    >>> X_train, y_train, X_test, y_test = load_basic_motions()
    >>> systems = RandomSystems(n_systems=200, random_state=0).fit(X_train)
    >>> systems.transform(X_test).shape
    (40, 1600)
    >>> model = make_pipeline(systems, StandardScaler(), RidgeClassifier(100.0))
    >>> model.fit(X_train, y_train).score(X_test, y_test)
    1.0
    """

    def __init__(
        self,
        n_systems: int = 1000,
        *,
        n_thresholds: int = 8,
        n_components: int | str | None = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_systems = n_systems
        self.n_thresholds = n_thresholds
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the systems, and choose their thresholds on training sequences.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array
        y : ignored

        Returns
        -------
        self
        """
        sequences = as_collection(X)
        warn_if_transposed(X, sequences)
        return self._fit(sequences)

    def transform(self, X: Any) -> Floats:
        """Return the share of time points above every threshold, sequence by sequence.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array

        Returns
        -------
        (N, n_systems * n_thresholds) array
            The thresholds of a system are side by side.
        """
        check_is_fitted(self)
        return self._transform(as_collection(X), self.n_jobs)

    def compute_outputs(self, X: Any) -> list[Floats]:
        """Return the outputs of all systems, of which `transform` counts those above thresholds.

        Parameters
        ----------
        X : list of (n_channels, n_timepoints) arrays or (N, n_channels, n_timepoints) array

        Returns
        -------
        list of (n_systems, n_timepoints) arrays
            In the order of time, also those of systems that run backwards.
        """
        check_is_fitted(self)
        sequences = as_collection(X)
        check_channel_count("X", len(sequences[0]), self.n_channels_in_)
        standardization = Standardization(self.mean_, self.scale_, self.components_)
        running = RunningSystems(self.bank_)
        return [running.compute_outputs(standardization.apply(x)) for x in sequences]

    @property
    def _n_features_out(self) -> int:
        return int(self.bank_.thresholds.size)

    def _fit(self, sequences: list[NDArray[Any]]) -> Self:
        check_whole("n_systems", self.n_systems)
        check_whole("n_thresholds", self.n_thresholds)
        check_jobs(self.n_jobs)
        n_channels = len(sequences[0])
        random = as_random_state(self.random_state)
        found = fit_standardization(sequences, count_components(self.n_components, n_channels))
        length = float(np.median([x.shape[1] for x in sequences]))
        bank = draw_bank(self.n_systems, self.n_thresholds, found.n_outputs, length, random)
        chosen = random.permutation(len(sequences))[:_FOR_THRESHOLDS]
        thresholds = choose_thresholds(bank, [found.apply(sequences[i]) for i in chosen])
        # All at once: a fit that is interrupted leaves the model of the one before.
        self.bank_, self.n_channels_in_ = replace(bank, thresholds=thresholds), n_channels
        self.mean_, self.scale_, self.components_ = found.mean, found.scale, found.components
        return self

    def _transform(self, sequences: list[NDArray[Any]], n_jobs: int | None) -> Floats:
        check_channel_count("X", len(sequences[0]), self.n_channels_in_)
        engine = current_engine()
        parts = cut_by_bytes([x.nbytes for x in sequences]) if engine.n_workers else []
        if len(parts) < 2:
            return transform_block(sequences, self, n_jobs)
        blocks = [(list(sequences[part]),) for part in parts]
        found = engine.map(transform_block, blocks, self, n_jobs, description="transforming")
        return np.concatenate(list(found))


def transform_block(
    sequences: list[NDArray[Any]], model: RandomSystems, n_jobs: int | None
) -> Floats:
    """Return the features of checked sequences, (N, n_features), in this process."""
    standardization = Standardization(model.mean_, model.scale_, model.components_)
    running = RunningSystems(model.bank_)
    features = np.empty((len(sequences), *model.bank_.thresholds.shape))

    def work(block: slice) -> None:
        for index in range(block.start, block.stop):
            x = standardization.apply(sequences[index])
            running.compute_shares(x, features[index])

    for_each_block(work, len(sequences), n_jobs=n_jobs, description="transforming")
    return features.reshape(len(sequences), -1)
