"""Options as arguments of the library: which data are read and how, and which files are written.

The options and their help are in `options`; those of methods and protocols in `method_options`.
"""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ldslearn import _errors, cli
from ldslearn.cli import options
from ldslearn.cli.errors import raise_usage_errors
from ldslearn.cli.parsing import parse_columns, parse_crop, parse_size

Result = TypeVar("Result")


def with_options_of(
    **providers: Callable[..., Any],
) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Replace arguments of a function by the arguments of the functions that provide them.

    ``@with_options_of(collection=read_data)`` adds the arguments of ``read_data`` to the command
    line, and passes its result as ``collection``. Arguments of the same name are one argument: a
    command that itself uses an argument of a provider has it in its signature as well. Providers
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
    time: options.TimeColumn = None,
    columns: options.Columns = None,
    rate: options.Rate = None,
    transpose: options.Transpose = False,
) -> dict[str, Any]:
    """Return how tables and arrays are read, as arguments of the library."""
    with raise_usage_errors():
        names = parse_columns(columns)
        if rate is not None and not rate > 0:
            raise _errors.invalid_parameter("--rate", "be positive", rate)
        for option, value in (("--time", time), ("--columns", columns)):
            if transpose and value is not None:
                raise _errors.invalid(
                    "--transpose", f"not be given with {option}", f"{option} {value}",
                    "Leave one of them out: with --transpose, rows of tables are channels.",
                )  # fmt: skip
    return {"time": time, "columns": names, "rate": rate, "transpose": transpose}


@with_options_of(table=table_options)
def reading_options(
    table: dict[str, Any],
    size: options.Size = "auto",
    colour: options.Colour = False,
    crop: options.Crop = None,
    stride: options.Stride = 1,
    length: options.Length = None,
    chunk: options.Chunk = False,
    features: options.Features = "pixels",
    levels: options.Levels = None,
    labels: options.Labels = None,
    missing: options.Missing = "raise",
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
        "chunk": chunk, "features": features, "levels": levels, "labels": labels,
        "gaps": missing == "smooth", **table,
    }  # fmt: skip


@with_options_of(reading=reading_options)
def read_data(
    reading: dict[str, Any],
    data: options.Data,
    layout: options.Layout = None,
    skip_errors: options.SkipErrors = False,
    jobs: options.Jobs = -1,
) -> Any:
    """Return the collection that the arguments name."""
    on_error = "skip" if skip_errors else "raise"
    return cli.inputs.load_data(data, layout, jobs, **reading, on_error=on_error)


def find_input(
    data: options.Data,
    levels: options.Levels = None,
    labels: options.Labels = None,
    layout: options.Layout = None,
) -> Any:
    """Return what is read, so that no output replaces a part of it."""
    return cli.outputs.find_input(data, levels, labels, layout)


@with_options_of(source=find_input)
def output_file(source: Any, output: options.Output) -> Path:
    """Return the file to write, checked before the work begins."""
    return cli.outputs.check_outputs([output], source)[0]


@with_options_of(source=find_input)
def collection_file(source: Any, output: options.Output) -> Path:
    """Return the .npz file to write, checked before the work begins."""
    with raise_usage_errors():
        if output.suffix.lower() != ".npz":
            raise _errors.bad_file(output, "have the suffix .npz", output.suffix or "none")
    return cli.outputs.check_outputs([output], source)[0]


@with_options_of(source=find_input)
def result_files(
    source: Any, output: options.RecordFile = None, report: options.ReportFile = None
) -> tuple[Path | None, Path | None]:
    """Return the files for record and page, checked before the work begins; None if not given."""
    with raise_usage_errors():
        cli.outputs.check_different(output, report)
    cli.outputs.check_outputs([path for path in (output, report) if path is not None], source)
    return output, report
