"""A tour of the library on embedded data: ``ldslearn demo [folder]`` or ``make demo``."""

import sys
import time
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table
from sklearn.base import ClassifierMixin
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from ldslearn._writing import atomic_write
from ldslearn.classify import (
    LDSSVC,
    DictionaryClassifier,
    NearestLDSClassifier,
    SparseCodingClassifier,
)
from ldslearn.datasets import (
    Collection,
    load_basic_motions,
    load_japanese_vowels,
    make_dynamic_textures,
)
from ldslearn.diagnostics.diagnostics import compute_diagnostics
from ldslearn.dictionary import LDSDictionary
from ldslearn.evaluate import Round, Settings, evaluate, parse_protocol
from ldslearn.geometry import projection_kernel
from ldslearn.models import STABILIZERS, LDSEncoder
from ldslearn.models.synthesis import synthesize_from_sequence
from ldslearn.plot import (
    plot_code,
    plot_columns,
    plot_eigenvalues,
    plot_forecast,
    plot_frames,
    plot_matrix,
    plot_objective,
    plot_residuals,
    plot_soft_normalisation,
)
from ldslearn.report import render_evaluation_page
from ldslearn.scale.output_checks import check_output, check_output_folder
from ldslearn.video import to_sequence, to_video

__all__ = ["run"]


def run(folder: Path) -> None:
    """Print tables of results on the embedded data, and write figures and a page to a folder.

    It takes twenty seconds, and longer when functions are compiled first.

    Parameters
    ----------
    folder : pathlib.Path
        It is made if it does not exist. It receives six ``.png`` files and ``report.html``.

    Examples
    --------
    >>> from pathlib import Path
    >>> from ldslearn import demo
    >>> demo.run(Path("demo-output"))  # doctest: +SKIP
    """
    started = time.perf_counter()
    drawings = {
        "stability.png": (
            _draw_stability,
            "eigenvalues before and after soft normalisation (Fig. 2)",
        ),
        "kernel.png": (_draw_kernel, "kernel matrix of BasicMotions, class by class"),
        "query.png": (
            _draw_query,
            "sparse code of one test sequence, and the residual of each class",
        ),
        "dictionary.png": (_draw_dictionary, "a dictionary learned from dynamic textures"),
        "forecast.png": (_draw_forecast, "forecast of two seconds of running"),
        "textures.png": (
            _draw_textures,
            "dynamic textures, and new ones simulated by their systems",
        ),
    }
    check_output_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    page_path = folder / "report.html"
    for path in (page_path, *(folder / name for name in drawings)):
        check_output(path)
    console = Console(soft_wrap=True)
    console.print("[bold]ldslearn demo[/]: every sequence becomes a linear dynamical system\n")
    console.print(_fit_systems())
    console.print(_compare_stabilizers())
    console.print("comparing systems (the first calls compile for some seconds) ...")
    console.print(_compare_classifiers())
    for name, (make, what) in drawings.items():
        with atomic_write(folder / name) as file:
            make().savefig(file, dpi=120)
        console.print(f"wrote [bold]{folder / name}[/]: {what}")
    page = _make_page(folder)
    with atomic_write(page_path) as file:
        file.write(page.encode())
    console.print(
        f"wrote [bold]{page_path}[/]: evaluation of a learned dictionary on dynamic textures; "
        "open it in a browser"
    )
    console.print(
        f"\ndone in {time.perf_counter() - started:.1f} s; all files are in [bold]{folder}[/]"
    )


def _fit_systems() -> Table:
    table = Table(title="Systems fitted to the embedded training sets")
    table.add_column("collection", no_wrap=True)
    for column in ("sequences", "channels", "length", "states", "unstable before", "after"):
        table.add_column(column, justify="right")
    for name, X, encoder in (
        ("BasicMotions", list(load_basic_motions()[0]), LDSEncoder(10, delays=5)),
        ("JapaneseVowels", load_japanese_vowels()[0], LDSEncoder(0.9)),
    ):
        systems, certificate = encoder.fit(X).transform(X, return_certificate=True)
        lengths = [sequence.shape[1] for sequence in X]
        table.add_row(
            name,
            str(len(systems)),
            str(len(X[0])),
            f"{min(lengths)}-{max(lengths)}",
            str(systems.n_states),
            str((certificate.radius_before >= 1).sum()),
            str((certificate.radius_after >= 1).sum()),
        )
    return table


def _compare_stabilizers() -> Table:
    X = load_japanese_vowels()[0]
    table = Table(title="Stabilizers on JapaneseVowels, 5 states")
    table.add_column("stabilizer")
    for column in ("largest radius", "error of unstable fits", "seconds"):
        table.add_column(column, justify="right")
    for name in STABILIZERS:
        started = time.perf_counter()
        encoder = LDSEncoder(5, stabilizer=name).fit(X)
        _, certificate = encoder.transform(X, return_certificate=True)
        seconds = time.perf_counter() - started
        growth = certificate.error_growth[certificate.radius_before >= 1].mean()
        table.add_row(
            name,
            f"{certificate.radius_after.max():.3f}",
            f"{growth:.3f} x",
            f"{seconds:.2f}",
        )
    return table


def _compare_classifiers() -> Table:
    table = Table(title="Accuracy on the test sets")
    table.add_column("method", no_wrap=True)
    table.add_column("BasicMotions", justify="right")
    table.add_column("JapaneseVowels", justify="right")
    tasks = (
        (load_basic_motions(), LDSEncoder(10, delays=5)),
        (load_japanese_vowels(), LDSEncoder(3)),
    )
    for name, classifier in _make_classifiers().items():
        scores = []
        for (X_train, y_train, X_test, y_test), encoder in tasks:
            model = make_pipeline(encoder, classifier).fit(X_train, y_train)
            scores.append(f"{model.score(X_test, y_test):.1%}")
        table.add_row(name, *scores)
    return table


def _make_classifiers() -> dict[str, ClassifierMixin]:
    return {
        "nearest system, Martin (LDS-Martin)": NearestLDSClassifier(),
        "SVM, projection kernel": LDSSVC(),
        "sparse codes, finite kernel (gLDS-SC)": SparseCodingClassifier("finite"),
        "sparse codes, projection (LDS-SC-Grass)": SparseCodingClassifier(),
        "sparse codes, projection and mean": SparseCodingClassifier(
            {"projection": 0.1, "mean": 0.5}, sparsity=0.02
        ),
        "learned dictionary, 16 atoms (covLDS-DL)": DictionaryClassifier(
            LDSDictionary(16, mix=0.5, random_state=0), LinearSVC(C=10, random_state=0)
        ),
    }


def _draw_kernel() -> Figure:
    X, y, _, _ = load_basic_motions()
    K = projection_kernel(LDSEncoder(10, delays=5).fit_transform(X))
    figure = Figure(figsize=(6, 5), layout="constrained")
    ax = plot_matrix(K, y, figure.subplots())
    ax.set_title("projection kernel, 10 states")
    return figure


def _draw_query() -> Figure:
    X_train, y_train, X_test, _ = load_basic_motions()
    encoder = LDSEncoder(10, delays=5)
    classifier = SparseCodingClassifier(sparsity=0.5).fit(encoder.fit_transform(X_train), y_train)
    query = encoder.transform(X_test[:1])
    figure = Figure(figsize=(11, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1.4, 1])
    plot_code(classifier.codes_for(query)[0], y_train, left).set_title("code of one test sequence")
    plot_residuals(classifier.residuals_for(query)[0], classifier.classes_, right)
    right.set_title("residual of each class")
    return figure


def _draw_dictionary() -> Figure:
    videos, _ = make_dynamic_textures(n_per_class=6, size=20, n_frames=60, random_state=0)
    systems = LDSEncoder(6).fit_transform([to_sequence(video) for video in videos])
    dictionary = LDSDictionary(6, init="random", random_state=0).fit(systems)
    figure = Figure(figsize=(12, 4), layout="constrained")
    axes = figure.subplots(1, 3)
    plot_objective({"LDS-DL": list(dictionary.objective_)}, axes[0]).set_title("learning")
    for ax, columns, name in (
        (axes[1], dictionary.atoms_.terms[0]["symmetric"].rows, "symmetric parts of six atoms"),
        (axes[2], dictionary.atoms_.terms[1]["skew"].rows, "skew parts"),
    ):
        plot_columns(np.swapaxes(columns, 1, 2), (20, 20), ax).set_title(name)
    return figure


def _draw_stability() -> Figure:
    X = load_japanese_vowels()[0]
    before = LDSEncoder(5, stabilizer="none").fit_transform(X)
    after = LDSEncoder(5, scale=2.5).fit_transform(X)
    figure = Figure(figsize=(12, 4), layout="constrained")
    axes = figure.subplots(1, 3)
    plot_eigenvalues(before, axes[0]).set_title("eigenvalues as fitted")
    singular_values = np.linalg.svd(before.A, compute_uv=False)
    plot_soft_normalisation(axes[1], values=singular_values).set_title(
        "soft normalisation, Eq. (2)"
    )
    plot_eigenvalues(after, axes[2], color="tab:green").set_title("eigenvalues after it, a = 2.5")
    axes[2].set(xlim=axes[0].get_xlim(), ylim=axes[0].get_ylim())
    return figure


def _draw_forecast() -> Figure:
    X, y, _, _ = load_basic_motions()
    sequence = X[np.flatnonzero(y == "Running")[1]]
    past, actual = sequence[:, :80], sequence[:, 80:]
    encoder = LDSEncoder(14, delays=12, stabilizer="wls", bound=0.999)
    forecast = encoder.fit_transform([past]).forecast([past], actual.shape[1])[0]
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    ax = plot_forecast(past, forecast, figure.subplots(), actual=actual, channels=[0, 1, 2])
    ax.set_title("BasicMotions, running: forecast of 20 time points from 80")
    return figure


def _draw_textures() -> Figure:
    videos, kinds = make_dynamic_textures(n_per_class=1, size=48, n_frames=80, random_state=0)
    made = [
        synthesize_from_sequence(Collection([to_sequence(video)]), 20, 80, seed)[0]
        for seed, video in enumerate(videos)
    ]
    figure = Figure(figsize=(12, 6.4), layout="constrained")
    axes = figure.subplots(len(kinds), 2)
    for row, (video, sequence) in enumerate(zip(videos, made, strict=True)):
        plot_frames(video, axes[row, 0]).set_ylabel(kinds[row], rotation=0, ha="right", va="center")
        plot_frames(to_video(sequence, video.shape[1:]), axes[row, 1])
    axes[0, 0].set_title("dynamic textures")
    axes[0, 1].set_title("simulated: 20 states, random first state")
    return figure


def _make_page(folder: Path) -> str:
    videos, kinds = make_dynamic_textures(n_per_class=12, size=24, n_frames=60, random_state=0)
    data = Collection(
        [to_sequence(video) for video in videos], kinds,
        names=tuple(f"{kind} {number % 12}" for number, kind in enumerate(kinds)),
        frame_shape=(24, 24),
    )  # fmt: skip
    first: list[Round] = []
    record = evaluate(
        data, "covlds-dl", parse_protocol("folds:2"),
        n_states=5, sparsity=0.1, settings=Settings(atoms=16), on_first=first.append,
    )  # fmt: skip
    diagnostics = compute_diagnostics(data, first[0], misclassified=record["misclassified"])
    return render_evaluation_page(
        record, f"ldslearn demo {folder}", diagnostics, name="dynamic textures"
    )


if __name__ == "__main__":
    run(Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output"))
