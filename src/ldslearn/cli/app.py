"""The application: its help, its version and its commands."""

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

import ldslearn
from ldslearn.cli.commands.cluster import cluster
from ldslearn.cli.commands.code import code
from ldslearn.cli.commands.compare import compare
from ldslearn.cli.commands.convert import convert
from ldslearn.cli.commands.demo import demo
from ldslearn.cli.commands.encode import encode
from ldslearn.cli.commands.evaluate import evaluate
from ldslearn.cli.commands.index import index
from ldslearn.cli.commands.inspect import inspect
from ldslearn.cli.commands.learn import learn
from ldslearn.cli.commands.make_clips import make_clips
from ldslearn.cli.commands.predict import predict
from ldslearn.cli.commands.reproduce import reproduce
from ldslearn.cli.commands.search import search
from ldslearn.cli.commands.synthesize import synthesize
from ldslearn.cli.commands.train import train
from ldslearn.cli.commands.watch import watch
from ldslearn.cli.errors import suggest_skipping
from ldslearn.cli.terminal import load_module

COMMANDS = (
    demo, make_clips, inspect, evaluate, train, predict, watch, cluster, compare, synthesize,
    convert, reproduce, encode, learn, code, index, search,
)  # fmt: skip


class _PlainFlags:
    """Help that shows no type for flags, which take no value: ``--json``, not ``--json <bool>``."""

    def get_params(self, ctx: Any) -> list[Any]:
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for one in found:
            if getattr(one, "is_flag", False):
                one.metavar = ""
        return found


class _Command(_PlainFlags, TyperCommand):
    pass


class _Group(_PlainFlags, TyperGroup):
    pass


app = typer.Typer(
    cls=_Group,
    help="Classify, cluster, compare and synthesize videos and other time series. One linear "
    "dynamical system is fitted to each sequence.\n\nTry: ldslearn make-clips clips; ldslearn "
    "evaluate clips; ldslearn train clips -o model.lds; ldslearn predict model.lds "
    "clips/flag/0.avi",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _print_version(is_given: bool) -> None:
    if is_given:
        print(f"ldslearn {ldslearn.__version__}")
        raise typer.Exit


@app.callback()
def _declare_options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    pass


def _wrap(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with a line while the library is loaded, and the hint to --skip-errors."""

    @wraps(command)
    def run(**values: Any) -> None:
        load_module("ldslearn.datasets")  # most of what takes time; all commands need it
        with suggest_skipping(values.get("skip_errors", True)):
            command(**values)

    return run


for _command in COMMANDS:
    app.command(cls=_Command)(_wrap(_command))
