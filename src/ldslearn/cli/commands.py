"""The commands. Everything heavy is imported by the command that needs it."""

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ldslearn import _errors
from ldslearn.cli import options as given
from ldslearn.cli.modelling import method_options, protocol_options
from ldslearn.cli.reproducing import reproduce
from ldslearn.cli.sharing import (
    collection_file,
    drop_unfit_for,
    output_file,
    read_data,
    reading_options,
    report_written,
    result_files,
    suggest_skipping,
    table_options,
    takes,
    usage,
    write_json,
    write_text,
)

app = typer.Typer(
    help="Classify, cluster, compare and synthesise videos and other sequences, each one described "
    "by a linear dynamical system.\n\nTry: ldslearn make-clips clips; ldslearn evaluate clips; "
    "ldslearn train clips -o model.lds; ldslearn predict model.lds clips/flag/0.avi",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"ldslearn {version('ldslearn')}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command()
def demo(
    output: Annotated[Path, typer.Argument(help="Folder for the pictures and the page.")] = Path(
        "demo-output"
    ),
) -> None:
    """Fit, compare and classify the embedded data; print tables, draw pictures, write a page."""
    from ldslearn.demo import run

    run(output)


@app.command("make-clips")
def make_clips(
    folder: Annotated[Path, typer.Argument(help="Folder to make; must not hold anything.")],
    per_class: Annotated[int, typer.Option(help="Clips of each of six kinds.", min=1)] = 10,
    size: Annotated[int, typer.Option(help="Pixels per side.", min=8)] = 32,
    frames: Annotated[int, typer.Option(help="Frames of each clip.", min=2)] = 60,
    seed: given.Seed = 0,
) -> None:
    """Write a folder of small AVI clips of moving textures, to try the other commands on."""
    from ldslearn.cli import showing
    from ldslearn.datasets import make_dynamic_textures
    from ldslearn.scale.output_checks import check_output_folder
    from ldslearn.video import write_video

    check_output_folder(folder)
    if folder.exists() and any(folder.iterdir()):
        raise _errors.invalid(f"folder {folder}", "be new or empty", "files in it", "Name another.")
    videos, kinds = make_dynamic_textures(
        n_per_class=per_class, size=size, n_frames=frames, random_state=seed
    )
    for index, (video, kind) in enumerate(zip(videos, kinds, strict=True)):
        (folder / kind).mkdir(parents=True, exist_ok=True)
        write_video(folder / kind / f"{index % per_class}.avi", 255 * video)
    showing.say(
        f"wrote {len(videos)} clips of {size} x {size} pixels and {frames} frames to {folder}"
    )


@app.command()
def inspect(
    path: given.Data,
    layout: given.Layout = None,
    size: given.Size = "auto",
    colour: given.Colour = False,
    crop: given.Crop = None,
    stride: given.Stride = 1,
    length: given.Length = None,
    chunk: given.Chunk = False,
    features: given.Features = "pixels",
    levels: given.Levels = None,
    labels: given.Labels = None,
    time: given.TimeColumn = None,
    columns: given.Columns = None,
    rate: given.Rate = None,
    transpose: given.Transpose = False,
    as_json: given.Json = False,
) -> None:
    """Say what is in a model, a dictionary, a store, a collection, a folder or a file.

    Items that fail are listed.
    """
    from ldslearn._arrays import find_kind
    from ldslearn.cli import showing
    from ldslearn.cli.inputs import is_saved, load_data, read_array_file
    from ldslearn.datasets.labels_from_manifest import is_manifest
    from ldslearn.datasets.summary import summarize_collection
    from ldslearn.scale.output_checks import is_store
    from ldslearn.sequences.offsets import warn_of_offsets

    if is_store(path):
        from ldslearn.cli.stores import inspect_store

        inspect_store(path, as_json)
        return
    if not layout and is_saved(path, find_kind(path)):
        from ldslearn.cli.inspecting import inspect_saved

        inspect_saved(path, as_json)
        return
    options = reading_options(size, colour, crop, stride, length, chunk, features, levels, labels)
    table = table_options(time, columns, rate, transpose)
    if path.suffix.lower() == ".npy" and path.is_file():  # one item, also of frames
        found = read_array_file(path, **options, **table)
    else:
        skip = layout is None and (path.is_dir() or is_manifest(path))
        on_error = "skip" if skip else "raise"
        found = load_data(path, layout, -1, **options, **table, on_error=on_error)
    warn_of_offsets(found.X)
    data = summarize_collection(found)
    showing.show(data, as_json, *showing.describe_data(str(path), data))


@app.command()
@takes(
    files=result_files,
    wanted=method_options,
    plan=protocol_options,
    collection=read_data,
)
def evaluate(
    files: tuple[Path | None, Path | None],
    wanted: dict[str, Any],
    plan: Any,
    collection: Any,
    data: given.Data,
    skip_errors: given.SkipErrors = False,
    as_json: given.Json = False,
) -> None:
    """Measure how well a method tells the classes apart, by folds or the data's own split.

    States and sparsity are chosen on the training part of each round unless given.
    """
    from ldslearn.cli import showing
    from ldslearn.diagnostics import compute_diagnostics
    from ldslearn.evaluate import Round
    from ldslearn.evaluate import evaluate as run
    from ldslearn.report import render_evaluation_page

    output, report = files
    if skip_errors:
        collection = drop_unfit_for(collection, wanted)
    rounds: list[Round] = []
    record = run(collection, protocol=plan, on_first=rounds.append, **wanted)
    if output is not None:
        write_json(output, record)
    # Before the page, which may fail to be written.
    shown = showing.describe_data(str(data), record["data"])
    showing.show(record, as_json, *shown, *showing.evaluation(record))
    if output is not None:
        report_written(output, as_json)
    if report is not None:
        diagnostics = compute_diagnostics(
            collection, rounds[0], wanted["settings"], record["mislabelled"]
        )
        typed = shlex.join(["ldslearn", *sys.argv[1:]])
        write_text(
            report, render_evaluation_page(record, typed, diagnostics, name=data.resolve().name)
        )
        report_written(report, as_json)


@app.command()
@takes(output=output_file, wanted=method_options, collection=read_data)
def train(
    output: Path,
    wanted: dict[str, Any],
    collection: Any,
    data: given.Data,
    skip_errors: given.SkipErrors = False,
    as_json: given.Json = False,
) -> None:
    """Train on all of a collection and write the model to one file.

    The model remembers how files were read, and reads new ones in the same way.
    """
    from ldslearn.cli import showing
    from ldslearn.evaluate import train as fit

    if skip_errors:
        collection = drop_unfit_for(collection, wanted)
    model = fit(collection, **wanted)
    model.save(output)
    about = model.about
    best = max((one["accuracy"] for one in about["tried"]), default=None)
    expected = None if best is None else f"{best:.1%} (the best of those tried)"
    report = about["report"]
    if report is not None:
        expected = showing.format_expected(report)
    chosen = {
        "method": about["method"],
        "states": about["n_states"],
        "delays": about["delays"],
        "sparsity": about["sparsity"],
        "mix": about.get("mix"),
        **({} if report is None else showing.automatic(report["chosen"])),
        "candidates tried": len(about["tried"]) or None,
        "accuracy in folds": expected,
    }
    shown = showing.describe_data(str(data), about["data"])
    settled = showing.list_parameters(about["parameters"])
    showing.show(about, as_json, *shown, *settled, showing.facts("trained", chosen))
    report_written(output, as_json)


@app.command()
def predict(
    model: Annotated[Path, typer.Argument(help="A file written by train.", show_default=False)],
    items: Annotated[
        list[Path],
        typer.Argument(
            help="Videos, folders of images, arrays, or a folder or collection of them."
        ),
    ],
    csv: Annotated[
        Path | None,
        typer.Option(
            "--csv",
            help="Also write a CSV file: item, label, how sure it is, and all classes.",
            show_default=False,
        ),
    ] = None,
    levels: given.Levels = None,
    labels: given.Labels = None,
    skip_errors: given.SkipErrors = False,
    cluster: given.ClusterAddress = None,
    jobs: given.Jobs = -1,
    as_json: given.Json = False,
) -> None:
    """Label new files, or the systems of a store, and say how sure the labels are.

    Where labels are known, the accuracy is printed, too.
    """
    from ldslearn.cli import predicting
    from ldslearn.cli.inputs import check_model_file, read_new, refuse_labels
    from ldslearn.datasets.summary import fingerprint
    from ldslearn.models.usability import drop_unusable
    from ldslearn.persist.model import Model
    from ldslearn.scale.output_checks import Input, check_output, is_store

    if csv is not None:
        check_output(csv, Input(model), *(Input(item, levels, labels) for item in items))
    check_model_file(model)
    trained = Model.load(model)
    if len(items) == 1 and is_store(items[0]):
        from ldslearn.cli.stores import predict_store

        refuse_labels(levels, labels, f"the store {items[0]}")
        record, *notes = predict_store(trained, items[0], cluster)
    else:
        if cluster is not None:
            raise ValueError(
                "--cluster labels the systems of a store; got files. Encode them first: "
                "ldslearn encode --like MODEL."
            )
        with suggest_skipping(skip_errors):
            data = read_new(
                items, trained.reading, skip_errors, jobs,
                levels=levels, labels=labels, frame=trained.frame,
            )  # fmt: skip
            trained.check_like(data)
            if skip_errors:
                data = drop_unusable(data, trained.predict)
            found = trained.predict_with_certainty(data.X)
        record = predicting.make_record(data.names, found, data.y, data.skipped)
        notes = []
        known = trained.about.get("data", {}).get("fingerprint")
        if data.y is not None and fingerprint(data) == known:
            notes.append("these are the training data: the accuracy says nothing of others")
    if csv is not None:
        predicting.write_csv(csv, record)
    predicting.show(record, as_json, *notes)


@app.command()
@takes(collection=read_data)
def cluster(
    collection: Any,
    skip_errors: given.SkipErrors = False,
    clusters: Annotated[
        int | None,
        typer.Option(
            "--clusters", "-k", help="How many; as many as there are classes if not given.", min=1
        ),
    ] = None,
    states: given.FixedStates = None,
    delays: given.Delays = None,
    seed: given.Seed = 0,
    jobs: given.Jobs = -1,
    as_json: given.Json = False,
) -> None:
    """Group sequences by their dynamics (k-means on systems); labels, if any, only judge."""
    from ldslearn.cli import showing
    from ldslearn.cluster.collections import cluster_collection
    from ldslearn.models.usability import drop_unfit

    if skip_errors:
        collection = drop_unfit(collection, states, delays)
    record = cluster_collection(
        collection, clusters, n_states=states, delays=delays, seed=seed, n_jobs=jobs
    )  # fmt: skip
    rows = [(one["name"], str(one["cluster"])) for one in record["items"]]
    sizes = {
        "clusters": record["n_clusters"],
        "sizes": ", ".join(map(str, record["sizes"])),
        "states": record["n_states"],
        "inertia": f"{record['inertia']:.4g}",
        "agreement with labels": None
        if record["nmi"] is None
        else f"NMI {record['nmi']:.3f}, ARI {record['ari']:.3f}",
    }
    tables = [
        *showing.listed("items", ("item", "cluster"), rows),
        *showing.list_skipped(record["data"]["skipped"]),
    ]
    showing.show(record, as_json, *tables, showing.facts("k-means", sizes))


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(help="A video, folder of images or array.")],
    second: Annotated[Path, typer.Argument(help="Another.")],
    states: given.FixedStates = None,
    delays: given.Delays = None,
    size: given.Size = "auto",
    stabilizer: given.Stabilizer = "soft",
    time: given.TimeColumn = None,
    columns: given.Columns = None,
    rate: given.Rate = None,
    transpose: given.Transpose = False,
    as_json: given.Json = False,
) -> None:
    """Distances between the systems of two sequences, and the angles between their subspaces."""
    from ldslearn.cli import showing
    from ldslearn.cli.inputs import read_pair
    from ldslearn.geometry.comparison import compare_sequences

    data = read_pair(first, second, size, **table_options(time, columns, rate, transpose))
    record = compare_sequences(data, n_states=states, delays=delays, stabilizer=stabilizer)
    rows = {
        "states": record["n_states"],
        "delays": record["delays"],
        "angles": ", ".join(f"{angle:.1f}°" for angle in record["angles"]),
        "projection kernel": f"{record['kernel']:.4f} of {record['n_states']}",
        "projection distance": f"{record['projection_distance']:.4f}",
        "Martin distance": f"{record['martin_distance']:.4f}",
    }
    showing.show(record, as_json, showing.facts(f"{first} and {second}", rows))


@app.command()
def synthesize(
    source: Annotated[
        Path, typer.Argument(help="A video or array to imitate, a collection of them, or a model.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="A .gif, .avi, .mp4 or .mkv; or an .npy array.")
    ],
    colour: given.Colour = False,
    index: Annotated[
        int, typer.Option(help="Which of a collection, or of a model's systems, from 0.", min=0)
    ] = 0,
    frames: Annotated[int, typer.Option(help="How many.", min=2)] = 100,
    states: given.FixedStates = None,
    size: given.Size = "keep",
    enlarge: Annotated[int, typer.Option(help="Pixels per side for each pixel.", min=1)] = 1,
    rate: Annotated[float, typer.Option(help="Frames per second.")] = 25.0,
    time: given.TimeColumn = None,
    columns: given.Columns = None,
    transpose: given.Transpose = False,
    seed: given.Seed = 0,
) -> None:
    """Draw new frames from the system of a video, or from a system or atom of a model.

    They start at a random state (--seed), not as the video does.
    """
    from ldslearn._arrays import find_kind
    from ldslearn.cli.inputs import is_model, read_one
    from ldslearn.models import synthesis
    from ldslearn.persist.model import Model
    from ldslearn.scale.output_checks import Input, check_output

    with usage():
        synthesis.check_suffix(output)
    check_output(output, Input(source))
    name = str(source)
    if is_model(source, find_kind(source)):
        model = Model.load(source)
        sequence = synthesis.synthesize_from_systems(model.systems, index, frames, seed)
        shape = model.frame_shape
    else:
        table = table_options(time, columns, None, transpose)
        data = read_one(source, index, size, colour, **table)
        name = data.names[0]
        sequence, shape = synthesis.synthesize_from_sequence(data, states, frames, seed)
    synthesis.write_sequence(output, sequence, shape, enlarge=enlarge, frame_rate=rate)
    report_written(output, False, f"{frames} frames like {name}")


@app.command()
@takes(output=collection_file, collection=read_data)
def convert(
    output: Path,
    collection: Any,
    as_json: given.Json = False,
) -> None:
    """Read files once and keep the sequences in one .npz file, quick to load from then on."""
    from ldslearn.cli import showing
    from ldslearn.datasets.formats.npz import save_npz
    from ldslearn.datasets.summary import summarize_collection
    from ldslearn.sequences.offsets import warn_of_offsets

    warn_of_offsets(collection.X)
    save_npz(output, collection)
    record = summarize_collection(collection)
    showing.show(record, as_json, *showing.describe_data(str(output), record))
    report_written(output, as_json)


app.command()(reproduce)
