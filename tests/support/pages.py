"""Commands and code blocks of Markdown pages, run as a reader would, and what they print.

A page is run in order, in a folder of its own, every command and every block in a process of its
own. Fences tell what is run:

- ``python``: run as a script. Lines ``# -> text`` are all that it prints, in order.
- ``console``: lines ``$ command`` are run by the shell; lines below a command, up to the next one,
  are what it prints. ``...`` stands for any lines, or for any text within a line. ``dask`` commands
  are servers: they run until the end of the page.
- anything else is not run.

A comment before a fence changes it: ``<!-- numbers vary -->`` where they depend on the machine or
on time, ``<!-- not run: reason -->``.
"""

import os
import re
import signal
import socket
import subprocess
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

_FENCE = re.compile(
    r"^(?:<!-- (?P<note>[^\n]*?) -->\n)?^```(?P<language>\w*)\n(?P<body>.*?)^```", re.M | re.S
)
_SERVER = re.compile(r"dask (scheduler|worker)\b")
_PORT = "8786"  # of every scheduler on a page
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
_FRAMES = re.compile(r"[\u2500-\u257f]+")  # lines of tables
_TOLERANCE = 0.01  # of numbers with a decimal point: other processors round otherwise
_SECONDS = 600  # for one command
_STARTING = 60


@dataclass(frozen=True)
class Step:
    """One command or code block, and what a page says about it."""

    text: str
    language: str
    expected: tuple[str, ...] = ()
    numbers_vary: bool = False
    not_run: str | None = None

    @property
    def is_server(self):
        return self.language == "console" and _SERVER.match(self.text) is not None

    @property
    def title(self):
        """A line that tells which step it is."""
        if self.language == "console":
            return f"$ {self.text}"
        lines = [line for line in self.text.splitlines() if line and "import" not in line]
        return f"python: {lines[0] if lines else ''} ..."


@dataclass
class Outcome:
    """What a step did."""

    step: Step
    fault: str | None = None
    seconds: float = 0.0
    printed: str = field(default="", repr=False)

    def __str__(self):
        if self.step.not_run is not None:
            return f"not run   {self.step.title} ({self.step.not_run})"
        state = "passed" if self.fault is None else "FAILED"
        text = f"{state} {self.seconds:5.1f} s  {self.step.title}"
        return text if self.fault is None else f"{text}\n{self.fault}"


def read_steps(text):
    """Return the steps of a page in order."""
    steps = []
    for match in _FENCE.finditer(text):
        note, language, body = match["note"] or "", match["language"], match["body"]
        options = {
            "numbers_vary": note == "numbers vary",
            "not_run": note.removeprefix("not run: ") if note.startswith("not run: ") else None,
        }
        if language == "python":
            promised = tuple(re.findall(r"# -> (.*)", body))
            steps.append(Step(body, "python", promised, **options))
        elif language == "console" or (not language and re.search(r"^\$ ", body, re.M)):
            steps += [replace(step, **options) for step in _read_commands(body)]
    return steps


def _read_commands(body):
    for part in re.split(r"^\$ ", body, flags=re.M)[1:]:
        command, *printed = part.rstrip("\n").split("\n")
        yield Step(command, "console", tuple(printed))


def run_page(text, folder, environment):
    """Run every step of a page in `folder`; return their outcomes."""
    outcomes = []
    with _servers() as servers:
        port = _free_port()
        for step in read_steps(text):
            outcomes.append(_run(step, folder, environment, servers, port))
    return outcomes


def _run(step, folder, environment, servers, port):
    if step.not_run is not None:
        return Outcome(step)
    text = step.text.replace(_PORT, port)
    command = ["python", "-c", text] if step.language == "python" else ["bash", "-c", text]
    start = time.monotonic()
    if step.is_server:
        servers.append(_start(command, folder, environment))
        fault = _await_server(servers[-1], port)
        return Outcome(step, fault, time.monotonic() - start)
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired as late:
        return Outcome(step, f"not finished after {late.timeout} s", time.monotonic() - start)
    seconds = time.monotonic() - start
    fault = None
    if done.returncode:
        fault = f"exit code {done.returncode}; printed:\n{done.stdout[-3000:]}"
    elif step.expected:
        printed = done.stdout.replace(port, _PORT)
        fault = compare(step, printed)
    return Outcome(step, fault, seconds, done.stdout)


def compare(step, printed):
    """Return how what was printed differs from what the page says; None if it does not."""
    if step.language == "python":
        expected, found = list(step.expected), printed.splitlines()
    else:
        expected, found = (_content(lines) for lines in (step.expected, printed.splitlines()))
    if _match_lines(expected, found, step.numbers_vary):
        return None
    return "the page says:\n{}\nprinted was:\n{}".format(
        *("\n".join(f"    {line}" for line in lines) for lines in (expected, found))
    )


def _content(lines):
    """Lines of text without the frames of tables, which are as wide as what is in them."""
    plain = (" ".join(_FRAMES.sub(" ", line).split()) for line in lines)
    return [line for line in plain if line]


def _match_lines(expected, found, numbers_vary):
    if not expected:
        return not found
    if expected[0] == "...":
        return any(
            _match_lines(expected[1:], found[skipped:], numbers_vary)
            for skipped in range(len(found) + 1)
        )
    return (
        bool(found)
        and _match_line(expected[0], found[0], numbers_vary)
        and _match_lines(expected[1:], found[1:], numbers_vary)
    )


def _match_line(expected, found, numbers_vary):
    words = (re.escape(_NUMBER.sub("#", part)) for part in expected.split("..."))
    match = re.fullmatch(".*".join(words), _NUMBER.sub("#", found))
    if match is None or numbers_vary or "..." in expected:
        return match is not None
    pairs = zip(_NUMBER.findall(expected), _NUMBER.findall(found), strict=True)
    return all(_agree(*pair) for pair in pairs)


def _agree(expected, found):
    if expected == found:
        return True
    values = [float(text.replace(",", "")) for text in (expected, found)]
    has_decimals = "." in expected and "." in found
    return has_decimals and abs(values[0] - values[1]) <= _TOLERANCE * abs(values[0])


@contextmanager
def _servers():
    """Yield a list of processes, which are ended with all that they started."""
    running = []
    try:
        yield running
    finally:
        for process in reversed(running):
            _end(process, signal.SIGTERM)
        for process in running:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                _end(process, signal.SIGKILL)
                process.wait()
            process.stdout.close()


def _end(process, kind):
    with suppress(ProcessLookupError):
        os.killpg(process.pid, kind)


def _start(command, folder, environment):
    log = (folder / f".server-{time.monotonic_ns()}.log").open("w+")
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=log,
        stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    process.stdout = log
    return process


def _await_server(process, port):
    """Wait until a server can be reached; return what is wrong if it ends or never can be."""
    end = time.monotonic() + _STARTING
    while time.monotonic() < end:
        if process.poll() is not None:
            process.stdout.seek(0)
            return f"ended with exit code {process.returncode}:\n{process.stdout.read()[-3000:]}"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", int(port))) == 0:
                return None
        time.sleep(0.2)
    return f"nothing listens on port {port} after {_STARTING} s"


def _free_port():
    """The port that pages name, or another if it is taken."""
    for port in (int(_PORT), 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return str(probe.getsockname()[1])
    raise AssertionError
