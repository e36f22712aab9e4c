"""What is computed of single systems, and of coding by all training systems."""

import time
from typing import Any

import numpy as np

from ldslearn.classify import SparseCodingClassifier
from ldslearn.evaluate import Settings, evaluate
from ldslearn.evaluate.methods import find_method
from ldslearn.paper.ledger import Run
from ldslearn.paper.measuring import Numbers, encoder_of, labels_of, run_rounds

_FEW_SYSTEMS = 30  # whose eigenvalues are distinct in a picture


def build_classifier(method: str, sparsity: float, n_jobs: int | None, **options: Any) -> Any:
    """A method by its name, with options of its kernel: order, mix, bandwidth."""
    if method == "hybrid":
        classifier: Any = SparseCodingClassifier("hybrid", sparsity=sparsity, n_jobs=n_jobs)
    else:
        classifier = find_method(method).build(Settings(sparsity=sparsity, n_jobs=n_jobs))
    return classifier.set_params(kernel_params=options) if options else classifier


def classify(
    run: Run,
    *,
    method: str,
    n_states: int,
    sparsity: float,
    stabilizer: str | None = None,
    bound: float | None = None,
    scale: float | None = None,
    **options: Any,
) -> Numbers:
    """Encode all sequences (each by itself), then train and test in every round."""
    given = {"bound": bound, "scale": scale}
    further = {name: value for name, value in given.items() if value is not None}
    start = time.perf_counter()
    systems = encoder_of(run, n_states, stabilizer, **further).fit_transform(run.source.data.X)
    seconds = time.perf_counter() - start
    y = labels_of(run)

    def build(seed: int) -> Any:
        return build_classifier(method, sparsity, run.source.n_jobs, **options)

    numbers, models = run_rounds(systems, y, run.source.splits(), build)
    if stabilizer is not None:  # of unstable systems the kernel has no bound
        numbers["largest_kernel"] = float(np.abs(models[0].coder_.kernel_.gram).max())
    return {**numbers, "encode_seconds": seconds}


def stabilize(run: Run, *, n_states: int, stabilizer: str, bound: float | None = None) -> Numbers:
    """Learn systems, and measure what stability costs in the reconstruction of states."""
    further = {} if bound is None else {"bound": bound}
    X = run.source.data.X
    encoder = encoder_of(run, n_states, stabilizer, **further).fit(X)
    _, certificate = encoder.transform(X, return_certificate=True)
    assert certificate.error_after is not None  # the encoder has the states
    assert certificate.error_before is not None
    n_steps = np.array([x.shape[1] - run.source.delays for x in X])
    return {
        "errors": np.sqrt(certificate.error_after / n_steps).tolist(),
        "error": float(np.sqrt(certificate.error_after.sum() / n_steps.sum())),
        "error_before": float(np.sqrt(certificate.error_before.sum() / n_steps.sum())),
        "n_unstable": int((certificate.radius_before >= 1).sum()),
        "radius": float(certificate.radius_after.max()),
    }


def soften(run: Run, *, n_states: int, scales: list[float]) -> Numbers:
    """Eigenvalues of the least-squares fits, and after soft normalisation at some scales."""
    X = run.source.data.X[:_FEW_SYSTEMS]
    before = encoder_of(run, n_states, "none").fit_transform(X)
    found = {"least squares": before}
    for scale in scales:
        found[f"a = {scale:g}"] = encoder_of(run, n_states, "soft", scale=scale).fit_transform(X)
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
    encoder = {"scale": source.settings["scale"]}
    if "stabilizer" in source.settings:
        encoder["stabilizer"] = source.settings["stabilizer"]
    rounds = evaluate(
        source.data, method, source.protocol, sparsity=sparsity, delays=source.delays,
        encoder=encoder, settings=Settings(n_jobs=source.n_jobs),
    )["rounds"]  # fmt: skip
    return {
        "accuracy": [one["accuracy"] for one in rounds],
        "n_states": [one["n_states"] for one in rounds],
    }
