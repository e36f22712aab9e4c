"""Files that commands write: checked before the work begins, written whole or not at all."""

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn import _errors
from ldslearn._writing import atomic_write
from ldslearn.cli.tables import print_line
from ldslearn.scale.output_checks import Input, check_output, check_output_folder


def find_input(
    data: Path, levels: str | None = None, labels: Path | None = None, layout: str | None = None
) -> Input:
    """Return what is read from `data`."""
    return Input(data, levels, labels, is_set=layout is not None)


def check_outputs(outputs: Sequence[Path], *inputs: Input) -> Sequence[Path]:
    """Return the files to write; raise if one cannot be written or is among the inputs."""
    for output in outputs:
        check_output(output, *inputs)
    return outputs


def check_different(output: Path | None, report: Path | None) -> None:
    """Raise if record and page would be the same file."""
    if output is not None and report is not None and _is_same_file(output, report):
        raise _errors.invalid("--report", "be another file than --output", report, "Name two.")


def check_folder(folder: Path, *, must_be_empty: bool = False) -> None:
    """Raise unless a folder can be written."""
    check_output_folder(folder)
    if must_be_empty and folder.exists() and any(folder.iterdir()):
        raise _errors.invalid(f"folder {folder}", "be new or empty", "files in it", "Name another.")


def _is_same_file(first: Path, second: Path) -> bool:
    with suppress(OSError):
        if first.samefile(second):
            return True
    return first.resolve() == second.resolve()


def write_json(path: Path, record: dict[str, Any]) -> None:
    """Write a record."""
    write_text(path, json.dumps(record, indent=2, allow_nan=False))


def write_text(path: Path, text: str) -> None:
    """Write a text."""
    with atomic_write(path) as file:
        file.write(text.encode(errors="replace"))  # names of files that are not Unicode


def write_array(path: Path, array: NDArray[Any]) -> None:
    """Write an array as an .npy file."""
    with atomic_write(path) as file:
        np.save(file, array)


def report_written(path: Path, as_json: bool, what: str = "") -> None:
    """Print what was written and its size, unless JSON is printed."""
    if as_json:
        return
    files = [path] if path.is_file() else [file for file in path.iterdir() if file.is_file()]
    size = sum(file.stat().st_size for file in files)
    text = f"{size / 1e6:,.1f} MB" if size >= 1e5 else f"{size / 1e3:,.1f} kB"
    print_line(f"wrote {what + ' to ' if what else ''}{path}, {text}")
