"""The command ``ldslearn make-clips``."""

from pathlib import Path
from typing import Annotated

import typer

import ldslearn
from ldslearn import cli
from ldslearn.cli import options


def make_clips(
    folder: Annotated[Path, typer.Argument(help="Folder to create; it must be new or empty.")],
    per_class: Annotated[int, typer.Option(help="Clips per class; six classes.", min=1)] = 10,
    size: Annotated[int, typer.Option(help="Pixels per side.", min=8)] = 32,
    frames: Annotated[int, typer.Option(help="Frames per clip.", min=2)] = 60,
    seed: options.Seed = 0,
) -> None:
    """Write a folder of small AVI clips of moving textures, to try the other commands on."""
    cli.outputs.check_folder(folder, must_be_empty=True)
    videos, kinds = ldslearn.datasets.make_dynamic_textures(
        n_per_class=per_class, size=size, n_frames=frames, random_state=seed
    )
    for index, (video, kind) in enumerate(zip(videos, kinds, strict=True)):
        (folder / kind).mkdir(parents=True, exist_ok=True)
        ldslearn.video.write_video(folder / kind / f"{index % per_class}.avi", 255 * video)
    cli.tables.print_line(
        f"wrote {len(videos)} clips of {size} x {size} pixels and {frames} frames to {folder}"
    )
