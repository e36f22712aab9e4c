"""ldslearn cluster."""

from typing import Annotated, Any

import typer

from ldslearn import cli
from ldslearn.cli import options as given
from ldslearn.cli.arguments import read_data, takes


@takes(collection=read_data)
def cluster(
    collection: Any,
    skip_errors: given.SkipErrors = False,
    clusters: Annotated[
        int | None,
        typer.Option(
            "--clusters", "-k", help="Number of clusters. Default: the number of classes.", min=1
        ),
    ] = None,
    states: given.FixedStates = None,
    delays: given.Delays = None,
    seed: given.Seed = 0,
    jobs: given.Jobs = -1,
    as_json: given.Json = False,
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
