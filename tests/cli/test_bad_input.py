# ruff: noqa: E501  command lines and messages, one case in each line
"""Bad input gets a message that says what is wrong, in which file, and what to do about it.

All cases run in one child process, as the starts of many would take minutes; what the process
itself promises, and remedies, are tested in processes of their own.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import ldslearn
from ldslearn.cli.app import app

from support.bad_inputs import make_bad_inputs

SPARSE = "--method lds-sc-grass --states 3 --sparsity 0.1"
DRIVER = """
import contextlib, io, json, shlex, sys, warnings
from ldslearn.cli import running
warnings.showwarning = running._print_warning
found = []
for line in json.load(sys.stdin):
    running._warned.clear()
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = running.run(shlex.split(line))
    found.append([code, out.getvalue(), err.getvalue()])
print(json.dumps(found))
"""
# Command line, exit code, and what stderr says.
CASES = [
    # Items that can be read but not used
    (f"evaluate short {SPARSE} --delays 4", 1, "walk/3.csv must have at least 7 time points for 3 states and 4 delays; got 4. Fit with fewer delays, or leave it out. --skip-errors skips"),
    (f"train short {SPARSE} --delays 4 -o x.lds", 1, "walk/3.csv must have at least 7 time points"),
    ("cluster short --states 3 --delays 4", 1, "walk/3.csv must have at least 7 time points"),
    ("encode allshort -o store --states 3", 1, "at least one of 8 items must be usable; got none. The first: run/0.csv must have at least 4 time points for 3 states; got 3"),
    (f"evaluate allshort {SPARSE} --delays 4 --skip-errors", 1, "at least one of 8 items must be usable; got none"),
    ("compare new.csv new_short.csv --states 3 --delays 1", 1, "new_short.csv must have at least 4 time points for 3 states; got 3. Fit with at most 2 states"),
    ("predict model.lds new_short.csv", 1, "new_short.csv must have at least 7 time points"),
    (f"evaluate channels {SPARSE}", 1, "walk/3.csv must have the channels channel0, channel1, channel2 like run/0.csv; got channel0, channel1 (missing: channel2)"),
    ("convert channels -o x.npz", 1, "walk/3.csv must have the channels channel0, channel1, channel2 like run/0.csv; got channel0, channel1 (missing: channel2)"),
    ("compare new.csv new_channels.csv", 1, "new_channels.csv must have the channels channel0, channel1, channel2 like new.csv; got channel0, channel1"),
    ("predict model.lds new_channels.csv", 1, "new_channels.csv must have the channels channel0, channel1, channel2 like the training data; got channel0, channel1"),
    (f"evaluate constant {SPARSE}", 1, "walk/3.csv must vary over time; got a constant sequence. Leave it out"),
    ("cluster constant --states 3", 1, "walk/3.csv must vary over time"),
    ("predict model.lds new_constant.csv", 1, "new_constant.csv must vary over time"),
    ("synthesize new_constant.csv -o x.npy", 1, "new_constant.csv must vary over time"),
    (f"evaluate missing {SPARSE}", 1, "walk/3.csv must have no missing or infinite values; got 'nan' in line"),
    (f"evaluate arrays {SPARSE}", 1, "walk/9.npy must hold finite numbers; got NaN, the first in row 0, column 0"),
    (f"evaluate texts {SPARSE}", 1, "walk/3.csv must hold numbers; got 'oops' in line 2"),
    # Empty, renamed and unknown files
    (f"evaluate empty {SPARSE}", 1, "walk/3.csv must hold numbers; got an empty file (0 bytes). Copy it again, or delete it"),
    ("inspect file.avi", 1, "file.avi must be a video or image; got an empty file"),
    ("inspect file.npy", 1, "file.npy must be an .npy array; got an empty file"),
    ("inspect empty.npz", 1, "empty.npz must be a complete npz file of numbers and texts; got an empty file"),
    ("inspect text.mp4", 1, "text.mp4 must be a video or image; got a text. Rename it"),
    ("inspect image.avi", 1, "image.avi must be a video; got a PNG image. Rename it"),
    ("inspect video.csv", 1, "video.csv must hold numbers; got a video (MP4 or MOV). Rename it"),
    ("inspect sound.mp4", 1, "sound.mp4 must be a whole video or image; got sound without pictures"),
    ("inspect sound.mkv", 1, "sound.mkv must be a whole video or image; got sound without pictures"),
    ("inspect cut.mp4", 1, "cut.mp4 must be a whole video or image; got bytes that cannot be decoded"),
    ("inspect file.xlsx", 1, "the suffix '.xlsx'. In the spreadsheet, save each sheet as CSV"),
    ("inspect file.wav", 1, "the suffix '.wav'. Sound is not read"),
    ("inspect file.json", 1, "Save the numbers as CSV"),
    ("inspect file.h5", 1, "Save the numbers as CSV"),
    ("inspect file.parquet", 1, "pandas.read_parquet(path).to_csv"),
    ("inspect file.pkl", 1, "can run programs when they are opened"),
    ("inspect file.zip", 1, "Unpack it"),
    ("predict model.lds file.xlsx", 1, "file.xlsx must be a video, a folder of images, a table or an array; got the suffix '.xlsx'. In the"),
    # Folders
    ("evaluate sheets", 1, "got 2 files of the suffix '.xlsx'. In the spreadsheet, save each sheet"),
    ("evaluate nothing_in_it", 1, "nothing_in_it must hold videos, folders of images or tables, as <class>/<item>; got no files"),
    ("evaluate people", 1, "got items further down, such as anna/run/0.csv. Say what the folders mean: --levels group/class/item"),
    ("evaluate people --levels group/clas/item", 2, "Did you mean 'class'?"),
    ("evaluate people --levels class/item", 1, "people must hold every item as class/item; got anna/run/0.csv"),
    ("evaluate flat", 1, "must have labels; got none for run_0.csv and 7 more"),
    ("train flat -o x.lds", 1, "name it by --labels FILE"),
    ("cluster flat", 1, "the number of clusters must be given for data without labels; got none. Say how many: --clusters K, or --clusters auto"),
    ("evaluate flat --labels half.csv", 1, "half.csv must give every item a label; got none for 2 of 8 items: walk_2.csv, walk_3.csv. Add a line for each, such as 'walk_2.csv,LABEL'. It names ghost"),
    ("evaluate flat --labels wrong.csv", 1, "got the columns 'file', 'class'. Name the columns in the first line: item,label,split,group"),
    ("evaluate flat --labels none.csv", 1, "labels must be in a CSV file; got none.csv, which is not a file"),
    ("evaluate badlist.csv", 1, "got the columns 'file', 'label'. Name the columns in the first line: path,label,split,group"),
    ("evaluate good.npz --labels labels.csv", 1, "--labels must not be given; got a collection in .npz"),
    # Too few
    (f"evaluate single_items {SPARSE}", 1, "every class must have at least 2 items, one to train on and one to test; got 1 of class 'run' and of 1 more class. Add items"),
    (f"evaluate pairs {SPARSE} --folds 5", 1, "every class must have at least 5 items for 5 folds; got 2 of class 'run' and of 1 more class. Use at most 2 folds (--folds 2)"),
    (f"evaluate one_class {SPARSE}", 1, "at least two classes; got 4 items of the one class 'walk'"),
    (f"train one_class {SPARSE} -o x.lds", 1, "at least two classes; got 4 items of the one"),
    ("cluster good --clusters 0", 2, "--clusters must be an integer of at least 1, or auto; got '0'"),
    ("cluster good --clusters many", 2, "--clusters must be an integer of at least 1, or auto"),
    ("cluster good --method tree", 2, "--method must be one of 'kmeans', 'spectral'; got 'tree'"),
    ("cluster good --clusters 100", 1, "the number of clusters must be at most 8"),
    (f"evaluate good {SPARSE} --protocol groups", 1, "or by folders: --levels group/class/item"),
    # Models, and things in each other's place
    ("predict nothing.lds new.csv", 1, "nothing.lds must exist; got nothing of that name."),
    ("predict modl.lds new.csv", 1, "Did you mean 'model.lds'?"),
    ("predict good new.csv", 1, "good must be a model written by `ldslearn train`; got a folder. Train one on it first: ldslearn train good -o model.lds"),
    ("predict good.npz new.csv", 1, "good.npz must be a model written by `ldslearn train`; got data"),
    ("predict clip.avi new.csv", 1, "clip.avi must be a model written by `ldslearn train`; got data"),
    ("predict model.lds nothing.csv", 1, "nothing.csv must exist"),
    ("evaluate model.lds", 1, "It seems to be a model or dictionary, not data"),
    ("encode good -o store --like good", 1, "good must be a model written by `ldslearn train`; got a"),
    ("train good -o no/x.lds", 1, "no must exist to write x.lds. Create it first"),
    ("evaluate good --report no/x.html", 1, "no must exist to write x.html. Create it first"),
    # Misspelt names and impossible numbers
    ("evaluate good --transpose --columns x,y", 2, "--transpose must not be given with --columns; got --columns x,y. Leave one of them out"),
    ("evaluate good --transpose --time t", 2, "--transpose must not be given with --time; got --time t. Leave one of them out"),
    ("evaluate good --method lds-sc-gras", 2, "Did you mean 'lds-sc-grass'?"),
    ("evaluate good --protocol fold:5", 2, "Did you mean 'folds:5'?"),
    ("evaluate good --protocol folds:1", 2, "protocol must have at least 2 folds; got 'folds:1'"),
    ("evaluate good --stabilizer sofft", 2, "Did you mean 'soft'?"),
    ("evaluate good --set cambrige", 2, "Did you mean 'cambridge'?"),
    ("evaluate good --states -1", 2, "greater than or equal to 1"),
    ("evaluate good --size 0x10", 2, "--size must have a height and width of at least 1"),
    ("evaluate good --jobs 0", 2, "--jobs must be a number of threads, or -1; got 0"),
    ("evaluate good --states 3", 2, "--states must not be given to the method auto"),
]  # fmt: skip
# Command line, and what stderr and stdout say of a run that goes on.
REMEDIES = [
    (f"evaluate short {SPARSE} --delays 4 --folds 2 --skip-errors", "1 item was skipped, the first because: walk/3.csv must have at least 7", "skipped (1)"),
    (f"evaluate short {SPARSE} --delays 1 --folds 2", "", "accuracy"),
    (f"evaluate short {SPARSE} --folds 2", "", "accuracy"),
    ("evaluate short --budget 0.5 --folds 2", "(walk/3.csv): their last samples were repeated", "acc"),
    (f"evaluate channels {SPARSE} --folds 2 --skip-errors", "walk/3.csv must have the channels channel0, channel1, channel2", "acc"),
    (f"evaluate constant {SPARSE} --folds 2 --skip-errors", "walk/3.csv must vary over time", "skipp"),
    (f"evaluate arrays {SPARSE} --folds 2 --skip-errors", "walk/9.npy must hold finite", "accuracy"),
    (f"train empty {SPARSE} -o y.lds --skip-errors", "got an empty file", "wrote y.lds, "),
    ("cluster constant --states 3 --skip-errors", "walk/3.csv must vary", "skipped (1)"),
    ("predict model.lds new_channels.csv new.csv new_short.csv new_constant.csv --skip-errors", "2 items were skipped, the first because: new_short.csv must", "skipped (3)"),
    ("evaluate flat --labels labels.csv --folds 2 " + SPARSE, "", "run (4), walk (4)"),
    ("inspect flat --labels half.csv", "skipped 1 row of half.csv without a matching item: ghost", "skipped (2)"),
    ("predict model.lds flat --labels labels.csv", "", "accuracy"),
    ("encode flat --labels labels.csv -o store1 --states 3", "", "wrote store1, "),
    ("convert flat --labels labels.csv -o flat.npz", "", "wrote flat.npz, "),
    (f"evaluate people --levels group/class/item --protocol groups {SPARSE}", "", "groups      │ 2"),
    ("inspect people --levels class/*/item", "", "anna (8), ben (8)"),
    (f"evaluate pairs --folds 2 {SPARSE}", "", "accuracy"),
    (f"evaluate litter --folds 2 {SPARSE} -o r.json --report r.html", "", "wrote r.json, "),
    ("train single_items --budget 0.5 -o z.lds", "one sequence or group only", "unknown: one item per"),
    ("inspect clip.mp4 --size 6x8 --stride 2 --length 5", "", "6 x 8"),
    ("inspect new.csv", "", "30 time points"),
    ("synthesize new.csv -o new.npy --states 20", "", "wrote 100 frames like new.csv to new.npy, "),
]  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    root = tmp_path_factory.mktemp("bad")
    make_bad_inputs(root)
    return root


@pytest.fixture(scope="module")
def answers(home):
    """What each command line answers: exit code, stdout and stderr in one line each."""
    lines = [line for line, *_ in [*CASES, *REMEDIES]]
    done = subprocess.run(
        [sys.executable, "-c", DRIVER], input=json.dumps(lines), capture_output=True, text=True,
        cwd=home, env=environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return dict(zip(lines, json.loads(done.stdout), strict=True))


def environment():
    return {**os.environ, "COLUMNS": "400"}


@pytest.mark.parametrize(("line", "code", "message"), CASES, ids=[line for line, *_ in CASES])
def test_mistakes_are_explained(answers, line, code, message):
    got, out, err = answers[line]
    assert got == code
    assert message in err
    assert out == ""
    assert err.count("error:") == (code == 1)
    assert len(err.strip().splitlines()) == 1 or code == 2
    assert "sequence 7" not in err
    assert "Error " not in err.replace("Error: ", "")  # no names of Python's exceptions


@pytest.mark.parametrize(
    ("line", "warning", "shown"), REMEDIES, ids=[line for line, *_ in REMEDIES]
)
def test_remedies_work(answers, line, warning, shown):
    code, out, err = answers[line]
    assert code == 0, err
    assert shown in out
    assert warning in err
    assert bool(warning) == bool(err)
    assert all(one.startswith("warning: ") for one in err.splitlines())


def options_of(name):
    command = typer.main.get_command(app).commands[name]
    return {o for p in command.params for o in (*p.opts, *p.secondary_opts)}


def test_options_that_messages_advise_are_there(answers):
    for line, (_, _, err) in answers.items():
        command = line.split()[0]
        for advised in re.findall(r"(?<![\w-])--[a-z][a-z-]+", err):
            if advised == "--help":
                continue
            assert advised in options_of(command), f"{line}: {advised}"


def test_every_option_in_a_message_belongs_to_a_command():
    known = {o for name in typer.main.get_command(app).commands for o in options_of(name)}
    foreign = {"--nthreads", "--help", "--version"}  # of dask, and of all
    for path in Path(ldslearn.__file__).parent.rglob("*.py"):
        if path.parent.name in ("drawing", "report"):  # variables of style sheets
            continue
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", path.read_text()):
            assert option in known | foreign, f"{path.name}: {option}"


def command(home, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "ldslearn", *arguments], capture_output=True, text=True, cwd=home,
        env=environment(),
    )  # fmt: skip


def test_a_process_tells_the_file_and_exits_with_1(home):
    done = command(home, "evaluate", "constant", *SPARSE.split())
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("error: walk/3.csv must vary over time; got a constant sequence.")
    assert done.stderr.endswith("--skip-errors skips such items.\n")


def test_a_process_goes_on_and_warns_once(home):
    done = command(home, "evaluate", "constant", *SPARSE.split(), "--skip-errors")
    assert done.returncode == 0
    assert done.stderr.count("warning:") == 1
    assert re.search(r"walk/3.csv *│ walk/3.csv must vary over time", done.stdout)
