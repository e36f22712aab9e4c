"""ldslearn inspect."""

from typing import Any

from ldslearn import cli
from ldslearn.cli import options as given
from ldslearn.cli.arguments import reading_options, takes


@takes(options=reading_options)
def inspect(
    options: dict[str, Any],
    path: given.Data,
    layout: given.Layout = None,
    as_json: given.Json = False,
) -> None:
    """Describe a model, a dictionary, a store, a collection, a folder or a file.

    Items that cannot be read are listed.
    """
    cli.inspecting.inspect_path(path, layout, options, as_json)
