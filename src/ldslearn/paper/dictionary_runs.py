"""What is computed of learned dictionaries."""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import LinearSVC

from ldslearn.classify import DictionaryClassifier
from ldslearn.dictionary import FiniteDictionary, LDSDictionary
from ldslearn.models import LDS
from ldslearn.paper.ledger import Run
from ldslearn.paper.measuring import Numbers, encoder_of, labels_of, run_rounds

_PIXEL_LEVELS = 127


def build_dictionary(
    run: Run, method: str, n_atoms: int, sparsity: float, seed: int, **options: Any
) -> Any:
    """Return a dictionary by the name of its method.

    All update the columns of an atom jointly, but for "glds-dl-eigen-L", whose atoms are the best
    ones for given codes.
    """
    common: dict[str, Any] = {
        "n_atoms": n_atoms, "sparsity": sparsity, "random_state": seed, "update": "joint",
        "n_jobs": run.source.n_jobs,
    }  # fmt: skip
    mix = run.source.settings["mix"]
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
    systems = encode_for_dictionary(run, run.source.data.X)
    halves = run.source.halves(splits)
    most = min(len(train) for train, _ in halves)

    def build(seed: int) -> DictionaryClassifier:
        dictionary = build_dictionary(run, method, min(n_atoms, most), sparsity, seed)
        svm = LinearSVC(C=10, random_state=seed)
        return DictionaryClassifier(dictionary, svm, per_class=per_class)

    numbers, models = run_rounds(systems, labels_of(run), halves, build)
    if not per_class:
        numbers["objective"] = [
            float(model.dictionary_.objective_[-1]) / n
            for model, n in zip(models, numbers["n_train"], strict=True)
        ]
    return numbers


def encode_for_dictionary(run: Run, X: list[NDArray[Any]]) -> LDS:
    """Return the systems of sequences, with the states that dictionaries have."""
    n_states = run.source.allowed(run.source.settings["dictionary_states"])
    return encoder_of(run, n_states).fit_transform(X)


def converge(
    run: Run, *, n_atoms: int, sparsity: float, init: str, iterations: int, seed: int
) -> Numbers:
    """The objective of LDS-DL after every iteration, on the first half."""
    train, _ = run.source.halves(1)[0]
    X = [run.source.data.X[i] for i in train]
    systems = encode_for_dictionary(run, X)
    dictionary = LDSDictionary(
        n_atoms, sparsity=sparsity, init=init, max_iter=iterations, tol=0.0, random_state=seed,
        n_jobs=run.source.n_jobs,
    )  # fmt: skip
    start = time.perf_counter()
    dictionary.fit(systems)
    return {
        "objective": [float(value) / len(X) for value in dictionary.objective_],
        "seconds": time.perf_counter() - start,
    }


def picture(
    run: Run,
    *,
    n_atoms: int,
    n_states: int,
    sparsity: float,
    iterations: int,
    classes: list[str],
    seed: int,
) -> Numbers:
    """Atoms before and after learning on some classes, drawn from sequences of the first."""
    data = run.source.data
    kept = np.flatnonzero(np.isin(labels_of(run), classes))
    y = labels_of(run)[kept]
    systems = encoder_of(run, run.source.allowed(n_states)).fit_transform([data.X[i] for i in kept])
    candidates = np.flatnonzero(y == classes[0])
    random = np.random.default_rng(seed)
    first = random.choice(candidates, min(n_atoms, len(candidates)), replace=False)
    start = systems[first]
    common: Any = {
        "n_atoms": len(first), "sparsity": sparsity, "random_state": seed,
        "n_jobs": run.source.n_jobs,
    }  # fmt: skip
    before = LDSDictionary(init=start, max_iter=0, **common).fit(systems)
    after = LDSDictionary(init=start, max_iter=iterations, **common).fit(systems)
    return {
        "classes": classes,
        "samples": [_pick_frames(data.X[kept[np.flatnonzero(y == label)[0]]]) for label in classes],
        "frame_shape": list(data.frame_shape or (data.X[0].shape[0], 1)),
        "objective": [float(value) / len(systems) for value in after.objective_],
        "atoms": {
            name: {part: _describe_part(dictionary.atoms_, part) for part in ("symmetric", "skew")}
            for name, dictionary in (("before", before), ("after", after))
        },
        "movie": _simulate(after.atoms_.systems()[: len(first)]),
    }


def _pick_frames(sequence: NDArray[Any], n_frames: int = 4) -> list[Any]:
    """Some frames of a sequence, (n_frames, m), as small whole numbers around their mean."""
    frames = sequence[:, np.linspace(0, sequence.shape[1] - 1, n_frames).astype(int)].T
    frames = frames - frames.mean()
    largest = np.abs(frames).max() or 1.0
    return np.rint(_PIXEL_LEVELS * frames / largest).astype(int).tolist()


def _describe_part(atoms: Any, part: str) -> Numbers:
    """Eigenvalues and measurement columns of one part, pixels as small whole numbers."""
    systems = getattr(atoms, part).systems()
    eigenvalues = np.linalg.eigvals(systems.A)
    columns = np.swapaxes(systems.C, 1, 2)  # (J, n, m)
    largest = np.abs(columns).max(axis=2, keepdims=True)
    pixels = np.rint(_PIXEL_LEVELS * columns / np.where(largest > 0, largest, 1.0))
    return {
        "eigenvalues": np.round([eigenvalues.real, eigenvalues.imag], 4).tolist(),
        "columns": pixels.astype(int).tolist(),
    }


def _simulate(systems: LDS, n_frames: int = 24) -> list[Any]:
    """Frames simulated from every atom, (J, n_frames, m), as small whole numbers."""
    made = np.asarray(systems.simulate(n_frames, random_state=0))
    # A few bright pixels may stay white, so that the others differ visibly.
    largest = np.quantile(np.abs(made), 0.995, axis=(1, 2), keepdims=True).clip(1e-12)
    pixels = np.clip(np.swapaxes(made / largest, 1, 2), -1, 1)
    return np.rint(_PIXEL_LEVELS * pixels).astype(int).tolist()
