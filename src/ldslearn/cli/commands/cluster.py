"""The command ``ldslearn cluster``."""

from typing import Annotated, Any

import typer

from ldslearn import cli
from ldslearn.cli import options
from ldslearn.cli.arguments import read_data, with_options_of
from ldslearn.cli.errors import raise_usage_errors
from ldslearn.cli.parsing import parse_count_or


@with_options_of(collection=read_data)
def cluster(
    collection: Any,
    skip_errors: options.SkipErrors = False,  # an argument of read_data, too, as is jobs
    clusters: Annotated[
        str | None,
        typer.Option(
            "--clusters",
            "-k",
            metavar="NUMBER|auto",
            help="Number of clusters; auto: that from 2 to 10 with the largest silhouette. "
            "Default: the number of classes.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            help="kmeans, or spectral: clusters need not be round.",
            callback=options.check_choice("--method", "ldslearn.cluster.parameters", "METHODS"),
        ),
    ] = "kmeans",
    states: options.FixedStates = None,
    delays: options.Delays = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    as_json: options.Json = False,
) -> None:
    """Cluster sequences by their dynamics (k-means or spectral clustering of systems).

    Labels, if known, are compared with the clusters and not used otherwise.
    """
    with raise_usage_errors():
        number = parse_count_or("--clusters", clusters, "auto")
    if skip_errors:
        collection = cli.inputs.drop_unusable_items(collection, states, delays)
    record = cli.library.cluster_collection(
        collection, number, method=method, n_states=states, delays=delays, seed=seed, n_jobs=jobs
    )
    cli.tables.print_record(record, as_json, *cli.tables.tabulate_clusters(record))
