"""The computations behind the figures: plain parameters in, plain numbers out."""

import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.svm import LinearSVC

from ldslearn.classify import DictionaryClassifier, SparseCodingClassifier
from ldslearn.dictionary import FiniteDictionary, LDSDictionary
from ldslearn.evaluate import Settings, evaluate, parse
from ldslearn.evaluate.methods import find_method
from ldslearn.evaluate.protocols import Split
from ldslearn.models import LDS, LDSEncoder
from ldslearn.paper.ledger import Run

Numbers = dict[str, Any]
_PIXEL_LEVELS = 127
_FEW_SYSTEMS = 30  # whose eigenvalues can be told apart in a picture
_MOST_REPEATS = 5  # of the first fit, for its time
_LONG_ENOUGH = 3.0  # seconds that need no repeating, loading included


def compute(run: Run) -> Numbers:
    """Return the numbers of a run."""
    with warnings.catch_warnings():
        # Told by the results themselves: unstable systems without stabilization, clipped kernels.
        warnings.simplefilter("ignore", UserWarning)
        return KINDS[run.kind](run, **run.parameters)


def _encoder(run: Run, n_states: int, stabilizer: str | None = None, **options: Any) -> LDSEncoder:
    """The encoder of a collection, with its own stabilizer when none is named."""
    source = run.source
    stabilizer = stabilizer or source.settings.get("stabilizer", "soft")
    if stabilizer == "soft":
        options.setdefault("scale", source.settings["scale"])
    return LDSEncoder(
        n_states, delays=source.delays, stabilizer=stabilizer, n_jobs=source.n_jobs, **options
    )


def _classifier(method: str, sparsity: float, n_jobs: int | None, **options: Any) -> Any:
    """A method by its name, with options of its kernel: order, mix, bandwidth."""
    if method == "hybrid":
        classifier: Any = SparseCodingClassifier("hybrid", sparsity=sparsity, n_jobs=n_jobs)
    else:
        classifier = find_method(method).build(Settings(sparsity=sparsity, n_jobs=n_jobs))
    return classifier.set_params(kernel_params=options) if options else classifier


def _judge(
    systems: LDS, y: NDArray[np.str_], splits: Iterable[Split], build: Callable[[int], Any]
) -> tuple[Numbers, list[Any]]:
    """Accuracy and times of a classifier in every round, and the fitted classifiers.

    Short first rounds are repeated: a clock needs more than some milliseconds, and the first fit of
    a method in a process loads compiled code.
    """
    splits = list(splits)
    correct, fit, predict, models = [], [], [], []
    for seed, (train, test) in enumerate(splits):
        seconds: list[float] = []
        repeats = _MOST_REPEATS if seed == 0 else 1
        while len(seconds) < repeats and sum(seconds) < _LONG_ENOUGH:
            start = time.perf_counter()
            model = build(seed).fit(systems[train], y[train])
            seconds.append(time.perf_counter() - start)
        start = time.perf_counter()
        right = model.predict(systems[test]) == y[test]
        predict.append(time.perf_counter() - start)
        fit.append(min(seconds))
        correct.append("".join("1" if one else "0" for one in right))
        models.append(model)
    numbers = {
        "correct": correct,
        "accuracy": [text.count("1") / len(text) for text in correct],
        "n_train": [len(train) for train, _ in splits],
        "fit_seconds": fit,
        "predict_seconds": predict,
    }
    return numbers, models


def classify(
    run: Run,
    *,
    method: str,
    n_states: int,
    sparsity: float,
    stabilizer: str | None = None,
    bound: float | None = None,
    **options: Any,
) -> Numbers:
    """Encode all sequences (each by itself), then train and test in every round."""
    further = {} if bound is None else {"bound": bound}
    start = time.perf_counter()
    systems = _encoder(run, n_states, stabilizer, **further).fit_transform(run.source.data.X)
    seconds = time.perf_counter() - start
    y = _labels(run)

    def build(seed: int) -> Any:
        return _classifier(method, sparsity, run.source.n_jobs, **options)

    numbers, _ = _judge(systems, y, run.source.splits(), build)
    return {**numbers, "encode_seconds": seconds}


def stabilize(run: Run, *, n_states: int, stabilizer: str, bound: float | None = None) -> Numbers:
    """Learn systems, and measure what stability costs."""
    further = {} if bound is None else {"bound": bound}
    encoder = _encoder(run, n_states, stabilizer, **further).fit(run.source.data.X)
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        _, certificate = encoder.transform(run.source.data.X, return_certificate=True)
        seconds.append(time.perf_counter() - start)
    assert certificate.error_after is not None  # the encoder has the states
    assert certificate.error_before is not None
    n_steps = sum(x.shape[1] - run.source.delays for x in run.source.data.X)
    return {
        "seconds": min(seconds),
        "error": float(np.sqrt(certificate.error_after.sum() / n_steps)),
        "error_before": float(np.sqrt(certificate.error_before.sum() / n_steps)),
        "n_unstable": int((certificate.radius_before >= 1).sum()),
        "radius": float(certificate.radius_after.max()),
    }


def soften(run: Run, *, n_states: int, scales: list[float]) -> Numbers:
    """Eigenvalues of the least-squares fits, and after soft normalisation at some scales."""
    X = run.source.data.X[:_FEW_SYSTEMS]
    before = _encoder(run, n_states, "none").fit_transform(X)
    found = {"least squares": before}
    for scale in scales:
        found[f"a = {scale:g}"] = _encoder(run, n_states, "soft", scale=scale).fit_transform(X)
    eigenvalues = {name: np.linalg.eigvals(systems.A).ravel() for name, systems in found.items()}
    return {
        "n_systems": len(X),
        "eigenvalues": {
            name: np.round([values.real, values.imag], 4).tolist()
            for name, values in eigenvalues.items()
        },
    }


def choose(run: Run, *, method: str, sparsity: float) -> Numbers:
    """Classify with the number of states chosen by folds of each training part."""
    source = run.source
    parts = [replace(source.data, split=trial) for trial in source.trials] or [source.data]
    protocol = parse("split" if source.trials else source.settings["protocol"])
    encoder = {"scale": source.settings["scale"]}
    if "stabilizer" in source.settings:
        encoder["stabilizer"] = source.settings["stabilizer"]
    rounds = [
        one
        for part in parts
        for one in evaluate(
            part, method, protocol, sparsity=sparsity, delays=source.delays, encoder=encoder,
            settings=Settings(n_jobs=source.n_jobs),
        )["rounds"]
    ]  # fmt: skip
    return {
        "accuracy": [one["accuracy"] for one in rounds],
        "n_states": [one["n_states"] for one in rounds],
    }


def _dictionary(run: Run, method: str, n_atoms: int, sparsity: float, seed: int) -> Any:
    common: dict[str, Any] = {
        "n_atoms": n_atoms, "sparsity": sparsity, "random_state": seed, "n_jobs": run.source.n_jobs
    }  # fmt: skip
    mix = run.source.settings["mix"]
    if method.startswith("glds-dl-"):
        return FiniteDictionary(order=int(method.removeprefix("glds-dl-")), **common)
    return {
        "covlds-dl": lambda: LDSDictionary(mix=mix, **common),
        "covlds-rand": lambda: LDSDictionary(mix=mix, init="random", max_iter=0, **common),
        "lds-dl": lambda: LDSDictionary(**common),
        "ldsst-dl": lambda: LDSDictionary(parts="symmetric", **common),
    }[method]()


def classify_by_codes(
    run: Run,
    *,
    method: str,
    n_atoms: int,
    sparsity: float,
    per_class: bool = False,
    splits: int | None = None,
) -> Numbers:
    """Learn a dictionary on halves, and feed the codes to a linear machine."""
    systems = _dictionary_systems(run, run.source.data.X)
    halves = run.source.halves(splits)
    most = min(len(train) for train, _ in halves)

    def build(seed: int) -> DictionaryClassifier:
        dictionary = _dictionary(run, method, min(n_atoms, most), sparsity, seed)
        return DictionaryClassifier(dictionary, LinearSVC(C=10), per_class=per_class)

    numbers, models = _judge(systems, _labels(run), halves, build)
    if not per_class:
        numbers["objective"] = [
            float(model.dictionary_.objective_[-1]) / n
            for model, n in zip(models, numbers["n_train"], strict=True)
        ]
        numbers["pass_seconds"] = _pass_seconds(models[0].dictionary_, systems[halves[0][0]])
    return numbers


def _dictionary_systems(run: Run, X: list[NDArray[Any]]) -> LDS:
    n_states = run.source.allowed(run.source.settings["dictionary_states"])
    return _encoder(run, n_states).fit_transform(X)


def _pass_seconds(dictionary: Any, systems: LDS) -> float:
    """Seconds of one update of all atoms and codes, from where learning ended.

    The difference between two passes and one: what comes before the first is in both.
    """
    seconds = {}
    for passes in (1, 2):
        again = clone(dictionary).set_params(init=dictionary.atoms_, max_iter=passes, tol=0.0)
        taken = []
        for _ in range(3):
            start = time.perf_counter()
            again.fit(systems)
            taken.append(time.perf_counter() - start)
        seconds[passes] = min(taken)
    return max(seconds[2] - seconds[1], 1e-6)


def converge(
    run: Run, *, n_atoms: int, sparsity: float, init: str, iterations: int, seed: int
) -> Numbers:
    """The objective of LDS-DL after every iteration, on the first half."""
    train, _ = run.source.halves(1)[0]
    X = [run.source.data.X[i] for i in train]
    systems = _dictionary_systems(run, X)
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
    kept = np.flatnonzero(np.isin(_labels(run), classes))
    y = _labels(run)[kept]
    systems = _encoder(run, run.source.allowed(n_states)).fit_transform([data.X[i] for i in kept])
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
        "samples": [_still(data.X[kept[np.flatnonzero(y == label)[0]]]) for label in classes],
        "frame_shape": list(data.frame_shape or (data.X[0].shape[0], 1)),
        "objective": [float(value) / len(systems) for value in after.objective_],
        "atoms": {
            name: {part: _drawn(dictionary.atoms_, part) for part in ("symmetric", "skew")}
            for name, dictionary in (("before", before), ("after", after))
        },
        "movie": _movie(after.atoms_.systems()[: len(first)]),
    }


def _still(sequence: NDArray[Any], n_frames: int = 4) -> list[Any]:
    """Some frames of a sequence, (n_frames, m), as small whole numbers around their mean."""
    frames = sequence[:, np.linspace(0, sequence.shape[1] - 1, n_frames).astype(int)].T
    frames = frames - frames.mean()
    largest = np.abs(frames).max() or 1.0
    return np.rint(_PIXEL_LEVELS * frames / largest).astype(int).tolist()


def _drawn(atoms: Any, part: str) -> Numbers:
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


def _movie(systems: LDS, n_frames: int = 24) -> list[Any]:
    """Frames simulated from every atom, (J, n_frames, m), as small whole numbers."""
    made = np.asarray(systems.simulate(n_frames, random_state=0))
    # A few bright pixels may stay white, so that the others can be told apart.
    largest = np.quantile(np.abs(made), 0.995, axis=(1, 2), keepdims=True).clip(1e-12)
    pixels = np.clip(np.swapaxes(made / largest, 1, 2), -1, 1)
    return np.rint(_PIXEL_LEVELS * pixels).astype(int).tolist()


def _labels(run: Run) -> NDArray[np.str_]:
    assert run.source.data.y is not None  # a library gives labelled collections only
    return run.source.data.y


KINDS: dict[str, Callable[..., Numbers]] = {
    "classify": classify,
    "stabilize": stabilize,
    "soften": soften,
    "choose": choose,
    "codes": classify_by_codes,
    "converge": converge,
    "picture": picture,
}
