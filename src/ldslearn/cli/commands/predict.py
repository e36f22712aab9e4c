"""The command ``ldslearn predict``."""

from pathlib import Path
from typing import Annotated

import typer

from ldslearn import cli
from ldslearn.cli import options


def predict(
    model: Annotated[Path, typer.Argument(help="A file written by train.", show_default=False)],
    items: Annotated[
        list[Path],
        typer.Argument(
            help="Videos, folders of images, tables, arrays, a folder or collection of them, or a "
            "store."
        ),
    ],
    csv: Annotated[
        Path | None,
        typer.Option(
            "--csv",
            help="Also write a CSV file with one row per item: label, confidence and the values "
            "of all classes.",
            show_default=False,
        ),
    ] = None,
    levels: options.Levels = None,
    labels: options.Labels = None,
    skip_errors: options.SkipErrors = False,
    cluster: options.ClusterAddress = None,
    jobs: options.Jobs = -1,
    as_json: options.Json = False,
) -> None:
    """Predict the labels of new files, or of the systems in a store, with their confidence.

    If the true labels are known, the accuracy is printed as well.
    """
    if csv is not None:
        sources = [cli.outputs.find_input(item, levels, labels) for item in items]
        cli.outputs.check_outputs([csv], cli.outputs.find_input(model), *sources)
    trained = cli.inputs.load_model(model)
    if cli.predicting.is_one_store(items):
        cli.inputs.refuse_labels(levels, labels, f"the store {items[0]}")
        record, notes = cli.predicting.predict_store(trained, items[0], cluster)
    elif cluster is not None:
        raise ValueError(
            "--cluster must be given with a store; got files. Encode them first: "
            "ldslearn encode --like MODEL."
        )
    else:
        record, notes = cli.predicting.predict_files(
            trained, items, levels=levels, labels=labels, skip=skip_errors, n_jobs=jobs
        )
    if csv is not None:
        cli.predicting.write_csv(csv, record)
    cli.tables.print_record(record, as_json, *cli.predicting.tabulate_predictions(record), *notes)
