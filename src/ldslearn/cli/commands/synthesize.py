"""The command ``ldslearn synthesize``."""

from pathlib import Path
from typing import Annotated

import typer

import ldslearn
from ldslearn import cli
from ldslearn.cli import options
from ldslearn.cli.arguments import table_options
from ldslearn.cli.errors import raise_usage_errors


def synthesize(
    source: Annotated[
        Path, typer.Argument(help="A video or array to imitate, a collection of them, or a model.")
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="File to write: .gif, .avi, .mp4, .mkv or .npy."),
    ],
    colour: options.Colour = False,
    index: Annotated[
        int, typer.Option(help="Number of the sequence or of the model's system, from 0.", min=0)
    ] = 0,
    frames: Annotated[int, typer.Option(help="Number of new frames.", min=2)] = 100,
    states: Annotated[
        int | None,
        typer.Option(
            "--states",
            "-n",
            help="Number of states. Default: 20, or fewer if the data require it.",
            min=1,
            rich_help_panel=options.MODEL,
        ),
    ] = None,
    size: options.Size = "keep",
    enlarge: Annotated[
        int, typer.Option(help="Draw each pixel as a square of N x N pixels.", min=1)
    ] = 1,
    rate: Annotated[float, typer.Option(help="Frames per second.")] = 25.0,
    time: options.TimeColumn = None,
    columns: options.Columns = None,
    transpose: options.Transpose = False,
    seed: options.Seed = 0,
) -> None:
    """Generate new frames from the system of a video, or from a system or atom of a model.

    The first state is sampled at random (--seed), so the frames do not start as the video does.
    """
    with raise_usage_errors():
        cli.library.synthesis.check_suffix(output)
    cli.outputs.check_outputs([output], cli.outputs.find_input(source))
    if cli.inputs.is_model(source):
        name, model = str(source), ldslearn.persist.Model.load(source)
        sequence = cli.library.synthesis.synthesize_from_systems(model.systems, index, frames, seed)
        shape = model.frame_shape
    else:
        table = table_options(time, columns, None, transpose)
        data = cli.inputs.read_one(source, index, size, colour, **table)
        name = data.names[0]
        sequence, shape = cli.library.synthesis.synthesize_from_sequence(data, states, frames, seed)
    cli.library.synthesis.write_sequence(output, sequence, shape, enlarge=enlarge, frame_rate=rate)
    cli.outputs.report_written(output, False, f"{frames} frames like {name}")
