"""Data, command and versions behind a page."""

from collections.abc import Mapping
from typing import Any

from ldslearn.report.page import Section, format_code


def describe_data(data: Mapping[str, Any]) -> dict[str, object]:
    """Return the size of a collection by the names of its numbers, for a table."""
    shortest, longest = data["shortest"], data["longest"]
    return {
        "sequences": data["n_sequences"],
        "channels": data["n_channels"],
        "lengths": shortest if shortest == longest else f"{shortest} to {longest}",
        "classes": len(data["classes"]),
    }


def format_versions(versions: Mapping[str, str]) -> str:
    """Return the versions of packages as text."""
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def format_command(command: str, details: str) -> Section:
    """Return the section of the command that makes the page, with details below."""
    return Section("Reproduce this page", format_code(command), details)
