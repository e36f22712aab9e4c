"""Choose states and sparsity by cross-validation on the training part."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline

from ldslearn._progress import show_progress
from ldslearn._reprs import summarize_fields
from ldslearn.datasets.collection import Collection
from ldslearn.evaluate.methods import Method
from ldslearn.evaluate.protocols import Protocol, Split, choose_folds
from ldslearn.evaluate.settings import Settings
from ldslearn.models import LDSEncoder
from ldslearn.models.defaults import choose_delays, list_feasible_states, make_default_encoder

SPARSITIES = (0.02, 0.1)


@dataclass(frozen=True)
class Choice:
    """Chosen parameters, and the accuracy of each candidate.

    Attributes
    ----------
    n_states, delays : int or None
        None if the method encodes no systems.
    sparsity : float or None
    tried : list of dict
        One per candidate: n_states, sparsity, accuracy (mean over folds).
    """

    n_states: int | None
    delays: int | None
    sparsity: float | None
    tried: list[dict[str, Any]]

    __repr__ = summarize_fields

    def as_dict(self) -> dict[str, Any]:
        """Return the chosen parameters as plain values."""
        return {"n_states": self.n_states, "delays": self.delays, "sparsity": self.sparsity}


def choose_parameters(
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
    """Return the best parameters by cross-validation on `data`; given ones are used unchanged.

    Each order is encoded once: a system depends on its own sequence alone, so that folds stay
    separate. Of equals the smaller order and the larger sparsity win. If the training part cannot
    be split into folds, default values are used, with a warning.

    Parameters
    ----------
    method : Method
    data : Collection
        Training sequences, with labels.
    settings : Settings
    n_states : int, optional
    sparsity : float, optional
    delays : int, optional
    encoder : dict, optional
        Further arguments of the encoder.
    folds : Protocol, optional
        Five folds or fewer when not given.
    whole : Collection, optional
        The collection that `data` is part of: states and delays must suit its shortest sequence,
        which may be a test sequence.

    Returns
    -------
    Choice
        With the fields `n_states`, `delays`, `sparsity` and `tried`, one dict per candidate with
        its mean accuracy over the folds.

    Examples
    --------
    >>> from ldslearn.datasets import Collection, make_lds_sequences
    >>> from ldslearn.evaluate import METHODS, Settings, choose_parameters
    >>> data = Collection(*make_lds_sequences(2, 4, random_state=0))
    >>> choice = choose_parameters(METHODS["lds-sc-grass"], data, Settings(), n_states=4)
    >>> choice.n_states, choice.sparsity, len(choice.tried)
    (4, 0.1, 2)
    """
    whole = data if whole is None else whole
    delays = choose_delays(whole, n_states) if delays is None else delays
    orders = list_feasible_states(whole, delays) if n_states is None else [n_states]
    sparsities: Sequence[float | None] = (None,)
    if method.uses_sparsity:
        sparsities = SPARSITIES[::-1] if sparsity is None else (sparsity,)
    if len(orders) * len(sparsities) == 1:
        return Choice(orders[0], delays, sparsities[0], [])
    usual_states = int(make_default_encoder(whole, n_states, delays).n_states)
    usual = Choice(
        usual_states,
        delays,
        (settings.sparsity if sparsity is None else sparsity) if method.uses_sparsity else None,
        [],
    )
    LDSEncoder(max(orders), delays=delays, **(encoder or {})).fit(
        data.X
    )  # raises if sequences are unusable
    try:
        splits = (folds or choose_folds(data)).splits(data, settings.seed)
        tried = _try_all(method, data, settings, orders, sparsities, delays, encoder or {}, splits)
    except ValueError as error:
        warnings.warn(_describe_untried(usual_states, usual.sparsity, error), stacklevel=2)
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
    """Return the mean accuracy over the folds of every candidate."""
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
                    params=find_groups(method, data, settings),
                )  # fmt: skip
                tried.append(
                    {"n_states": order, "sparsity": value, "accuracy": float(np.mean(scores))}
                )
                advance(1)
    return tried


def find_groups(method: Method, data: Collection, settings: Settings) -> dict[str, Any]:
    """Return the groups of `data` as an argument of ``fit``, if folds choose `mix`."""
    if "mix" not in method.uses or settings.mix != "cv" or data.groups is None:
        return {}
    return {"groups": data.groups} if len(np.unique(data.groups)) > 1 else {}


def build_pipeline(
    method: Method, choice: Choice, settings: Settings, encoder: dict[str, Any] | None = None
) -> Pipeline:
    """Return encoder and classifier with the chosen parameters."""
    assert choice.n_states is not None  # of a method that encodes systems
    assert choice.delays is not None
    setting = settings if choice.sparsity is None else replace(settings, sparsity=choice.sparsity)
    return make_pipeline(
        LDSEncoder(
            choice.n_states, delays=choice.delays, n_jobs=settings.n_jobs, **(encoder or {})
        ),
        method.build(setting),
    )


def _describe_untried(n_states: int, sparsity: float | None, reason: object) -> str:
    """Return the warning that parameters were not chosen by cross-validation."""
    values = f"{n_states} states" + ("" if sparsity is None else f" and a sparsity of {sparsity:g}")
    return (
        f"{values} are used without cross-validation, as the training part cannot be split into "
        f"folds: {reason}"
    )
