"""Checks of the parts of estimators: kinds and sizes of arrays, kernels and atoms."""

from numbers import Real
from typing import Any

import numpy as np

from ldslearn._files import memory_limit
from ldslearn.auto import ChannelScaler
from ldslearn.cluster import LDSKMeans
from ldslearn.dictionary.atoms import Atoms
from ldslearn.dictionary.columns import Columns
from ldslearn.dictionary.online import NODES, Memory
from ldslearn.dictionary.recipe import Recipe, split_name
from ldslearn.geometry.fitted_kernels import FittedKernel, ReferenceKernel
from ldslearn.geometry.registry import parse_kernel
from ldslearn.models import LDS, LDSEncoder, LDSImputer
from ldslearn.models.encoder_checks import check_parameters
from ldslearn.models.encoder_gaps import MISSING_POLICIES
from ldslearn.search import LDSEmbedding

_KINDS = {"symmetric": "symmetric", "skew": "skew", "covariance": "plain", "finite": "plain"}


def require(condition: bool, reason: str) -> None:
    """Raise ValueError with a reason unless a condition holds."""
    if not condition:
        raise ValueError(reason)


def check_count(name: str, value: Any, most: int = 2**40) -> None:
    """Raise unless `value` is an integer from 1 to `most`."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    require(whole and 1 <= value <= most, f"{name} is {value!r:.40}")


def check_array(name: str, value: Any, shape: tuple[int | None, ...], kinds: str = "f") -> None:
    """Raise unless `value` is a finite array of this shape; None in it is any length."""
    require(
        isinstance(value, np.ndarray) and value.dtype.kind in kinds,
        f"{name} must be an array of dtype kind {kinds}",
    )
    fits = value.ndim == len(shape) and all(
        wanted is None or got == wanted for got, wanted in zip(value.shape, shape, strict=True)
    )
    require(fits, f"{name} has shape {value.shape}")
    if "f" in kinds:
        require(value.dtype == np.float64, f"{name} has dtype {value.dtype}")
        require(bool(np.isfinite(value).all()), f"{name} is not finite")


def check_indices(name: str, value: Any, length: int | None, below: int) -> None:
    """Raise unless `value` holds numbers from 0 to `below` - 1."""
    check_array(name, value, (length,), "iu")
    require(not value.size or 0 <= value.min() <= value.max() < below, f"{name} is out of range")


def check_classes(classes: Any) -> None:
    """Raise unless `classes` is a sorted array of different labels."""
    require(
        isinstance(classes, np.ndarray) and classes.ndim == 1, "classes_ must be a list of labels"
    )
    require(len(classes) >= 2, "classes_ must have at least two labels")
    require(np.array_equal(np.unique(classes), classes), "classes_ must be sorted and different")


def check_mix(classifier: Any) -> None:
    """Raise unless the chosen `mix`, if there is one, is a number from 0 to 1."""
    mix = getattr(classifier, "mix_", 1.0)
    require(isinstance(mix, float) and 0 <= mix <= 1, f"mix_ is {mix!r:.40}")
    require(isinstance(getattr(classifier, "mix_scores_", {}), dict), "mix_scores_ must be a dict")


def check_kernel(kernel: Any) -> None:
    """Raise unless a fitted kernel has systems, parts that exist, and matrices of their sizes."""
    require(isinstance(kernel, ReferenceKernel), "kernel_ must be a ReferenceKernel")
    systems, parts = kernel.systems, kernel.parts
    require(isinstance(systems, LDS) and len(systems) > 0, "kernel_ must have systems")
    require(isinstance(parts, list) and len(parts) > 0, "kernel_ must have terms")
    for part in parts:
        require(
            isinstance(part, tuple) and len(part) == 3,
            "a kernel term is not a (name, weight, parameters) tuple",
        )
        name, weight, settings = part
        require(isinstance(name, str), "the name of a kernel term must be a text")
        require(isinstance(settings, dict), "parameters of a kernel term must be a dict")
        require(
            isinstance(weight, Real) and np.isfinite(float(weight)), "a weight must be a number"
        )
        parse_kernel(name, settings)
        if isinstance(settings.get("order"), int):
            n_bytes = 8 * settings["order"] * systems.C.size
            require(
                n_bytes <= memory_limit(),
                f"order {settings['order']} of a kernel term is too large for the memory",
            )
    n_systems = len(systems)
    if kernel.projector is not None:
        check_array("projector", kernel.projector, (n_systems, None))
    if isinstance(kernel, FittedKernel):
        check_array("gram", kernel.gram, (n_systems, n_systems))
        require(count_columns(kernel) == n_systems, "projector is not square")


def count_columns(kernel: ReferenceKernel) -> int:
    """Return the number of columns of ``kernel.cross``."""
    return len(kernel.systems) if kernel.projector is None else kernel.projector.shape[1]


def check_atoms(atoms: Any, recipe: Any, like: Any) -> None:
    """Raise unless atoms are columns as a recipe makes them of systems like the one given."""
    require(isinstance(like, LDS) and len(like) == 1, "_like must be one system")
    require(
        isinstance(recipe, Recipe) and isinstance(recipe.codes, tuple), "recipe_ must be a Recipe"
    )
    require(len(recipe.codes) > 0 and type(recipe.order) is int, "recipe_ is empty")
    require(
        recipe.order >= 1 and 8 * recipe.order * like.C.size <= memory_limit(),
        f"recipe_ has the order {recipe.order}",
    )
    require(isinstance(atoms, Atoms) and isinstance(atoms.terms, list), "atoms_ must be Atoms")
    require(atoms.delays == like.delays, "atoms_ have other delays")
    require(
        len(atoms.terms) == len(recipe.codes), "atoms_ have another number of codes than recipe_"
    )
    lengths = set()
    for code, term in zip(recipe.codes, atoms.terms, strict=True):
        require(
            isinstance(code, dict) and isinstance(term, dict) and len(code) > 0,
            "a code must be a dict of terms",
        )
        require(list(code) == list(term), "atoms_ have other terms than recipe_")
        for name, weight in code.items():
            require(
                isinstance(name, str) and isinstance(weight, float), "a weight must be a number"
            )
            require(bool(np.isfinite(weight)), "a weight must be finite")
            _check_atom_columns(name, term[name], recipe, like)
            lengths.add(len(term[name]))
    require(len(lengths) == 1 and 0 not in lengths, "terms of atoms_ have different lengths")
    recipe.make_columns(like)  # raises if its names are wrong


def _check_atom_columns(name: str, columns: Any, recipe: Recipe, like: LDS) -> None:
    part, window = split_name(name)
    require(part in _KINDS and 0 <= window < like.windows, f"unknown term {name[:40]!r}")
    require(
        isinstance(columns, Columns) and columns.kind == _KINDS[part],
        f"{name} must be Columns of kind {_KINDS[part]}",
    )
    n, m = like.n_states, like.n_channels * (recipe.order if part == "finite" else 1)
    n_columns = None if part == "covariance" else n
    check_array(f"rows of {name}", columns.rows, (None, n_columns, m))
    require(1 <= columns.rows.shape[1] <= n, f"{name} has {columns.rows.shape[1]} columns")
    n_values = {"symmetric": n, "skew": n // 2}.get(part, 0)
    shape = (len(columns.rows), n_values)
    check_array(f"eigenvalues of {name}", columns.eigenvalues, shape)
    require(
        bool((np.abs(columns.eigenvalues) < 1).all()) or part == "skew",
        "eigenvalues of atoms must be below 1",
    )


def check_memories(memories: Any, atoms: Atoms, recipe: Recipe) -> None:
    """Raise unless the averages of online learning belong to the atoms."""
    require(
        isinstance(memories, list) and len(memories) == len(recipe.codes),
        "_memories must have one entry per code",
    )
    for memory, term in zip(memories, atoms.terms, strict=True):
        require(isinstance(memory, Memory), "_memories must be a list of Memory")
        for averages in (memory.pulls, memory.curves):
            require(
                isinstance(averages, list) and len(averages) == len(term),
                "_memories must have one average per term",
            )
        parts = zip(memory.pulls, memory.curves, term.values(), strict=True)
        for pull, curve, columns in parts:
            check_array("pulls", pull, columns.rows.shape)
            check_array("curves", curve, (*columns.eigenvalues.shape, len(NODES)))
        check_array("idle", memory.idle, (len(atoms),), "i")
        check_array("learned", memory.learned, (len(atoms),), "b")
        require(
            type(memory.n_batches) is int and memory.n_batches >= 0, "n_batches must be an integer"
        )


def check_encoder(encoder: LDSEncoder) -> None:
    """Raise unless channels and states of an encoder belong together."""
    for name in ("n_channels_in_", "n_states_"):
        check_count(name, getattr(encoder, name))
    check_parameters(encoder)
    require(
        encoder.n_states_ <= encoder.n_channels_in_ * encoder.delays,
        "n_states_ must be at most the number of channels",
    )
    if "step_" in vars(encoder):
        step = encoder.step_
        require(isinstance(step, float) and 0 < step < np.inf, "step_ must be a positive number")
    if encoder.missing == "smooth":
        _check_channel_statistics(encoder, encoder.n_channels_in_)


def check_imputer(imputer: LDSImputer) -> None:
    """Raise unless an imputer has its parameters, and statistics of channels."""
    imputer._check_parameters()
    _check_channel_statistics(imputer, None)


def check_own_imputer(model: Any) -> None:
    """Raise unless a classifier that fills gaps has an imputer of its channels."""
    require(model.missing in MISSING_POLICIES, f"missing is {model.missing!r:.40}")
    imputer = model.imputer_
    require((imputer is not None) <= (model.missing == "smooth"), "imputer_ is not asked for")
    if imputer is not None:
        require(isinstance(imputer, LDSImputer), "imputer_ must be an LDSImputer")
        imputer._check_parameters()
        _check_channel_statistics(imputer, model.n_channels_in_)


def _check_channel_statistics(estimator: LDSEncoder | LDSImputer, n_channels: int | None) -> None:
    """Raise unless means and variances of channels are finite and as many as channels."""
    for name in ("channel_means_", "channel_variances_"):
        require(name in vars(estimator), f"{type(estimator).__name__} lacks {name}")
        check_array(name, getattr(estimator, name), (n_channels,))
        n_channels = len(getattr(estimator, name))
    require(bool((estimator.channel_variances_ >= 0).all()), "channel_variances_ is negative")
    if getattr(estimator, "channel_factors_", None) is not None:
        check_array("channel_factors_", estimator.channel_factors_, (n_channels, None))
        weight = estimator.channel_weight_
        require(isinstance(weight, float) and 0 <= weight <= 1, "channel_weight_ is not 0 to 1")


def check_channel_scaler(scaler: ChannelScaler) -> None:
    """Raise unless the scales are positive numbers."""
    check_array("scale_", scaler.scale_, (None,))
    require(len(scaler.scale_) > 0 and bool((scaler.scale_ > 0).all()), "scale_ must be positive")


def check_kmeans(model: LDSKMeans) -> None:
    """Raise unless centres and labels belong together."""
    check_atoms(model.cluster_centers_, model.recipe_, model._like)
    check_indices("labels_", model.labels_, None, len(model.cluster_centers_))
    require(len(model.recipe_.codes) == 1, "recipe_ must have one code")
    spectral = getattr(model, "_spectral", None)
    if spectral is None:
        return
    require(isinstance(spectral, tuple) and len(spectral) == 4, "_spectral must have four parts")
    kernel, values, coordinates, centroids = spectral
    check_kernel(kernel)
    check_array("values of _spectral", values, (None,))
    require(bool((values >= 1e-100).all()), "values of _spectral must be positive")
    check_array("coordinates of _spectral", coordinates, (count_columns(kernel), len(values)))
    shape = (len(model.cluster_centers_), len(values))
    check_array("centroids of _spectral", centroids, shape)


def check_embedding(embedding: LDSEmbedding) -> None:
    """Raise unless the map of an embedding has one row per landmark."""
    check_kernel(embedding.kernel_)
    require(embedding.kernel_.projector is None, "the kernel of an embedding has no projector")
    n_landmarks = len(embedding.kernel_.systems)
    check_indices("landmark_indices_", embedding.landmark_indices_, n_landmarks, 2**62)
    check_array("components_", embedding.components_, (n_landmarks, None))
    check_array("eigenvalues_", embedding.eigenvalues_, (embedding.components_.shape[1],))
    require(isinstance(embedding.residual_, float), "residual_ must be a number")
