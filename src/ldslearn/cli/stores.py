"""The commands on stores: collections that need not fit in memory, on this machine or a cluster."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from ldslearn import _errors
from ldslearn.cli import options as given
from ldslearn.cli.commands import app
from ldslearn.cli.sharing import (
    on_cluster,
    reading_options,
    report_written,
    table_options,
    usage,
)
from ldslearn.cli.telling import tell

Store = Annotated[
    Path, typer.Argument(help="A folder written by encode.", show_default=False)
]  # fmt: skip


@app.command()
def encode(
    data: Annotated[
        Path,
        typer.Argument(
            help="A folder <class>/<item>, or a manifest.csv (path,label,split,group).",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder to write.", show_default=False)
    ],
    states: Annotated[
        int, typer.Option("--states", "-n", help="Order of each system.", min=1)
    ] = 10,
    delays: Annotated[int, typer.Option(help="Lagged copies of each sample.", min=1)] = 1,
    stabilizer: given.Stabilizer = "soft",
    size: given.Size = "auto",
    colour: given.Colour = False,
    crop: given.Crop = None,
    stride: given.Stride = 1,
    length: given.Length = None,
    chunk: given.Chunk = False,
    features: given.Features = "pixels",
    time: given.TimeColumn = None,
    columns: given.Columns = None,
    rate: given.Rate = None,
    transpose: given.Transpose = False,
    like: Annotated[
        Path | None,
        typer.Option(
            help="A model written by train: read and fit as it does, to predict from the store. "
            "The options above are not used.",
            show_default=False,
        ),
    ] = None,
    levels: given.Levels = None,
    labels: given.Labels = None,
    shard_size: Annotated[int, typer.Option(help="Items in each file, on average.", min=1)] = 64,
    cluster: given.ClusterAddress = None,
    jobs: given.Jobs = -1,
    as_json: given.Json = False,
) -> None:
    """Fit the systems of a folder or manifest of any size, and write them to a store.

    Given again after an interrupt, it goes on where it was. Items that fail are listed.
    """
    from sklearn.base import clone

    from ldslearn.cli import showing
    from ldslearn.cli.inputs import ONE_FILE, check_model_file
    from ldslearn.models import LDSEncoder
    from ldslearn.persist.model import Model
    from ldslearn.scale.encoding import encode_folder
    from ldslearn.scale.store_times import describe_time_of_store

    if data.suffix.lower() in ONE_FILE and data.is_file():
        raise _errors.bad_file(
            data, "be a folder or a manifest.csv", f"a collection in {data.suffix}",
            "It is in memory as a whole: use train, cluster or evaluate.",
        )  # fmt: skip
    if like is None:
        options = reading_options(
            size, colour, crop, stride, length, chunk, features, levels, labels
        )
        options |= table_options(time, columns, rate, transpose)
        encoder = LDSEncoder(states, delays=delays, stabilizer=stabilizer, n_jobs=jobs)
    else:
        check_model_file(like)
        model = Model.load(like)
        options = {**model.reading.as_dict(), "levels": levels, "labels": labels}
        encoder = clone(model.encoder_of_stores()).set_params(n_jobs=jobs)
    with on_cluster(cluster) as happened:
        store = encode_folder(data, output, encoder, shard_size=shard_size, **options)
        record: dict[str, Any] = {"record": "store", **describe(store), **happened()}
    if (line := describe_time_of_store(store)) is not None:
        tell(line)
    showing.show(record, as_json, *shown(record))
    report_written(output, as_json)


@app.command()
def learn(
    store: Store,
    output: given.Output,
    atoms: Annotated[int | None, typer.Option(help="Atoms; 16 if not given.", min=1)] = None,
    sparsity: Annotated[
        float | None, typer.Option(min=0, help="Weight of the codes; 0.1 if not given.")
    ] = None,
    parts: Annotated[
        str | None, typer.Option(help="twofold, symmetric or skew; twofold if not given.")
    ] = None,
    mix: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Weight of the dynamics beside the covariance of the noise; without covariance "
            "if not given.",
        ),
    ] = None,
    init: Annotated[
        str,
        typer.Option(
            help="Atoms to start from: kmeans, random, or a file written by learn, whose "
            "parameters then serve where none are given."
        ),
    ] = "kmeans",
    iterations: Annotated[int, typer.Option(help="At most.", min=0)] = 20,
    seed: given.Seed = 0,
    cluster: given.ClusterAddress = None,
    jobs: given.Jobs = -1,
    as_json: given.Json = False,
) -> None:
    """Learn a dictionary of the systems of a store, and write it to one file.

    An interrupt leaves the atoms so far beside it, as NAME.partial.npz for NAME.npz, and what was
    there before as it was.
    """
    from sklearn.base import clone

    from ldslearn.cli import showing
    from ldslearn.cli.inspecting import describe_dictionary, tabulate_dictionary
    from ldslearn.dictionary import LDSDictionary
    from ldslearn.persist import save
    from ldslearn.scale import LDSStore
    from ldslearn.scale.output_checks import Input, check_output

    unfinished = output.with_name(f"{output.stem}.partial{output.suffix}")
    for path in (output, unfinished):
        check_output(path, Input(Path(init)))
    systems = LDSStore.open(store)
    if init in ("kmeans", "random"):
        model: Any = LDSDictionary(16, init=init)
    else:
        if not Path(init).is_file():
            with usage():
                raise _errors.invalid(
                    "--init", "be kmeans, random or a file written by learn", repr(init), ""
                )
        earlier = load_dictionary(init)
        model = clone(earlier).set_params(init=earlier.atoms_)
    about = {"data": describe_data(systems)}
    chosen = {"n_atoms": atoms, "sparsity": sparsity, "parts": parts, "mix": mix}
    model.set_params(**{name: value for name, value in chosen.items() if value is not None})
    model.set_params(max_iter=iterations, random_state=seed, n_jobs=jobs)
    with on_cluster(cluster) as happened:
        try:
            model.fit(systems)
            save(model, output, about=about)
        except BaseException:  # whatever ends it, what was learned is kept
            if hasattr(model, "atoms_"):
                with suppress(OSError):  # what ended it is what to tell
                    save(model, unfinished, about=about)
                    tell(f"{unfinished} keeps the atoms so far; --init {unfinished} goes on.")
            raise
        record: dict[str, Any] = {
            "record": "dictionary",
            "n_sequences": len(systems),
            **describe_dictionary(model),
            **happened(),
        }
    rows = {"sequences": len(systems), **tabulate_dictionary(model), "cluster": told(record)}
    showing.show(record, as_json, showing.facts(f"dictionary {output}", rows))
    report_written(output, as_json)


@app.command()
def code(
    dictionary: Annotated[Path, typer.Argument(help="A file written by learn.")],
    store: Store,
    output: Annotated[Path, typer.Option("--output", "-o", help="The .npy file to write.")],
    cluster: given.ClusterAddress = None,
    as_json: given.Json = False,
) -> None:
    """Code the systems of a store by a dictionary: one row per sequence in an .npy file."""
    import numpy as np

    from ldslearn import _errors
    from ldslearn._writing import atomic_write
    from ldslearn.cli import showing
    from ldslearn.scale import LDSStore
    from ldslearn.scale.output_checks import Input, check_output

    if output.suffix != ".npy":
        raise _errors.bad_file(output, "have the suffix .npy", output.suffix or "none")
    check_output(output, Input(dictionary))
    model, systems = load_dictionary(dictionary), LDSStore.open(store)
    with on_cluster(cluster) as happened:
        codes = model.transform(systems)
        with atomic_write(output) as file:
            np.save(file, codes)
        record: dict[str, Any] = {"record": "codes", "shape": list(codes.shape), **happened()}
    record["nonzero"] = float(np.count_nonzero(codes) / len(codes))
    rows = {
        "sequences": len(codes),
        "columns": codes.shape[1],
        "not zero, per sequence": f"{record['nonzero']:.1f}",
        "cluster": told(record),
    }
    showing.show(record, as_json, showing.facts(f"codes {output}", rows))
    report_written(output, as_json)


def load_dictionary(path: str | Path) -> Any:
    """Return the dictionary in a file written by learn, or by ldslearn.save."""
    from ldslearn.dictionary.base import SystemDictionary
    from ldslearn.persist import load

    dictionary = load(path)
    if not isinstance(dictionary, SystemDictionary):
        got = type(dictionary).__name__
        raise _errors.bad_file(path, "hold a dictionary", got, "Make one with `ldslearn learn`.")
    return dictionary


def describe_data(store: Any) -> dict[str, Any]:
    """What a dictionary was learned from: sizes of a store, and a fingerprint of its shards."""
    import hashlib

    digests = "".join(shard.sha256 for shard in store.shards if shard.length)
    return {
        "store": store.path.name,
        "n_sequences": len(store),
        "n_channels": store.n_channels,
        "n_states": store.n_states,
        "fingerprint": hashlib.sha256(digests.encode()).hexdigest(),
    }


def predict_store(model: Any, path: Path, cluster: str | None) -> tuple[Any, ...]:
    """Return the record of the labels of the systems of a store, and notes on the cluster."""
    from ldslearn.cli import predicting
    from ldslearn.scale import LDSStore

    store = LDSStore.open(path)
    with on_cluster(cluster) as happened:
        found = model.predict_stored(store)
        happenings = happened()
    names = store.read_texts("names") or [f"sequence {i}" for i in range(len(store))]
    record = predicting.make_record(names, found, store.read_texts("labels"), store.skipped)
    notes = [f"cluster: {told(happenings)}"] if happenings else []
    return {**record, **happenings}, *notes


def inspect_store(path: Path, as_json: bool) -> None:
    """Say what is in a store."""
    from ldslearn.cli import showing
    from ldslearn.scale import LDSStore

    record = {"record": "store", **describe(LDSStore.open(path))}
    showing.show(record, as_json, *shown(record))


def describe(store: Any) -> dict[str, Any]:
    """What a store is, as plain values."""
    return {
        "path": str(store.path),
        "n_sequences": len(store),
        "n_channels": store.n_channels,
        "n_states": store.n_states,
        "n_shards": len(store.shards),
        "n_bytes": store.n_bytes,
        "skipped": [list(pair) for pair in store.skipped],
        **store.about,
    }


def told(record: dict[str, Any]) -> str | None:
    """What happened to a cluster, in words."""
    found = record.get("cluster")
    if found is None:
        return None
    words = {
        "blocks": "blocks",
        "repeated": "repeated",
        "workers_lost": "workers lost",
        "results_lost": "results made again",
        "tasks_moved": "tasks moved",
    }
    return ", ".join(f"{found[key]} {word}" for key, word in words.items())


def shown(record: dict[str, Any]) -> list[Any]:
    """The tables of a store."""
    from ldslearn.cli import showing

    rows = {
        "sequences": record["n_sequences"],
        "channels": record["n_channels"],
        "states": record["n_states"],
        "shards": f"{record['n_shards']}, {record['n_bytes'] / 1e6:,.1f} MB",
        "skipped": len(record["skipped"]) or None,
        "cluster": told(record),
    }
    tables: list[Any] = [showing.facts(f"store {record['path']}", rows)]
    if record["skipped"]:
        tables += showing.listed("skipped", ("item", "reason"), list(map(tuple, record["skipped"])))
    return tables
