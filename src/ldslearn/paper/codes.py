"""Dictionaries by the names of their methods, and accuracy of a linear SVM on their codes."""

from typing import Any

from numpy.typing import NDArray
from sklearn.svm import LinearSVC

from ldslearn.classify import DictionaryClassifier
from ldslearn.dictionary import FiniteDictionary, LDSDictionary
from ldslearn.models import LDS
from ldslearn.paper.ledger import Run
from ldslearn.paper.rounds import Numbers, build_encoder, get_labels, run_rounds


def classify_by_codes(
    run: Run,
    *,
    method: str,
    n_atoms: int,
    sparsity: float,
    per_class: bool = False,
    splits: int | None = None,
) -> Numbers:
    """Learn a dictionary on halves, and feed the codes to a linear SVM."""
    systems = encode_for_dictionary(run, run.data_set.data.X)
    halves = run.data_set.split_halves(splits)
    most = min(len(train) for train, _ in halves)

    def build(seed: int) -> DictionaryClassifier:
        dictionary = build_dictionary(run, method, min(n_atoms, most), sparsity, seed)
        svm = LinearSVC(C=10, random_state=seed)
        return DictionaryClassifier(dictionary, svm, per_class=per_class)

    numbers, models = run_rounds(systems, get_labels(run), halves, build)
    if not per_class:
        numbers["objective"] = [
            float(model.dictionary_.objective_[-1]) / n
            for model, n in zip(models, numbers["n_train"], strict=True)
        ]
    return numbers


def build_dictionary(
    run: Run, method: str, n_atoms: int, sparsity: float, seed: int, **options: Any
) -> Any:
    """Return a dictionary by the name of its method.

    All update the columns of an atom jointly, but for "glds-dl-eigen-L", whose atoms are the best
    ones for given codes.
    """
    common: dict[str, Any] = {
        "n_atoms": n_atoms, "sparsity": sparsity, "random_state": seed, "update": "joint",
        "n_jobs": run.data_set.n_jobs,
    }  # fmt: skip
    mix = run.data_set.settings["mix"]
    if method.startswith("glds-dl-"):
        if method.startswith("glds-dl-eigen-"):
            common["update"] = "column"
        order = int(method.rpartition("-")[2])
        return FiniteDictionary(order=order, **{**common, **options})
    own: dict[str, Any] = {
        "covlds-dl": {"mix": mix},
        "covlds-rand": {"mix": mix, "init": "random", "max_iter": 0},
        "lds-dl": {},
        "lds-rand": {"init": "random", "max_iter": 0},
        "lds-dl-random": {"init": "random"},
        "ldsst-dl": {"parts": "symmetric"},
    }[method]
    return LDSDictionary(**{**common, **own, **options})


def encode_for_dictionary(run: Run, X: list[NDArray[Any]]) -> LDS:
    """Return the systems of sequences, with the states that dictionaries have."""
    n_states = run.data_set.limit_states(run.data_set.settings["dictionary_states"])
    return build_encoder(run, n_states).fit_transform(X)
