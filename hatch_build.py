"""Change README for PyPI, which shows it without the other files: links become absolute."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


def link_absolutely(text: str, source: str) -> str:
    """Return Markdown whose links to files lead to a repository; images, to their raw content.

    Parameters
    ----------
    text : str
    source : str
        Address of the repository.
    """
    relative = r"\]\((?![a-z]+:|#)([^)\s]+)\)"
    text = re.sub(rf"(!\[[^\]]*){relative}", rf"\1]({source}/raw/main/\2)", text)
    return re.sub(relative, rf"]({source}/blob/main/\1)", text)


class ReadmeHook(MetadataHookInterface):
    """Sets the long description of the package."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add ``readme`` to the metadata."""
        text = (Path(self.root) / "README.md").read_text("utf-8")
        text = link_absolutely(text, metadata["urls"]["Source"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
