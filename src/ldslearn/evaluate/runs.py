"""Evaluate a method by a protocol, as one record of plain values."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix

from ldslearn import _errors
from ldslearn._reprs import summarize_fields
from ldslearn._versions import list_versions
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.summary import summarize_collection
from ldslearn.evaluate.fitting import Fit
from ldslearn.evaluate.methods import DEFAULT_METHOD, find_method
from ldslearn.evaluate.metrics import measure_predictions, wilson_interval
from ldslearn.evaluate.protocol_names import parse_protocol
from ldslearn.evaluate.protocols import Protocol, choose_protocol
from ldslearn.evaluate.rounds import run_rounds
from ldslearn.evaluate.settings import Settings


@dataclass(frozen=True)
class Round:
    """One round of an evaluation: the fit, its training and test sequences, and the predictions.

    Attributes
    ----------
    fit : Fit
        ``fit.estimator`` is the fitted estimator of sequences, ``fit.pipeline`` its steps, and
        ``fit.choice`` the chosen parameters.
    known : Collection
        Training sequences.
    unknown : Collection
        Test sequences.
    predicted : (n_test,) array
        Predicted labels of the test sequences.

    Examples
    --------
    >>> from ldslearn.datasets import Collection, make_lds_sequences
    >>> from ldslearn.evaluate import evaluate, parse_protocol
    >>> data = Collection(*make_lds_sequences(2, 6, random_state=0))
    >>> rounds = []
    >>> record = evaluate(
    ...     data, "lds-martin", parse_protocol("folds:2"), n_states=4, on_first=rounds.append
    ... )
    >>> len(rounds[0].known), len(rounds[0].unknown), rounds[0].predicted.shape
    (6, 6, (6,))
    """

    fit: Fit
    known: Collection
    unknown: Collection
    predicted: NDArray[Any]

    __repr__ = summarize_fields


def evaluate(
    data: Collection,
    method: str = DEFAULT_METHOD,
    protocol: Protocol | str | None = None,
    *,
    n_states: int | None = None,
    sparsity: float | None = None,
    delays: int | None = None,
    encoder: dict[str, Any] | None = None,
    settings: Settings | None = None,
    parameters: dict[str, Any] | None = None,
    on_first: Callable[[Round], None] | None = None,
) -> dict[str, Any]:
    """Return the record of a method on a collection.

    Parameters
    ----------
    data : Collection
        With labels.
    method : str, default="auto"
        A name of :data:`~ldslearn.evaluate.METHODS`.
    protocol : Protocol or str, optional
        Such as "folds:5". Default: the data's own trials or split, or five folds.
    n_states : int, optional
        States of each system; chosen on the training part of each round when not given.
    sparsity : float, optional
        Likewise.
    delays : int, optional
        Stacked samples; by the number of channels when not given.
    encoder : dict, optional
        Further arguments of :class:`~ldslearn.LDSEncoder`.
    settings : Settings, optional
        Parameters of the method.
    parameters : dict, optional
        Where parameters come from, as :meth:`ldslearn.evaluate.Parameters.as_dict` describes it;
        kept in the record as it is.
    on_first : callable, optional
        Called with the first :class:`~ldslearn.evaluate.Round` when it is done, to keep more than
        its numbers.

    Returns
    -------
    dict
        Of plain values. Per round: accuracy, balanced accuracy, macro F1, chosen parameters, times.
        Overall: `accuracy` and `spread`, mean and standard deviation over rounds; `interval`, the
        95 % interval of the fraction of correct predictions (Wilson), None if rounds test the same
        sequences again; `balanced_accuracy` and `macro_f1` of the predictions of all rounds
        together; the confusion matrix summed over rounds; `misclassified`, one entry per wrong
        prediction; versions, and the data's fingerprint.

    Examples
    --------
    >>> from ldslearn.datasets import Collection, make_lds_sequences
    >>> from ldslearn.evaluate import evaluate, parse_protocol
    >>> data = Collection(*make_lds_sequences(2, 6, random_state=0))
    >>> record = evaluate(
    ...     data, "lds-sc-grass", parse_protocol("folds:3"), n_states=4, sparsity=0.1
    ... )
    >>> record["accuracy"], len(record["rounds"]), record["confusion"]
    (1.0, 3, [[6, 0], [0, 6]])
    """
    started = time.perf_counter()
    if not issubclass(kind := type(data), Collection):
        raise _errors.invalid("data", "be a Collection", kind.__name__, "Pass Collection(X, y).")
    chosen_method, settings = find_method(method), settings or Settings()
    if isinstance(protocol, str):
        protocol = parse_protocol(protocol)
    protocol = protocol or choose_protocol(data)
    splits = protocol.splits(data, settings.seed)
    assert data.y is not None  # splits() has checked
    classes = data.classes
    given = {"n_states": n_states, "sparsity": sparsity, "delays": delays, "encoder": encoder}
    rounds: list[dict[str, Any]] = []
    misclassified: list[dict[str, Any]] = []
    predictions: list[NDArray[Any]] = []
    for done in run_rounds(data, chosen_method, protocol, splits, settings, given):
        rounds.append(done.record)
        misclassified += [{"round": len(rounds), **one} for one in done.misclassified]
        predictions.append(done.predicted)
        if on_first is not None and len(rounds) == 1:
            assert done.fit is not None  # it ran here
            known, unknown = (data[part] for part in splits[0])
            on_first(Round(done.fit, known, unknown, done.predicted))
    accuracies = [one["accuracy"] for one in rounds]
    tested = np.concatenate([test for _, test in splits])
    y, predicted = data.y[tested], np.concatenate(predictions)
    pooled = measure_predictions(y, predicted)
    drawn = len(rounds) > 1 and protocol.kind == "shuffle"
    repeated = drawn or len(np.unique(tested)) < len(tested)  # tests of one sequence are dependent
    return {
        "record": "evaluation",
        "method": method,
        "protocol": str(protocol),
        "seed": settings.seed,
        "parameters": parameters or {},
        **pooled,
        "accuracy": float(np.mean(accuracies)),
        "spread": float(np.std(accuracies)),
        "interval": None if repeated else list(wilson_interval(pooled["accuracy"], len(y))),
        "rounds": rounds,
        "classes": classes,
        "confusion": confusion_matrix(y, predicted, labels=classes).tolist(),
        "misclassified": misclassified,
        "data": summarize_collection(data),
        "seconds": time.perf_counter() - started,
        "versions": list_versions(),
    }
