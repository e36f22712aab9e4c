import re
import time
from types import SimpleNamespace

import pytest

from ldslearn import _progress
from ldslearn._parallel import for_each_block


def test_progress_appears_in_a_terminal_only(monkeypatch, capsys):
    monkeypatch.setattr(_progress, "_SECONDS_BEFORE_PROGRESS", 0.0)
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)

    def work(block):
        time.sleep(0.02)

    for_each_block(work, 20, n_jobs=1, description="fitting systems")
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    for_each_block(work, 20, n_jobs=1, description="fitting systems")
    assert "fitting systems" in capsys.readouterr().err


def test_nested_work_is_named_next_to_the_bar(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")  # a terminal, for rich
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(_progress, "_SECONDS_BEFORE_PROGRESS", -1.0)
    with _progress.show_progress("evaluating", 2) as advance:
        advance(1, "round 2 of 2")
        for_each_block(lambda block: None, 3, n_jobs=1, description="fitting systems")
    assert "round 2 of 2: fitting systems" in capsys.readouterr().err
    assert _progress._describe_nested is None


def test_work_may_be_described_instead_of_what_is_nested_in_it(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(_progress, "_SECONDS_BEFORE_PROGRESS", -1.0)
    with _progress.show_progress("round 1 of 2", 2), _progress.describe_work("compiling"):
        for_each_block(lambda block: None, 3, n_jobs=1, description="fitting systems")
    shown = capsys.readouterr().err
    assert "round 1 of 2: compiling" in shown
    assert "fitting systems" not in shown
    with _progress.show_progress("round 1 of 2", 2):
        with _progress.describe_work("compiling"):
            pass
        for_each_block(lambda block: None, 3, n_jobs=1, description="fitting systems")
    assert "round 1 of 2: fitting systems" in capsys.readouterr().err
    with _progress.describe_work("compiling"):  # no bar
        pass
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("elapsed", "seconds", "done", "total", "text"),
    [
        (7.0, 0.0, 0, 5, "0:07 so far"),
        (3725.2, 0.0, 0, 5, "1:02:05 so far"),
        (20.0, 20.0, 1, 5, "1:20 left"),
        (35.0, 20.0, 1, 5, "1:05 left"),  # counted down while the second item runs
        (150.0, 20.0, 1, 5, "0:00 left"),
        (60.0, 60.0, 1, 66, "1:05:00 left"),
    ],
)
def test_time_left_follows_the_items_that_are_done(elapsed, seconds, done, total, text):
    assert _progress.describe_time(elapsed, seconds, done, total) == text


def test_the_budget_is_shown_until_an_item_is_done():
    assert _progress.describe_time(7.0, 0.0, 0, 5, 300.0) == "0:07 so far, budget 5:00"
    assert _progress.describe_time(20.0, 20.0, 1, 5, 300.0) == "1:20 left"


def test_the_bar_fits_into_a_narrow_terminal(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(_progress, "_SECONDS_BEFORE_PROGRESS", -1.0)
    with _progress.show_progress("round 1 of 5", 5, budget=150.0) as advance:
        advance(0, "round 1 of 5: loading functions, which the first run compiles")
    shown = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    assert re.search(
        r"round 1 of 5: loading functions, which… ━+ 0/5 0:00 so far, budget 2:30", shown
    )


def test_no_progress_for_short_work(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    for_each_block(lambda block: None, 20, n_jobs=1, description="fitting systems")
    assert capsys.readouterr().err == ""


@pytest.fixture
def terminal(monkeypatch):
    """A wide terminal, for rich, and bars at once."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(_progress, "_SECONDS_BEFORE_PROGRESS", -1.0)


def test_a_bar_appears_while_the_first_item_says_nothing(terminal, monkeypatch, capsys):
    started = []

    class Timer:
        def __init__(self, seconds, function):
            self.start, self.cancel = function, lambda: started.append("cancelled")

    monkeypatch.setattr(_progress.threading, "Timer", Timer)
    with _progress.show_progress("evaluating", 2):
        pass
    assert "evaluating" in capsys.readouterr().err
    assert started == ["cancelled"]


def test_a_bar_that_appears_later_keeps_what_nested_work_does(terminal, monkeypatch, capsys):
    later = []

    class Timer:
        def __init__(self, seconds, function):
            later.append(function)
            self.start = self.cancel = lambda: None

    monkeypatch.setattr(_progress.threading, "Timer", Timer)
    monkeypatch.setattr(_progress, "_SECONDS_BEFORE_PROGRESS", 1000.0)
    with _progress.show_progress("round 1 of 2", 2):
        for_each_block(lambda block: None, 3, n_jobs=1, description="compiling")
        monkeypatch.setattr(_progress, "_SECONDS_BEFORE_PROGRESS", -1.0)
        later[0]()
    assert "round 1 of 2: compiling" in capsys.readouterr().err


def test_hidden_progress_has_no_bar(terminal, capsys):
    with _progress.hide_progress():
        for_each_block(lambda block: None, 3, n_jobs=1, description="fitting systems")
    assert capsys.readouterr().err == ""
    for_each_block(lambda block: None, 3, n_jobs=1, description="fitting systems")
    assert "fitting systems" in capsys.readouterr().err


def test_the_time_of_the_last_item_and_the_budget_reach_the_bar(terminal, monkeypatch):
    now, seen = [100.0], []
    monkeypatch.setattr(_progress, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def describe(elapsed, seconds, done, total, budget):
        seen.append((seconds, done, total, budget))
        return ""

    monkeypatch.setattr(_progress, "describe_time", describe)
    with _progress.show_progress("evaluating", 4, budget=60.0) as advance:
        now[0] = 130.0
        advance(1)
        now[0] = 150.0
        advance(0, "the second")  # no item is done
    assert seen[-1] == (30.0, 1, 4, 60.0)
