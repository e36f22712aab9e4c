"""Pages whose commands do not work as written are noticed."""

import os
import sys
from pathlib import Path

import pytest

from support.pages import read_steps, run_page

HERE = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": "/nonexistent"}


def console(text, note=""):
    return f"{note}```console\n{text}\n```\n"


def python(text):
    return f"```python\n{text}\n```\n"


def faults(text, folder):
    return [outcome.fault for outcome in run_page(text, folder, HERE)]


@pytest.mark.parametrize(
    "text",
    [
        console("$ echo hello"),
        console("$ echo hello\nhello"),
        console("$ printf 'a\\nb\\nc\\n'\n...\nc"),
        console("$ echo '│ seconds │ 1.004 │'\n│ seconds    │ 1.000   │"),
        console("$ echo took 12 s\ntook 93 s", "<!-- numbers vary -->\n"),
        console("$ echo model-3fa8.lds\nmodel-....lds"),
        console("$ echo 1 > file\n$ cat file  # written before\n1"),
        console("$ false", "<!-- not run: it would fail -->\n"),
        python("print(1)  # -> 1\nprint('two')\n# -> two"),
        python("print('nothing is promised')"),
        console("$ mkdir made") + python("import os\nprint(os.listdir())  # -> ['made']"),
        "```text\n$ not a command\n```",
    ],
)
def test_what_works_passes(text, tmp_path):
    assert not any(faults(text, tmp_path))


@pytest.mark.parametrize(
    "text",
    [
        console("$ false"),
        console("$ no-such-command-anywhere"),
        console("$ echo hello\ngoodbye"),
        console("$ echo hello\nhello\nand more"),
        console("$ printf 'hello\\nand more\\n'\nhello"),
        console("$ echo hello >&2\nwarning"),
        console("$ echo accuracy 97.1\naccuracy 99.9"),
        console("$ echo 12 clips\n13 clips"),
        console("$ echo took 12 minutes\ntook 93 s", "<!-- numbers vary -->\n"),
        python("raise SystemExit(1)"),
        python("print(1)  # -> 2"),
        python("print(1)  # -> 1\nprint('not promised')"),
        python("x = 1") + python("print(x)"),
    ],
)
def test_what_does_not_work_fails(text, tmp_path):
    assert faults(text, tmp_path)[-1]


def test_a_failed_step_is_told_and_the_page_goes_on(tmp_path):
    outcomes = run_page(console("$ false\n$ echo hello\nhello"), tmp_path, HERE)
    assert [outcome.fault is None for outcome in outcomes] == [False, True]
    assert str(outcomes[0]).startswith("FAILED")
    assert "exit code 1" in str(outcomes[0])
    assert "passed" in str(outcomes[1])


def test_a_server_that_ends_is_a_fault(tmp_path):
    assert "ended with exit code" in faults(console("$ dask worker --no-such-option"), tmp_path)[0]


def test_servers_are_told_from_commands():
    steps = read_steps(console("$ dask scheduler --port 8786\n$ dask worker tcp://a:1\n$ ls"))
    assert [step.is_server for step in steps] == [True, True, False]
