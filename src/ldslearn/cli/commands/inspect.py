"""The command ``ldslearn inspect``."""

from typing import Any

from ldslearn import cli
from ldslearn.cli import options
from ldslearn.cli.arguments import reading_options, with_options_of


@with_options_of(reading=reading_options)
def inspect(
    reading: dict[str, Any],
    path: options.Data,
    layout: options.Layout = None,
    as_json: options.Json = False,
) -> None:
    """Describe a model, a dictionary, a store, a collection, a folder or a file.

    Items that cannot be read are listed.
    """
    cli.inspecting.inspect_path(path, layout, reading, as_json)
