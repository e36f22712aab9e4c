"""Pages and verdicts of `ldslearn evaluate`, `ldslearn watch` and `ldslearn reproduce`."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ldslearn.cli.outputs import write_json, write_text
from ldslearn.datasets.collection import Collection
from ldslearn.diagnostics.diagnostics import compute_diagnostics
from ldslearn.evaluate import Round, Settings
from ldslearn.paper.plans import name_reproduction
from ldslearn.paper.verdicts import summarize_claims
from ldslearn.report import (
    render_evaluation_page,
    render_reproduction_page,
    render_watch_page,
)


def write_evaluation_page(
    path: Path,
    record: dict[str, Any],
    data: Collection,
    first: Round,
    settings: Settings,
    *,
    name: str,
) -> None:
    """Write the page of an evaluation; clips, codes and mistakes are those of its first round."""
    diagnostics = compute_diagnostics(data, first, settings, record["misclassified"])
    write_text(path, render_evaluation_page(record, format_own_command(), diagnostics, name=name))


def write_watch_page(path: Path, record: dict[str, Any]) -> None:
    """Write the page of watched recordings."""
    write_text(path, render_watch_page(record, format_own_command()))


def name_reproduction_files(folder: Path, names: Sequence[str], quick: bool) -> list[Path]:
    """Return the paths of the page, the results and the verdicts of a reproduction."""
    stem = name_reproduction(names, quick)
    return [folder / f"{stem}{end}" for end in (".html", ".json", "-claims.json")]


def write_reproduction(files: Sequence[Path], record: dict[str, Any]) -> None:
    """Write the page, the results and the verdicts of a reproduction."""
    page, results, claims = files
    write_json(results, record)
    write_json(claims, summarize_claims(record))
    write_text(page, render_reproduction_page(record, format_own_command()))


def format_own_command() -> str:
    """Return the command of this process, as typed."""
    return shlex.join(["ldslearn", *sys.argv[1:]])
