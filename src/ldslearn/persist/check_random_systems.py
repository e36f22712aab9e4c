"""Checks of random systems that were read from a file.

Compiled code trusts their sizes: a wrong one would make it read outside of its memory.
"""

from typing import Any

import numpy as np

from ldslearn.persist.check_parts import (
    check_array,
    check_classes,
    check_count,
    check_own_imputer,
    require,
)
from ldslearn.random_systems import RandomSystems, RandomSystemsClassifier, SystemBank

_MOST_SYSTEMS = 10**6
_MOST_THRESHOLDS = 10**4
_LARGEST = 1e100  # of numbers that are multiplied with each other


def check_random_systems(model: RandomSystems) -> None:
    """Raise unless systems, means, scales and components belong together."""
    check_count("n_channels_in_", model.n_channels_in_)
    n_channels = int(model.n_channels_in_)
    for name in ("mean_", "scale_"):
        _check_numbers(name, getattr(model, name), (n_channels,))
    require(bool((model.scale_ > 0).all()), "scale_ must be positive")
    n_read = n_channels
    if model.components_ is not None:
        _check_numbers("components_", model.components_, (None, n_channels))
        n_read = len(model.components_)
        require(n_read > 0, "components_ must have a row")
    require(isinstance(model.bank_, SystemBank), "bank_ must be a SystemBank")
    _check_bank(model.bank_, n_read)


def _check_bank(bank: SystemBank, n_read: int) -> None:
    for name in ("channels", "weights", "n_inputs", "thresholds"):
        value = getattr(bank, name)
        require(isinstance(value, np.ndarray) and value.ndim > 0, f"{name} must be an array")
    n_systems = len(bank.n_inputs)
    check_count("the number of systems", n_systems, _MOST_SYSTEMS)
    check_array("channels", bank.channels, (n_systems, None), "i")
    n_most = bank.channels.shape[1]
    check_array("n_inputs", bank.n_inputs, (n_systems,), "i")
    for name in ("channels", "n_inputs"):
        require(
            getattr(bank, name).dtype == np.intp, f"{name} must be of dtype {np.dtype(np.intp)}"
        )
    require(
        bool((bank.n_inputs >= 1).all() and (bank.n_inputs <= n_most).all()),
        "n_inputs is out of range",
    )
    require(
        bool((bank.channels >= 0).all() and (bank.channels < n_read).all()),
        "channels is out of range",
    )
    _check_numbers("weights", bank.weights, (n_systems, n_most))
    _check_numbers("numerators", bank.numerators, (n_systems, 3))
    _check_numbers("thresholds", bank.thresholds, (n_systems, None))
    check_count("the number of thresholds", bank.thresholds.shape[1], _MOST_THRESHOLDS)
    for name in ("decay_times", "angles", "starts", "stops"):
        _check_numbers(name, getattr(bank, name), (n_systems,))
    require(bool((bank.decay_times > 0).all()), "decay_times must be positive")
    require(
        bool((bank.angles >= 0).all() and (bank.angles <= np.pi).all()), "angles is out of range"
    )
    require(
        bool((bank.starts >= 0).all() and (bank.starts < bank.stops).all()),
        "starts must be before stops",
    )
    require(bool((bank.stops <= 1).all()), "stops must be at most 1")
    check_array("backward", bank.backward, (n_systems,), "b")
    require(bool((bank.backward[1:] >= bank.backward[:-1]).all()), "backward must be sorted")


def check_random_classifier(model: RandomSystemsClassifier) -> None:
    """Raise unless the regression has the features of the systems and the classes."""
    require(isinstance(model.transformer_, RandomSystems), "transformer_ must be RandomSystems")
    for name in ("bank_", "mean_", "scale_", "components_", "n_channels_in_"):
        require(name in vars(model.transformer_), f"transformer_ lacks {name}")
    check_random_systems(model.transformer_)
    check_classes(model.classes_)
    require(
        model.n_channels_in_ == model.transformer_.n_channels_in_,
        f"n_channels_in_ is {model.n_channels_in_!r:.40}",
    )
    check_own_imputer(model)
    n_features, n_classes = model.transformer_.bank_.thresholds.size, len(model.classes_)
    _check_numbers("mean_", model.mean_, (n_features,))
    _check_numbers("scale_", model.scale_, (n_features,))
    require(bool((model.scale_ > 0).all()), "scale_ must be positive")
    _check_numbers("coef_", model.coef_, (n_features, n_classes))
    _check_numbers("intercept_", model.intercept_, (n_classes,))
    _check_numbers("left_out_scores_", model.left_out_scores_, (None, n_classes))
    for name in ("penalty_", "_factor"):
        value = getattr(model, name)
        require(isinstance(value, float) and 0 < value < _LARGEST, f"{name} is {value!r:.40}")


def make_random_example(model: Any) -> list[Any]:
    """Return a sequence of zeros that random systems can be tried on."""
    return [np.zeros((int(model.n_channels_in_), 3))]


def _check_numbers(name: str, value: Any, shape: tuple[int | None, ...]) -> None:
    """Raise unless `value` is an array of this shape whose products are finite."""
    check_array(name, value, shape)
    require(bool((np.abs(value) < _LARGEST).all()), f"{name} is out of range")
