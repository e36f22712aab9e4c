"""Arguments that several commands share, and the values that commands receive in their place."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ldslearn import _errors, cli
from ldslearn.cli import options as given
from ldslearn.cli.errors import raise_usage_errors
from ldslearn.cli.parsing import parse_columns, parse_crop, parse_size

Result = TypeVar("Result")


def takes(
    **providers: Callable[..., Any],
) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Replace arguments of a function by the arguments of the functions that provide them.

    ``@takes(collection=read_data)`` adds the arguments of ``read_data`` to the command line, and
    passes its result as ``collection``. Arguments of the same name are one argument. Providers
    may have providers themselves.
    """

    def decorate(function: Callable[..., Result]) -> Callable[..., Result]:
        signatures = {name: inspect.signature(one).parameters for name, one in providers.items()}
        own = {
            name: parameter
            for name, parameter in inspect.signature(function).parameters.items()
            if name not in providers
        }
        parameters = dict(own)
        for signature in signatures.values():
            parameters.update(signature)

        def run(**values: Any) -> Result:
            provided = {
                name: provider(**{key: values[key] for key in signatures[name]})
                for name, provider in providers.items()
            }
            return function(**provided, **{name: values[name] for name in own})

        run.__name__, run.__doc__ = function.__name__, function.__doc__
        run.__annotations__ = {name: p.annotation for name, p in parameters.items()}
        ordered = sorted(parameters.values(), key=lambda p: p.default is not p.empty)
        run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [p.replace(kind=p.KEYWORD_ONLY) for p in ordered]
        )
        return run

    return decorate


def table_options(
    time: given.TimeColumn = None,
    columns: given.Columns = None,
    rate: given.Rate = None,
    transpose: given.Transpose = False,
) -> dict[str, Any]:
    """Return how tables and arrays are read, as arguments of the library."""
    with raise_usage_errors():
        names = parse_columns(columns)
        if rate is not None and not rate > 0:
            raise _errors.invalid_parameter("--rate", "be positive", rate)
        if transpose and (time is not None or names is not None):
            raise _errors.invalid_parameter("--transpose", "not be given with --time", transpose)
    return {"time": time, "columns": names, "rate": rate, "transpose": transpose}


@takes(table=table_options)
def reading_options(
    table: dict[str, Any],
    size: given.Size = "auto",
    colour: given.Colour = False,
    crop: given.Crop = None,
    stride: given.Stride = 1,
    length: given.Length = None,
    chunk: given.Chunk = False,
    features: given.Features = "pixels",
    levels: given.Levels = None,
    labels: given.Labels = None,
) -> dict[str, Any]:
    """Return how files are read, as arguments of the library."""
    with raise_usage_errors():
        cli.inputs.check_levels(levels)
        if chunk and length is None:
            raise ValueError("--chunk requires --length, the number of frames per clip.")
        pixels, part = parse_size(size), parse_crop(crop)
        if part == "motion" and not isinstance(pixels, tuple):
            raise ValueError("--crop motion requires --size HEIGHTxWIDTH, the part to keep.")
    return {
        "size": pixels, "colour": colour, "crop": part, "stride": stride, "length": length,
        "chunk": chunk, "features": features, "levels": levels, "labels": labels, **table,
    }  # fmt: skip


@takes(options=reading_options)
def read_data(
    options: dict[str, Any],
    data: given.Data,
    layout: given.Layout = None,
    skip_errors: given.SkipErrors = False,
    jobs: given.Jobs = -1,
) -> Any:
    """Return the collection that the arguments name."""
    on_error = "skip" if skip_errors else "raise"
    return cli.inputs.load_data(data, layout, jobs, **options, on_error=on_error)


def find_input(
    data: given.Data,
    levels: given.Levels = None,
    labels: given.Labels = None,
    layout: given.Layout = None,
) -> Any:
    """Return what is read, so that no output replaces a part of it."""
    return cli.outputs.find_input(data, levels, labels, layout)


@takes(source=find_input)
def output_file(source: Any, output: given.Output) -> Path:
    """Return the file to write, checked before the work begins."""
    return cli.outputs.check_outputs([output], source)[0]


@takes(source=find_input)
def collection_file(source: Any, output: given.Output) -> Path:
    """Return the .npz file to write, checked before the work begins."""
    with raise_usage_errors():
        if output.suffix.lower() != ".npz":
            raise _errors.bad_file(output, "have the suffix .npz", output.suffix or "none")
    return cli.outputs.check_outputs([output], source)[0]


@takes(source=find_input)
def result_files(
    source: Any, output: given.RecordFile = None, report: given.ReportFile = None
) -> tuple[Path | None, Path | None]:
    """Return the files for record and page, checked before the work begins; None if not wanted."""
    with raise_usage_errors():
        cli.outputs.check_different(output, report)
    cli.outputs.check_outputs([path for path in (output, report) if path is not None], source)
    return output, report
