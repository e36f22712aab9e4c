"""Choose states and sparsity by folds of the training part."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline

from ldslearn._parallel import show_progress
from ldslearn.datasets.collection import Collection
from ldslearn.evaluate.methods import Method, Settings
from ldslearn.evaluate.protocols import Protocol, Split, automatic_folds
from ldslearn.models import LDSEncoder
from ldslearn.models.defaults import choose_delays, list_feasible_states, make_default_encoder

SPARSITIES = (0.02, 0.1)


@dataclass(frozen=True)
class Choice:
    """What was chosen, and how each candidate did.

    Attributes
    ----------
    n_states, delays : int
    sparsity : float or None
    tried : list of dict
        One for each candidate: n_states, sparsity, accuracy (mean over folds).
    """

    n_states: int
    delays: int
    sparsity: float | None
    tried: list[dict[str, Any]]

    def values(self) -> dict[str, Any]:
        """What was chosen, as plain values."""
        return {"n_states": self.n_states, "delays": self.delays, "sparsity": self.sparsity}


def choose(
    method: Method,
    data: Collection,
    settings: Settings,
    *,
    n_states: int | None = None,
    sparsity: float | None = None,
    delays: int | None = None,
    encoder: dict[str, Any] | None = None,
    folds: Protocol | None = None,
    whole: Collection | None = None,
) -> Choice:
    """Return what folds of `data` say is best; what is given is taken as it is.

    Each order is encoded once: a system depends on its own sequence alone, so that no fold sees
    another. Of equals the smaller order and the larger sparsity win. Where the folds leave too
    little to train on, the usual values are taken untried.

    Parameters
    ----------
    method : Method
    data : Collection
        Training sequences, with labels.
    settings : Settings
    n_states, sparsity, delays : optional
    encoder : dict, optional
        Further arguments of the encoder.
    folds : Protocol, optional
        Five folds or fewer when not given.
    whole : Collection, optional
        What `data` is part of: states and delays must suit the shortest sequence of all, or what
        is to be tested might be too short for them.
    """
    whole = data if whole is None else whole
    delays = choose_delays(whole, n_states) if delays is None else delays
    orders = list_feasible_states(whole, delays) if n_states is None else [n_states]
    sparsities: Sequence[float | None] = (None,)
    if method.sparse:
        sparsities = SPARSITIES[::-1] if sparsity is None else (sparsity,)
    if len(orders) * len(sparsities) == 1:
        return Choice(orders[0], delays, sparsities[0], [])
    usual = Choice(
        int(make_default_encoder(whole, n_states, delays).n_states),
        delays,
        (settings.sparsity if sparsity is None else sparsity) if method.sparse else None,
        [],
    )
    LDSEncoder(max(orders), delays=delays, **(encoder or {})).fit(data.X)  # or say what is wrong
    try:
        splits = (folds or automatic_folds(data)).splits(data, settings.seed)
        tried = _try_all(method, data, settings, orders, sparsities, delays, encoder or {}, splits)
    except ValueError as error:
        warnings.warn(_untried(usual.n_states, usual.sparsity, error), stacklevel=2)
        return usual
    best = max(tried, key=lambda candidate: candidate["accuracy"])
    return Choice(best["n_states"], delays, best["sparsity"], tried)


def _try_all(
    method: Method,
    data: Collection,
    settings: Settings,
    orders: Sequence[int],
    sparsities: Sequence[float | None],
    delays: int,
    encoder: dict[str, Any],
    splits: list[Split],
) -> list[dict[str, Any]]:
    """Mean accuracy over the folds of every candidate."""
    tried: list[dict[str, Any]] = []
    with show_progress("choosing states", len(orders) * len(sparsities)) as advance:
        for order in orders:
            systems = LDSEncoder(
                order, delays=delays, n_jobs=settings.n_jobs, **encoder
            ).fit_transform(data.X)
            for value in sparsities:
                setting = settings if value is None else replace(settings, sparsity=value)
                scores = cross_val_score(
                    method.build(setting), systems, data.y, cv=splits, error_score="raise",
                    params=groups_for(method, data, settings),
                )  # fmt: skip
                tried.append(
                    {"n_states": order, "sparsity": value, "accuracy": float(np.mean(scores))}
                )
                advance(1)
    return tried


def groups_for(method: Method, data: Collection, settings: Settings) -> dict[str, Any]:
    """Return the groups of `data` as an argument of ``fit``, where folds choose `mix` there."""
    if "mix" not in method.uses or settings.mix != "cv" or data.groups is None:
        return {}
    return {"groups": data.groups} if len(np.unique(data.groups)) > 1 else {}


def build_pipeline(
    method: Method, choice: Choice, settings: Settings, encoder: dict[str, Any] | None = None
) -> Pipeline:
    """Return encoder and classifier with what was chosen."""
    setting = settings if choice.sparsity is None else replace(settings, sparsity=choice.sparsity)
    return make_pipeline(
        LDSEncoder(
            choice.n_states, delays=choice.delays, n_jobs=settings.n_jobs, **(encoder or {})
        ),
        method.build(setting),
    )


def _untried(n_states: int, sparsity: float | None, reason: object) -> str:
    """Warning that parameters were not chosen by folds."""
    values = f"{n_states} states" + ("" if sparsity is None else f" and a sparsity of {sparsity:g}")
    return f"{values} were taken untried, as folds of the training part cannot be used: {reason}"
