"""The command ``ldslearn cluster``."""

from typing import Annotated, Any

import typer

from ldslearn import cli
from ldslearn.cli import options
from ldslearn.cli.arguments import read_data, with_options_of


@with_options_of(collection=read_data)
def cluster(
    collection: Any,
    skip_errors: options.SkipErrors = False,  # an argument of read_data, too, as is jobs
    clusters: Annotated[
        int | None,
        typer.Option(
            "--clusters", "-k", help="Number of clusters. Default: the number of classes.", min=1
        ),
    ] = None,
    states: options.FixedStates = None,
    delays: options.Delays = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    as_json: options.Json = False,
) -> None:
    """Cluster sequences by their dynamics (k-means on systems).

    Labels, if known, are compared with the clusters and not used otherwise.
    """
    if skip_errors:
        collection = cli.inputs.drop_unusable_items(collection, states, delays)
    record = cli.library.cluster_collection(
        collection, clusters, n_states=states, delays=delays, seed=seed, n_jobs=jobs
    )
    cli.tables.print_record(record, as_json, *cli.tables.tabulate_clusters(record))
