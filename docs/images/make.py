"""Make the pictures of the user guide: ``python docs/images/make.py NAME...``, or all of them.

``draw_NAME`` draws ``NAME.png``, and so does an example of the gallery that ``EXAMPLES`` names.
Numbers of measurements are read from the tables of the pages, so that a picture and its page agree.
Other pictures of this folder show an HTML page of the library, or are made by a tutorial.
"""

import re
import runpy
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib as mpl
import numpy as np
from diagrams import draw_commands, draw_terms, draw_writing
from gaps import draw_missing
from matplotlib.figure import Figure
from systems import draw_distances, draw_system

import ldslearn
from ldslearn import AutoLDSClassifier, LDSDictionary, LDSEncoder, SparseCodingClassifier
from ldslearn.datasets import load_basic_motions, load_japanese_vowels, make_dynamic_textures
from ldslearn.video import to_sequence

IMAGES = Path(__file__).parent
PAGES = IMAGES.parent
BLUE, ORANGE, GREEN, GREY = "#2f6db0", "#d9742b", "#3c8f5a", "#8a97a5"


def read_table(page, heading, number=0):
    """Return the cells of a table below a heading of a page, one list of texts per row."""
    section = f"\n{(PAGES / f'{page}.md').read_text()}".split(f"\n{heading}\n")[1]
    tables = re.findall(r"(?:^\|.*\n)+", re.split(r"\n##? ", section)[0], re.M)
    rows = [line.strip("|").split("|") for line in tables[number].splitlines()]
    return [[cell.strip(" *`") for cell in row] for row in rows[:1] + rows[2:]]


def read_number(cell):
    """Return the first number of a cell, NaN if it has none."""
    found = re.search(r"\d[\d,]*(?:\.\d+)?", cell)
    return float(found.group().replace(",", "")) if found else np.nan


def draw_accuracy():
    """Accuracy of four methods on six collections, parameters chosen on training data."""
    header, *rows = read_table("accuracy", "## Parameters chosen on training data")
    methods = {"LDS-Martin": GREY, "LDS-SC-Grass": BLUE, "Mixture": GREEN, "MiniRocket": ORANGE}
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    ax = figure.subplots()
    for offset, (method, colour) in enumerate(methods.items()):
        values = [read_number(row[header.index(method)]) for row in rows]
        places = np.arange(len(rows)) + 0.2 * (offset - 1.5)
        ax.vlines(places, 40, values, color=colour, linewidth=1, alpha=0.5)
        ax.plot(places, values, "o", color=colour, label=method)
    ax.set_xticks(range(len(rows)), [row[0] for row in rows])
    ax.set(ylim=(40, 102), ylabel="test accuracy in %")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return figure


def draw_search():
    """Candidates of an automatic search, its members, and what each kind reaches alone."""
    X, y, X_test, y_test = load_japanese_vowels()
    model = AutoLDSClassifier(time_budget=60, random_state=0, n_jobs=2).fit(X, y)
    report = model.report_
    figure = Figure(figsize=(9, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[2, 1])
    members = [one["loss"] for one in report.members]
    kinds = {
        "fitted systems, ridge regression": (BLUE, "fitted systems", "ridge regression"),
        "fitted systems, sparse coding": (ORANGE, "fitted systems", "sparse coding"),
        "random systems": (GREEN, "random systems", "ridge regression"),
    }
    for label, (colour, kind, classifier) in kinds.items():
        own = [
            (rank, one["loss"])
            for rank, one in enumerate(report.tried, 1)
            if (one["kind"], one["classifier"]) == (kind, classifier)
        ]
        left.scatter(*np.transpose(own), 16, colour, label=label)
    ringed = [(rank, one["loss"]) for rank, one in enumerate(report.tried, 1)
              if one["loss"] in members]  # fmt: skip
    left.scatter(*np.transpose(ringed), 70, "none", edgecolors="black", label="member")
    left.set(yscale="log", xlabel="candidate, the smallest loss first")
    left.set_ylabel("log loss on held-out sequences")
    left.set_title(f"{len(report.tried)} candidates of {report.n_descriptions} encodings")
    left.legend(loc="upper left")
    alone = [model.keep_kind(kind).score(X_test, y_test) for kind in report.alone]
    values = [*alone, model.score(X_test, y_test)]
    bars = right.barh([2, 1, 0], 100 * np.array(values), color=[BLUE, GREEN, "0.35"])
    right.bar_label(bars, [f"{100 * value:.1f}" for value in values], padding=3)
    right.set_yticks([2, 1, 0], ["fitted systems\nalone", "random systems\nalone", "ensemble"])
    right.set(xlim=(95, 101), xlabel="test accuracy in %", title="test sequences")
    return figure


def draw_collections():
    """Size of the paper's seven data sets."""
    rows = read_table("datasets", "# Data sets of the paper")[1:]
    names = ["Cambridge", "UCSD", "UCLA", "DynTex++", "SD", "SPr", "BDH"]
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    left, middle, right = figure.subplots(1, 3, sharey=True)
    places = -np.arange(len(rows))
    for ax, column, title in ((left, 1, "sequences"), (middle, 2, "classes")):
        values = [read_number(row[column]) for row in rows]
        bars = ax.barh(places, values, color=BLUE)
        ax.bar_label(bars, [f"{value:.0f}" for value in values], padding=3)
        ax.set(title=title, xlim=(0, 1.2 * max(values)))
    for place, row in zip(places, rows, strict=True):
        low, *rest = (float(n) for n in row[4].split("-"))
        right.barh(place, max((rest or [low])[0] - low, 6), left=low, color=ORANGE)
        right.text((rest or [low])[0] + 12, place, row[4].replace("-", " to "), va="center")
    right.set(title="time points", xlim=(0, 720))
    left.set_yticks(places, names)
    return figure


def draw_delta():
    """|b_i| of the neglected term of Eq. (23), for two eigenvalues of equal modulus."""
    t = np.linspace(0, 1, 200)
    figure = Figure(figsize=(9, 3), layout="constrained")
    ax = figure.subplots()
    ax.plot(t, 4 * t**2 / (1 + t**2) ** 2, color=BLUE, linewidth=2)
    for modulus in (0.5, 0.7, 0.9):
        value = 4 * modulus**2 / (1 + modulus**2) ** 2
        ax.plot(modulus, value, "o", color=ORANGE)
        ax.annotate(f"{value:.2f}", (modulus, value), (-32, 2), textcoords="offset points")
    ax.set(xlabel="modulus t of both eigenvalues", ylabel="$|b_i| = 4t^2 / (1 + t^2)^2$")
    ax.set_title("The weight of the term that the paper neglects as small")
    return figure


def draw_items():
    """A video and a table become sequences."""
    video = make_dynamic_textures(["waves"], 1, size=32, random_state=0)[0][0]
    motion = load_basic_motions()[0][25]
    figure = Figure(figsize=(9, 4.4), layout="constrained")
    grid = figure.add_gridspec(2, 5, width_ratios=[1, 1, 1, 0.6, 3.4])
    for place, frame in enumerate((0, 10, 20)):
        ax = figure.add_subplot(grid[0, place])
        ax.imshow(video[frame], cmap="gray")
        ax.set(title=f"frame {frame}", xticks=[], yticks=[])
    ax = figure.add_subplot(grid[0, 4])
    ax.imshow(to_sequence(video), cmap="gray", aspect="auto", interpolation="nearest")
    ax.set(title="sequence: one channel per pixel", ylabel="channel")
    ax = figure.add_subplot(grid[1, :3])
    ax.axis("off")
    cells = [[f"{k / 10:.1f}", *(f"{v:.2f}" for v in motion[:3, k])] for k in range(5)]
    table = ax.table([*cells, ["..."] * 4], colLabels=["time", "ax", "ay", "az"], loc="center")
    table.scale(1, 1.35)
    for row in range(7):
        table[row, 0].set_facecolor("#e6e9ed")
    ax = figure.add_subplot(grid[1, 4])
    ax.plot(np.arange(100) / 10, motion[:3].T, linewidth=1, label=["ax", "ay", "az"])
    ax.set(title="sequence: one channel per column but the time", xlabel="seconds")
    ax.legend(loc="upper right", ncols=3)
    for row in (0, 1):
        ax = figure.add_subplot(grid[row, 3])
        ax.axis("off")
        ax.annotate("", (0.95, 0.5), (0.05, 0.5), arrowprops={"arrowstyle": "-|>", "lw": 2})
    return figure


def draw_file_sizes():
    """Size of the file of a model against the number of training sequences."""
    videos, kinds = make_dynamic_textures(n_per_class=16, size=24, random_state=0)
    X, counts = [to_sequence(video) for video in videos], (24, 48, 72, 96)
    order = np.random.default_rng(0).permutation(len(X))
    systems = LDSEncoder(8).fit_transform([X[k] for k in order])
    models = {
        "sparse coding: stores every training system": SparseCodingClassifier(),
        "dictionary of 8 atoms: stores its atoms": LDSDictionary(8, max_iter=1, random_state=0),
    }
    figure = Figure(figsize=(9, 3), layout="constrained")
    ax = figure.subplots()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.lds"
        for (label, model), colour in zip(models.items(), (BLUE, ORANGE), strict=True):
            sizes = []
            for count in counts:
                ldslearn.save(model.fit(systems[:count], kinds[order[:count]]), path)
                sizes.append(path.stat().st_size / 1e6)
            ax.plot(counts, sizes, "o-", color=colour, label=label)
    ax.set(xlabel="training clips of 24 x 24 pixels, 8 states each", ylabel="file in MB", ylim=0)
    ax.set_xticks(counts)
    ax.legend()
    return figure


def draw_cluster_times():
    """Time of encoding and learning on a cluster of two workers divided by the local time."""
    header, *rows = read_table("scaling", "## What it costs")
    counts = [read_number(row[0]) for row in rows]
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    steps = {"encode": BLUE, "dictionary, as if large": ORANGE, "k-means": GREEN}
    for step, colour in steps.items():
        cells = [row[header.index(step)] for row in rows]
        local = [read_number(cell) for cell in cells]
        ratios = [read_number(cell.split("=")[1]) for cell in cells]
        left.plot(counts, local, "o-", color=colour, label=step)
        right.plot(counts, ratios, "o-", color=colour, label=step)
    left.set(yscale="log", title="seconds on two cores, locally", ylabel="seconds")
    right.axhline(1, color=GREY, linestyle="--")
    right.set(title="two workers on the same cores: time / local time", yscale="log")
    right.set_yticks([1, 2, 5], ["1", "2", "5"])
    for ax in (left, right):
        ax.set(xscale="log", xlabel="clips")
        ax.set_xticks(counts, [f"{count:,.0f}" for count in counts])
        ax.minorticks_off()
    left.legend()
    return figure


def draw_motions():
    """One sequence of each class of BasicMotions."""
    X, y, _, _ = load_basic_motions()
    classes = np.unique(y)
    figure = Figure(figsize=(9, 2.8), layout="constrained")
    for ax, label in zip(figure.subplots(1, 4, sharey=True), classes, strict=True):
        ax.plot(X[np.flatnonzero(y == label)[2]].T, linewidth=0.9)
        ax.set(title=label, xlabel="time point", ylim=(-25, 25))
    figure.axes[0].set_ylabel("six channels")
    return figure


def draw_statements():
    """How the statements of the paper are checked."""
    text = (PAGES / "statements.md").read_text()
    rows = [line.split(" | ") for line in text.splitlines() if re.match(r"\| (?!where )", line)]
    counts = {
        "a test of this library": sum("`tests/" in row[3] for row in rows),
        "a claim of ldslearn reproduce": sum(row[4].startswith("claim") for row in rows),
        "neither; the row says why": sum(
            "`tests/" not in row[3] and not row[4].startswith("claim") for row in rows
        ),
    }
    figure = Figure(figsize=(9, 2), layout="constrained")
    ax = figure.subplots()
    bars = ax.barh(list(counts), list(counts.values()), color=[BLUE, GREEN, GREY])
    ax.bar_label(bars, padding=4)
    ax.invert_yaxis()
    ax.set(title=f"{len(rows)} statements: what checks them (some have both)", xlim=(0, len(rows)))
    return figure


PICTURES = (
    draw_accuracy, draw_search, draw_collections, draw_delta, draw_items, draw_file_sizes,
    draw_cluster_times, draw_motions, draw_statements, draw_system, draw_distances, draw_commands,
    draw_terms, draw_writing, draw_missing,
)  # fmt: skip
EXAMPLES = {
    "dictionary": "learning/learn_a_dictionary.py",
    "explain": "learning/explain_one_query.py",
    "novelty": "learning/find_strange_windows.py",
    "random_systems": "learning/drive_random_systems.py",
    "regression": "learning/predict_numbers.py",
    "similar_clips": "data/find_similar_clips.py",
}


def run_example(path):
    """Return the figure of an example of the gallery."""
    return runpy.run_path(str(PAGES.parent / "examples" / path))["fig"]


def main(names):
    """Write the pictures of these names, or all."""
    mpl.use("agg")
    makers = {name: partial(run_example, path) for name, path in EXAMPLES.items()}
    makers |= {maker.__name__.removeprefix("draw_"): maker for maker in PICTURES}
    if unknown := set(names) - set(makers):
        sys.exit(f"no picture is called {', '.join(sorted(unknown))}; known: {', '.join(makers)}")
    style = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
    for name in names or makers:
        with mpl.rc_context({} if name in EXAMPLES else style):
            makers[name]().savefig(IMAGES / f"{name}.png", dpi=100)
        print(IMAGES / f"{name}.png")


if __name__ == "__main__":
    main(sys.argv[1:])
