"""Arguments and options that several commands share, each worded once."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from ldslearn import _errors

_FILES, MODEL, _SHOWN = "How files are read", "The model", "Output"


def one_of(option: str, module: str, names: str) -> Callable[[str | None], str | None]:
    """Check a name against those of a module, which is imported when it is needed."""

    def check(value: str | None) -> str | None:
        if value is not None and value not in (known := getattr(import_module(module), names)):
            raise typer.BadParameter(str(_errors.unknown_name(option, value, known)))
        return value

    return check


def _jobs(number: int) -> int:
    if number == 0:
        rule = "be a number of threads, or -1"
        raise typer.BadParameter(str(_errors.invalid_parameter("--jobs", rule, number)))
    return number


Data = Annotated[
    Path,
    typer.Argument(
        help="A folder <class>/<item>, a manifest.csv (path,label,split,group), or a collection in "
        "one file: .npz, .ts, .arff, .mat.",
        show_default=False,
    ),
]
Layout = Annotated[
    str | None,
    typer.Option(
        "--set",
        help="Read DATA by the layout of one of the paper's sets: cambridge, ucsd, ucla, dyntexpp, "
        "sd, spr, bdh. evaluate and train then take the paper's protocol and parameters where "
        "none are given.",
        callback=one_of("--set", "ldslearn.cli.inputs", "LAYOUTS"),
        rich_help_panel=_FILES,
    ),
]
Size = Annotated[
    str,
    typer.Option(
        help="Frames become HEIGHTxWIDTH; 'auto' shrinks to 48 pixels per side, "
        "'keep' leaves them.",
        rich_help_panel=_FILES,
    ),
]
Colour = Annotated[
    bool, typer.Option("--colour", help="Keep colours.", rich_help_panel=_FILES)
]  # fmt: skip
Crop = Annotated[
    str | None,
    typer.Option(
        help="Part of each frame: TOP,LEFT,HEIGHT,WIDTH; or 'motion', the part of --size whose "
        "pixels vary most over time.",
        rich_help_panel=_FILES,
    ),
]
Stride = Annotated[
    int, typer.Option(help="Keep every n-th frame.", min=1, rich_help_panel=_FILES)
]  # fmt: skip
Length = Annotated[
    int | None, typer.Option(help="Frames kept of each item.", min=1, rich_help_panel=_FILES)
]
Chunk = Annotated[
    bool,
    typer.Option(
        "--chunk", help="Cut long items into clips of --length.", rich_help_panel=_FILES
    ),
]  # fmt: skip
Features = Annotated[
    str,
    typer.Option(
        help="pixels or lbp-top.",
        callback=one_of("--features", "ldslearn.datasets.reading_settings", "FEATURES"),
        rich_help_panel=_FILES,
    ),
]
TimeColumn = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="COLUMN|none",
        help="Column of time of tables, by name or number; 'none' if all columns are channels. "
        "Recognised when not given.",
        show_default=False,
        rich_help_panel=_FILES,
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="A,B,C",
        help="Columns of tables that are channels, by name or number; all but time when not given.",
        show_default=False,
        rich_help_panel=_FILES,
    ),
]
Rate = Annotated[
    float | None,
    typer.Option(
        "--rate",
        metavar="HZ",
        help="Resample to so many time points per second.",
        show_default=False,
        rich_help_panel=_FILES,
    ),
]
Transpose = Annotated[
    bool,
    typer.Option(
        "--transpose",
        help="Rows of .npy arrays are time points (rows of tables: channels).",
        rich_help_panel=_FILES,
    ),
]
Levels = Annotated[
    str | None,
    typer.Option(
        help="What the folders above an item say: group/class/item, split/class/item, ...; "
        "'*' is a folder that says nothing.",
        rich_help_panel=_FILES,
    ),
]
Labels = Annotated[
    Path | None,
    typer.Option(
        help="A CSV file with the columns item,label and perhaps group,split, for items that are "
        "not in class folders.",
        rich_help_panel=_FILES,
    ),
]
SkipErrors = Annotated[
    bool,
    typer.Option(
        "--skip-errors",
        help="Leave out items that cannot be read or used, and list them; else the first one stops "
        "the run.",
        rich_help_panel=_FILES,
    ),
]
ProtocolText = Annotated[
    str | None,
    typer.Option(
        "--protocol",
        "-p",
        help="folds:K, shuffle:REPEATS:FRACTION, split (the data's own), split:PART, split:each, "
        "trials, groups, or a set of the paper. Default: that of --set; else the data's parts "
        "train and test, else folds:5.",
    ),
]
Folds = Annotated[int | None, typer.Option(help="Short for --protocol folds:K.", min=2)]
Output = Annotated[
    Path, typer.Option("--output", "-o", help="The file to write.", show_default=False)
]
RecordFile = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write the record here, as JSON.")
]
ReportFile = Annotated[
    Path | None, typer.Option("--report", help="Write an HTML page of the results here.")
]
FixedStates = Annotated[
    int | None,
    typer.Option(
        "--states",
        "-n",
        help="Order of each system; ten, or what is possible, when not given.",
        min=1,
        rich_help_panel=MODEL,
    ),
]
Delays = Annotated[
    int | None,
    typer.Option(
        help="Lagged copies of each sample; enough for ten channels when not given.",
        min=1,
        rich_help_panel=MODEL,
    ),
]
Stabilizer = Annotated[
    str,
    typer.Option(
        help="soft, dwls, wls, constraint, clip, scale or none.",
        callback=one_of("--stabilizer", "ldslearn.models", "STABILIZERS"),
        rich_help_panel=MODEL,
    ),
]
Seed = Annotated[int, typer.Option(help="Of all that is random.", min=0, rich_help_panel=MODEL)]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs", "-j", help="Threads; -1 is one per core.", callback=_jobs, rich_help_panel=_SHOWN
    ),
]
ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Address of a Dask scheduler, tcp://HOST:PORT, whose workers see the same files; this "
        "process works when not given.",
        rich_help_panel=_SHOWN,
    ),
]
Json = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON document instead.", rich_help_panel=_SHOWN),
]
