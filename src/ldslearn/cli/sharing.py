"""Arguments that several commands share, and what the commands get in their place."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import typer

from ldslearn import _errors
from ldslearn.cli import options as given


def takes(**providers: Callable[..., Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the arguments of other functions, and their results.

    ``@takes(collection=read_data)`` adds the arguments of ``read_data`` to the command line, and
    passes what it returns as ``collection``. Arguments of one name are one argument.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        parameters = {
            name: parameter
            for function in (command, *providers.values())
            for name, parameter in inspect.signature(function).parameters.items()
            if function is not command or name not in providers
        }

        def run(**values: Any) -> None:
            with suggest_skipping(values.get("skip_errors", True)):
                results = {
                    name: function(
                        **{key: values[key] for key in inspect.signature(function).parameters}
                    )
                    for name, function in providers.items()
                }
                own = set(inspect.signature(command).parameters) - set(providers)
                command(**results, **{name: values[name] for name in own})

        run.__name__, run.__doc__ = command.__name__, command.__doc__
        run.__annotations__ = {name: p.annotation for name, p in parameters.items()}
        ordered = sorted(parameters.values(), key=lambda p: p.default is not p.empty)
        run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [p.replace(kind=p.KEYWORD_ONLY) for p in ordered]
        )
        return run

    return decorate


@contextmanager
def usage() -> Iterator[None]:
    """Turn errors inside the block into those of wrong usage, exit code 2."""
    try:
        yield
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


@contextmanager
def suggest_skipping(skips: bool) -> Iterator[None]:
    """Add to an error about some items that an option leaves them out, unless it was given."""
    try:
        yield
    except _errors.SequenceError as error:
        if skips:
            raise
        raise ValueError(f"{error} --skip-errors leaves out such items.") from error


def drop_unfit_for(collection: Any, wanted: dict[str, Any]) -> Any:
    """Return a collection without the items that cannot be used by a method."""
    from ldslearn.evaluate.methods import METHODS
    from ldslearn.models.usability import drop_unfit

    constant = "rest" if METHODS[wanted["method"]].automatic else "raise"
    return drop_unfit(collection, wanted["n_states"], wanted["delays"], constant=constant)


@contextmanager
def on_cluster(address: str | None) -> Iterator[Callable[[], dict[str, Any]]]:
    """Work on a cluster if there is an address; yield a function that tells what happened to it."""
    if address is None:
        yield dict
        return
    import logging

    from ldslearn.scale.dask_connection import use_cluster

    with use_cluster(address) as engine:
        for name in logging.root.manager.loggerDict:
            if name.split(".")[0] in ("distributed", "asyncio"):  # what matters is raised
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        yield lambda: {"cluster": engine.summary()}


def read_data(
    data: given.Data,
    layout: given.Layout = None,
    size: given.Size = "auto",
    colour: given.Colour = False,
    crop: given.Crop = None,
    stride: given.Stride = 1,
    length: given.Length = None,
    chunk: given.Chunk = False,
    features: given.Features = "pixels",
    levels: given.Levels = None,
    labels: given.Labels = None,
    time: given.TimeColumn = None,
    columns: given.Columns = None,
    rate: given.Rate = None,
    transpose: given.Transpose = False,
    skip_errors: given.SkipErrors = False,
    jobs: given.Jobs = -1,
) -> Any:
    """Return the collection that the arguments name."""
    from ldslearn.cli.inputs import load_data

    options = reading_options(size, colour, crop, stride, length, chunk, features, levels, labels)
    options |= table_options(time, columns, rate, transpose)
    return load_data(data, layout, jobs, **options, on_error="skip" if skip_errors else "raise")


def reading_options(
    size: str,
    colour: bool,
    crop: str | None,
    stride: int,
    length: int | None,
    chunk: bool,
    features: str,
    levels: str | None,
    labels: Path | None,
) -> dict[str, Any]:
    """Return how files are read, as arguments of the library."""
    from ldslearn.cli.inputs import parse_crop, parse_size
    from ldslearn.datasets.labels_from_folders import parse_levels

    with usage():
        if levels is not None:
            parse_levels(levels)
        if chunk and length is None:
            raise ValueError("--chunk needs --length, the frames of a clip.")
        pixels, part = parse_size(size), parse_crop(crop)
        if part == "motion" and not isinstance(pixels, tuple):
            raise ValueError("--crop motion needs --size HEIGHTxWIDTH, the part to keep.")
    return {
        "size": pixels,
        "colour": colour,
        "crop": part,
        "stride": stride,
        "length": length,
        "chunk": chunk,
        "features": features,
        "levels": levels,
        "labels": labels,
    }


def table_options(
    time: str | None, columns: str | None, rate: float | None, transpose: bool
) -> dict[str, Any]:
    """Return how tables and arrays are read, as arguments of the library."""
    names = None if columns is None else tuple(name.strip() for name in columns.split(","))
    with usage():
        if names is not None and not all(names):
            raise _errors.invalid_parameter("--columns", "be names with commas between", columns)
        if rate is not None and not rate > 0:
            raise _errors.invalid_parameter("--rate", "be positive", rate)
        if transpose and (time is not None or names is not None):
            raise _errors.invalid_parameter("--transpose", "not be given with --time", transpose)
    return {"time": time, "columns": names, "rate": rate, "transpose": transpose}


def check_data_output(
    output: Path, data: Path, levels: str | None, labels: Path | None, layout: str | None
) -> Path:
    """Return where to write what is made of data, checked before the work begins."""
    from ldslearn.scale.output_checks import Input, check_output

    check_output(output, Input(data, levels, labels, is_set=layout is not None))
    return output


def output_file(
    output: given.Output,
    data: given.Data,
    levels: given.Levels = None,
    labels: given.Labels = None,
    layout: given.Layout = None,
) -> Path:
    """Return where to write what is made of data."""
    return check_data_output(output, data, levels, labels, layout)


def collection_file(
    output: given.Output,
    data: given.Data,
    levels: given.Levels = None,
    labels: given.Labels = None,
    layout: given.Layout = None,
) -> Path:
    """Return where to write a collection, checked before any of it is read."""
    with usage():
        if output.suffix.lower() != ".npz":
            raise _errors.bad_file(output, "have the suffix .npz", output.suffix or "none")
    return check_data_output(output, data, levels, labels, layout)


def result_files(
    data: given.Data,
    levels: given.Levels = None,
    labels: given.Labels = None,
    layout: given.Layout = None,
    output: given.RecordFile = None,
    report: given.ReportFile = None,
) -> tuple[Path | None, Path | None]:
    """Return where to write record and page, checked before the work begins; None for nowhere."""
    with usage():
        if output is not None and report is not None and _same_file(output, report):
            raise _errors.invalid("--report", "be another file than --output", report, "Name two.")
    for path in (output, report):
        if path is not None:
            check_data_output(path, data, levels, labels, layout)
    return output, report


def report_written(path: Path, as_json: bool, what: str = "") -> None:
    """Print what was written and how large it is, unless JSON is printed."""
    if as_json:
        return
    from ldslearn.cli import showing

    files = [path] if path.is_file() else [file for file in path.iterdir() if file.is_file()]
    size = sum(file.stat().st_size for file in files)
    text = f"{size / 1e6:,.1f} MB" if size >= 1e5 else f"{size / 1e3:,.1f} kB"
    showing.say(f"wrote {what + ' to ' if what else ''}{path}, {text}")


def _same_file(first: Path, second: Path) -> bool:
    with suppress(OSError):
        if first.samefile(second):
            return True
    return first.resolve() == second.resolve()


def write_json(path: Path, record: dict[str, Any]) -> None:
    """Write a record, whole or not at all."""
    import json

    write_text(path, json.dumps(record, indent=2, allow_nan=False))


def write_text(path: Path, text: str) -> None:
    """Write a text, whole or not at all."""
    from ldslearn._writing import atomic_write

    with atomic_write(path) as file:
        file.write(text.encode(errors="replace"))  # names of files that are not Unicode
