"""ldslearn evaluate."""

import shlex
import sys
from pathlib import Path
from typing import Any

import ldslearn
from ldslearn import cli
from ldslearn.cli import options as given
from ldslearn.cli.arguments import read_data, result_files, takes
from ldslearn.cli.method_options import method_options, protocol_options


@takes(files=result_files, wanted=method_options, plan=protocol_options, collection=read_data)
def evaluate(
    files: tuple[Path | None, Path | None],
    wanted: dict[str, Any],
    plan: Any,
    collection: Any,
    data: given.Data,
    skip_errors: given.SkipErrors = False,
    as_json: given.Json = False,
) -> None:
    """Measure the accuracy of a method, by cross-validation or on the data's own split.

    Unless given, states and sparsity are chosen on the training part of each round.
    """
    output, report = files
    if skip_errors:
        collection = cli.inputs.drop_unusable_items(
            collection, wanted["n_states"], wanted["delays"], wanted["method"]
        )
    rounds: list[Any] = []
    record = ldslearn.evaluate.evaluate(
        collection, protocol=plan, on_first=rounds.append, **wanted
    )  # fmt: skip
    if output is not None:
        cli.outputs.write_json(output, record)
    # Printed before the page is made, which may fail.
    tables = cli.evaluation_tables.tabulate_evaluation(str(data), record)
    cli.tables.print_record(record, as_json, *tables)
    if output is not None:
        cli.outputs.report_written(output, as_json)
    if report is not None:
        diagnostics = ldslearn.diagnostics.compute_diagnostics(
            collection, rounds[0], wanted["settings"], record["mislabelled"]
        )
        command = shlex.join(["ldslearn", *sys.argv[1:]])
        page = ldslearn.report.render_evaluation_page(
            record, command, diagnostics, name=data.resolve().name
        )  # fmt: skip
        cli.outputs.write_text(report, page)
        cli.outputs.report_written(report, as_json)
