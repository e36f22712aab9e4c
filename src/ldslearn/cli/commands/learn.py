"""The command ``ldslearn learn``."""

from pathlib import Path
from typing import Annotated, Any

import typer

import ldslearn
from ldslearn import cli
from ldslearn.cli import options
from ldslearn.cli.remote import format_cluster, work_on_cluster


def learn(
    store: options.Store,
    output: options.Output,
    atoms: Annotated[int | None, typer.Option(help="Number of atoms. Default: 16.", min=1)] = None,
    sparsity: Annotated[
        float | None,
        typer.Option(min=0, help="Weight of the L1 norm of the codes. Default: 0.1."),
    ] = None,
    parts: Annotated[
        str | None,
        typer.Option(help="Form of the atoms: twofold, symmetric or skew. Default: twofold."),
    ] = None,
    mix: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Weight of the dynamics; the noise covariance has weight 1 - mix. Default: no "
            "covariance.",
        ),
    ] = None,
    init: Annotated[
        str,
        typer.Option(
            help="Initial atoms: kmeans, random, or a file written by learn, whose parameters are "
            "used unless given."
        ),
    ] = "kmeans",
    iterations: Annotated[int, typer.Option(help="Maximum number of iterations.", min=0)] = 20,
    seed: options.Seed = 0,
    cluster: options.ClusterAddress = None,
    jobs: options.Jobs = -1,
    as_json: options.Json = False,
) -> None:
    """Learn a dictionary from the systems of a store, and write it to one file.

    After an interruption the atoms so far are in NAME.partial.npz, for the output NAME.npz. An
    older NAME.npz is kept.
    """
    unfinished = output.with_name(f"{output.stem}.partial{output.suffix}")
    cli.outputs.check_outputs([output, unfinished], cli.outputs.find_input(Path(init)))
    systems = ldslearn.scale.LDSStore.open(store)
    model = cli.stores.start_dictionary(
        init, {"n_atoms": atoms, "sparsity": sparsity, "parts": parts, "mix": mix}
    )
    model.set_params(max_iter=iterations, random_state=seed, n_jobs=jobs)
    with work_on_cluster(cluster) as summarize_cluster:
        cli.stores.fit_and_save(model, systems, output, unfinished)
        record: dict[str, Any] = {
            "record": "dictionary",
            "n_sequences": len(systems),
            **cli.inspecting.describe_dictionary(model),
            **summarize_cluster(),
        }
    rows = {
        "sequences": len(systems),
        **cli.inspecting.list_dictionary_facts(model),
        "cluster": format_cluster(record),
    }
    table = cli.tables.tabulate_facts(f"dictionary {output}", rows)
    cli.tables.print_record(record, as_json, table)
    cli.outputs.report_written(output, as_json)
