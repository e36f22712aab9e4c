"""Arguments that functions provide for commands, and names that command modules may use."""

import ast
import inspect
from pathlib import Path

import pytest

import ldslearn
from ldslearn import cli
from ldslearn.cli import commands
from ldslearn.cli.arguments import with_options_of

MODULES = sorted(Path(commands.__file__).parent.glob("[a-z]*.py"))


def test_providers_may_have_providers():
    def read_size(height=1, width=2):
        return height * width

    @with_options_of(size=read_size)
    def read_frames(size, length=3):
        return size * length

    @with_options_of(frames=read_frames)
    def command(frames, path, width=5):
        return path, frames, width

    names = list(inspect.signature(command).parameters)
    assert names == ["path", "width", "length", "height"]  # those that are required come first
    assert command(path="x", width=7, length=2, height=3) == ("x", 42, 7)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_commands_use_names_that_packages_export(path):
    """A submodule that a package does not import would be there in some processes only."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute)):
            continue
        if ast.unparse(node.value.value) == "ldslearn":
            package = getattr(ldslearn, node.value.attr)
            assert node.attr in getattr(package, "__all__", vars(package)), ast.unparse(node)
        elif ast.unparse(node.value.value) == "cli":
            assert hasattr(getattr(cli, node.value.attr), node.attr), ast.unparse(node)
