"""What a new process waits for: ``python -m benchmarks first``.

Each run is a process of its own. A cold one has an empty cache of compiled functions, a warm one
that of the cold one.
"""

import json
import os
import subprocess
import sys
import tempfile

from benchmarks.timing import print_table

CODING = """
from ldslearn import LDSEncoder, SparseCodingClassifier
from ldslearn.datasets import load_basic_motions

X_train, y_train, X_test, y_test = load_basic_motions()
encoder = LDSEncoder(n_states=10, delays=5)
model = SparseCodingClassifier(sparsity=0.1).fit(encoder.fit_transform(X_train), y_train)
model.predict(encoder.transform(X_test))
"""
README = """
from ldslearn import AutoLDSClassifier
from ldslearn.datasets import load_basic_motions

X_train, y_train, X_test, y_test = load_basic_motions()
AutoLDSClassifier(random_state=0).fit(X_train, y_train).score(X_test, y_test)
"""
PROGRAMS = {"encode, fit and predict (sparse coding)": CODING, "README's first example": README}
ROUNDS = 2

# Times of processes: seconds, and seconds of compilation of every function of the library.
MEASURE = """
import json, sys, time
start, cpu = time.perf_counter(), time.process_time()
from numba.core import event
compiled, running = {}, []

class Listener(event.Listener):
    def on_start(self, given):
        running.append(time.perf_counter())
    def on_end(self, given):
        seconds = time.perf_counter() - running.pop()
        function = given.data["dispatcher"].py_func
        if not running and function.__module__.startswith("ldslearn"):
            compiled[function.__name__] = compiled.get(function.__name__, 0.0) + seconds

event.register("numba:compile", Listener())
exec(sys.stdin.read())
print(json.dumps([time.perf_counter() - start, time.process_time() - cpu, compiled]))
"""


def run_process(program, cache):
    """Return seconds, seconds of the processor, and {compiled function: seconds} of a process."""
    settings = {**os.environ, "NUMBA_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", MEASURE],
        input=program,
        env=settings,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def run():
    header = ["program", "cold", "warm", "difference", "difference, processor"]
    for name, program in PROGRAMS.items():
        cold, warm = [], []
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory() as cache:
                cold.append(run_process(program, cache))
                warm.append(run_process(program, cache))
        (seconds, busy, functions), (later, later_busy, _) = (
            min(runs, key=lambda run: run[0]) for runs in (cold, warm)
        )
        figures = seconds, later, seconds - later, busy - later_busy
        rows = [[name, *(f"{figure:.1f} s" for figure in figures)]]
        print_table("A new process, with and without compiled functions on disk", header, rows)
        slowest = sorted(functions.items(), key=lambda item: -item[1])
        listed = [[function, f"{time:.1f} s"] for function, time in slowest if time > 0.1]
        print_table("Compilation", ["function", "time"], listed)
