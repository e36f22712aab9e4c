"""The command ``ldslearn code``."""

from pathlib import Path
from typing import Annotated, Any

import typer

import ldslearn
from ldslearn import _errors, cli
from ldslearn.cli import options
from ldslearn.cli.remote import format_cluster, work_on_cluster


def code(
    dictionary: Annotated[Path, typer.Argument(help="A file written by learn.")],
    store: options.Store,
    output: Annotated[Path, typer.Option("--output", "-o", help="The .npy file to write.")],
    cluster: options.ClusterAddress = None,
    as_json: options.Json = False,
) -> None:
    """Compute sparse codes of the systems of a store: one row per sequence in an .npy file."""
    if output.suffix != ".npy":
        raise _errors.bad_file(output, "have the suffix .npy", output.suffix or "none")
    cli.outputs.check_outputs([output], cli.outputs.find_input(dictionary))
    model = cli.inputs.load_dictionary(dictionary)
    systems = ldslearn.scale.LDSStore.open(store)
    with work_on_cluster(cluster) as summarize_cluster:
        codes = model.transform(systems)
        cli.outputs.write_array(output, codes)
        record: dict[str, Any] = {"record": "codes", "shape": list(codes.shape)}
        record |= summarize_cluster()
    record["nonzero"] = float((codes != 0).sum() / len(codes))
    rows = {
        "sequences": len(codes),
        "columns": codes.shape[1],
        "nonzero per sequence": f"{record['nonzero']:.1f}",
        "cluster": format_cluster(record),
    }
    cli.tables.print_record(record, as_json, cli.tables.tabulate_facts(f"codes {output}", rows))
    cli.outputs.report_written(output, as_json)
