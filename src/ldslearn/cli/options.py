"""Arguments and options that several commands share, with one help text each."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ldslearn import _errors
from ldslearn.cli.terminal import load_module

MODEL = "Model"
_FILES = "Reading files"
_RUN = "Computing and printing"


def check_choice(option: str, module: str, names: str) -> Callable[[str | None], str | None]:
    """Return a check of a value against names in a module, which is imported by the check."""

    def check(value: str | None) -> str | None:
        if value is not None and value not in (known := getattr(load_module(module), names)):
            raise typer.BadParameter(str(_errors.unknown_name(option, value, known)))
        return value

    return check


def _check_jobs(number: int) -> int:
    if number == 0:
        rule = "be a number of threads, or -1"
        raise typer.BadParameter(str(_errors.invalid_parameter("--jobs", rule, number)))
    return number


Data = Annotated[
    Path,
    typer.Argument(
        help="A folder <class>/<item>, a manifest.csv (path,label,split,group), or one file with "
        "all sequences: .npz, .ts, .arff, .mat.",
        show_default=False,
    ),
]
Layout = Annotated[
    str | None,
    typer.Option(
        "--set",
        help="Read data in the folder layout of a data set of the paper: cambridge, ucsd, ucla, "
        "dyntexpp, sd, spr, bdh.",
        callback=check_choice("--set", "ldslearn.cli.inputs", "LAYOUTS"),
        rich_help_panel=_FILES,
    ),
]
Size = Annotated[
    str,
    typer.Option(
        help="Resize frames to HEIGHTxWIDTH. 'auto': shrink to at most 48 pixels per side. "
        "'keep': do not resize.",
        rich_help_panel=_FILES,
    ),
]
Colour = Annotated[
    bool, typer.Option("--colour", help="Keep colours. Default: grey.", rich_help_panel=_FILES)
]  # fmt: skip
Crop = Annotated[
    str | None,
    typer.Option(
        help="Crop frames to TOP,LEFT,HEIGHT,WIDTH. 'motion': to the window of size --size whose "
        "pixels vary most over time.",
        rich_help_panel=_FILES,
    ),
]
Stride = Annotated[
    int, typer.Option(help="Keep every n-th frame.", min=1, rich_help_panel=_FILES)
]  # fmt: skip
Length = Annotated[
    int | None,
    typer.Option(help="Keep the first N frames of each item.", min=1, rich_help_panel=_FILES),
]
Chunk = Annotated[
    bool,
    typer.Option(
        "--chunk", help="Split long items into clips of --length frames.", rich_help_panel=_FILES
    ),
]  # fmt: skip
Features = Annotated[
    str,
    typer.Option(
        help="pixels or lbp-top (texture features).",
        callback=check_choice("--features", "ldslearn.datasets.reading_settings", "FEATURES"),
        rich_help_panel=_FILES,
    ),
]
TimeColumn = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="COLUMN|none",
        help="Time column of tables, by name or number. 'none': all columns are channels. "
        "Default: recognized by name and values.",
        show_default=False,
        rich_help_panel=_FILES,
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="A,B,C",
        help="Columns of tables to use as channels, by name or number. Default: all but time.",
        show_default=False,
        rich_help_panel=_FILES,
    ),
]
Rate = Annotated[
    float | None,
    typer.Option(
        "--rate",
        metavar="HZ",
        help="Resample to this number of time points per second.",
        show_default=False,
        rich_help_panel=_FILES,
    ),
]
Transpose = Annotated[
    bool,
    typer.Option(
        "--transpose",
        help="Rows of .npy arrays are time points, rows of tables are channels.",
        rich_help_panel=_FILES,
    ),
]
Missing = Annotated[
    str,
    typer.Option(
        "--missing",
        help="What to do with missing values: empty cells, NaN or NA. 'raise': stop with an error. "
        "'smooth': accept them, and gaps between time stamps; systems are fitted to the samples "
        "that exist.",
        callback=check_choice("--missing", "ldslearn.models.encoder_gaps", "MISSING_POLICIES"),
        rich_help_panel=_FILES,
    ),
]
Levels = Annotated[
    str | None,
    typer.Option(
        help="Meaning of the folders above an item: group/class/item, split/class/item, ... "
        "'*': ignore this level.",
        rich_help_panel=_FILES,
    ),
]
Labels = Annotated[
    Path | None,
    typer.Option(
        help="CSV file with the columns item,label and optionally group,split, for items that "
        "are not in class folders.",
        rich_help_panel=_FILES,
    ),
]
SkipErrors = Annotated[
    bool,
    typer.Option(
        "--skip-errors",
        help="Skip and list items that cannot be read or used. Default: stop at the first such "
        "item.",
        rich_help_panel=_FILES,
    ),
]
ProtocolText = Annotated[
    str | None,
    typer.Option(
        "--protocol",
        "-p",
        help="folds:K (cross-validation), shuffle:REPEATS:FRACTION (random splits that test a "
        "fraction), split (the data's own), split:PART (test this part), split:each (test each "
        "part in turn), trials (published with the data), groups (leave one group out), or a data "
        "set of the paper. Default: the protocol of --set, or else the data's train/test split, "
        "or else folds:5.",
    ),
]
Folds = Annotated[int | None, typer.Option(help="Short for --protocol folds:K.", min=2)]
Output = Annotated[Path, typer.Option("--output", "-o", help="File to write.", show_default=False)]
RecordFile = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write the results to this JSON file.")
]
ReportFile = Annotated[
    Path | None, typer.Option("--report", help="Write an HTML report to this file.")
]
FixedStates = Annotated[
    int | None,
    typer.Option(
        "--states",
        "-n",
        help="Number of states per system. Default: 10, or fewer if the data require it.",
        min=1,
        rich_help_panel=MODEL,
    ),
]
Delays = Annotated[
    int | None,
    typer.Option(
        help="Number of lagged copies stacked per sample. Default: enough for ten stacked "
        "channels.",
        min=1,
        rich_help_panel=MODEL,
    ),
]
Stabilizer = Annotated[
    str,
    typer.Option(
        help="How systems are made stable: soft, dwls, wls, constraint, clip, scale or none.",
        callback=check_choice("--stabilizer", "ldslearn.models", "STABILIZERS"),
        rich_help_panel=MODEL,
    ),
]
Seed = Annotated[int, typer.Option(help="Random seed.", min=0)]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        "-j",
        help="Number of threads, or of rounds at a time; -1: one per core.",
        callback=_check_jobs,
        rich_help_panel=_RUN,
    ),
]
ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Address of a Dask scheduler, tcp://HOST:PORT, whose workers see the same files. "
        "Default: work in this process.",
        rich_help_panel=_RUN,
    ),
]
Json = Annotated[
    bool,
    typer.Option("--json", help="Print JSON instead of tables.", rich_help_panel=_RUN),
]
Store = Annotated[
    Path, typer.Argument(help="A store: a folder written by encode.", show_default=False)
]  # fmt: skip
