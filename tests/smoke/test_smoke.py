"""The main things a user does, in the environment of whichever Python runs this.

``make test-all`` runs it on every Python, with the lowest and the newest dependencies. It needs
ldslearn, its extras and pytest.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import ldslearn
from ldslearn import LDS, LDSSVC, LDSDictionary, LDSEncoder, LDSKMeans, SparseCodingClassifier
from ldslearn.datasets import Collection, load_basic_motions
from ldslearn.evaluate import parse_protocol
from ldslearn.models import stabilize
from ldslearn.scale import LDSStore
from ldslearn.video import read_frames, read_video, write_video

SCRIPTS = Path(sys.executable).parent
SECONDS = 900  # after which a command hangs, on a busy machine, too


def ldslearn_command(*words, code=0):
    """Run the installed command and return what it printed."""
    command = [str(SCRIPTS / "ldslearn"), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    folder = tmp_path_factory.mktemp("smoke") / "clips"
    ldslearn_command("make-clips", folder, "--per-class", 4, "--size", 16, "--frames", 30)
    return folder


def test_it_is_the_installed_wheel():
    assert Path(ldslearn.__file__).is_relative_to(sys.prefix)


@pytest.mark.parametrize(("suffix", "error"), [(".avi", 5), (".mkv", 1), (".mp4", 12), (".gif", 1)])
def test_videos_are_written_and_read(tmp_path, suffix, error):
    video = np.add.outer(np.arange(12) * 5.0, np.add.outer(np.arange(18.0), np.arange(25.0) * 3))
    write_video(tmp_path / f"a{suffix}", video)
    np.testing.assert_allclose(read_video(tmp_path / f"a{suffix}"), video, atol=error)
    assert read_video(tmp_path / f"a{suffix}", colour=True).shape == (12, 18, 25, 3)
    (tmp_path / f"a{suffix}").write_bytes(b"no video")
    with pytest.raises(ValueError, match=f"a{suffix} must be a .*video or image"):
        read_video(tmp_path / f"a{suffix}")


def test_images_are_read(tmp_path):
    from PIL import Image  # comes with matplotlib

    for number in (1, 2):
        Image.fromarray(np.full((8, 8), 50 * number, np.uint8)).save(tmp_path / f"{number}.png")
    np.testing.assert_allclose(read_frames(tmp_path).mean(axis=(1, 2)), [50, 100])


def test_estimators_learn(tmp_path):
    X_train, y_train, X_test, y_test = load_basic_motions()
    encoder = LDSEncoder(n_states=10, delays=5)
    model = make_pipeline(encoder, SparseCodingClassifier(sparsity=0.1)).fit(X_train, y_train)
    assert model.score(X_test, y_test) == 0.975  # as README says
    systems = model[0].transform(X_train)
    assert LDSSVC().fit(systems, y_train).score(systems, y_train) > 0.9
    assert len(LDSKMeans(n_clusters=4, max_iter=3, random_state=0).fit(systems).labels_) == 40
    dictionary = LDSDictionary(n_atoms=4, max_iter=2, random_state=0).fit(systems)
    assert dictionary.transform(systems).shape[0] == 40
    systems.save(tmp_path / "systems.npz")
    np.testing.assert_array_equal(LDS.load(tmp_path / "systems.npz").A, systems.A)


def test_random_splits_of_groups_differ():
    groups = np.repeat(np.arange(10), 3)
    data = Collection([np.ones((1, 4))] * 30, np.tile(["a", "b", "b"], 10), groups=groups)
    splits = parse_protocol("shuffle:10:0.2").splits(data)
    assert len({tuple(test) for _, test in splits}) > 4


def test_clip_keeps_its_bound():
    A = 2 * np.random.default_rng(0).standard_normal((50, 6, 6))
    stable = stabilize(A, method="clip", bound=0.5)
    assert np.abs(np.linalg.eigvals(stable)).max() <= 0.5


def test_commands(clips, tmp_path):
    assert "evaluate" in ldslearn_command("--help")
    assert "clips" in ldslearn_command("inspect", clips)
    options = ("--method", "lds-sc-grass", "--states", 4, "--sparsity", 0.1)
    found = ldslearn_command("evaluate", clips, *options, "--folds", 2, "--json")
    assert json.loads(found)["accuracy"] > 0.5
    ldslearn_command("train", clips, *options, "-o", tmp_path / "model.lds")
    found = ldslearn_command("predict", tmp_path / "model.lds", clips / "flag/0.avi", "--json")
    assert json.loads(found)["predictions"][0]["label"] == "flag"
    ldslearn_command("synthesize", clips / "waves/0.avi", "-o", tmp_path / "new.gif")
    assert len(read_video(tmp_path / "new.gif")) > 1
    assert "must exist" in ldslearn_command("inspect", tmp_path / "nothing", code=1)
    assert "Missing argument" in ldslearn_command("evaluate", code=2)


def test_demo(tmp_path):
    ldslearn_command("demo", tmp_path / "demo")
    assert (tmp_path / "demo/report.html").stat().st_size > 10_000


def test_a_cluster_is_used_by_its_address(clips, tmp_path):
    pytest.importorskip("distributed")
    file = tmp_path / "scheduler.json"
    common = ["--scheduler-file", str(file), "--no-dashboard"]
    dask = str(SCRIPTS / "dask")
    log = (tmp_path / "dask.log").open("w")
    running = [
        subprocess.Popen(command, stdout=log, stderr=log, cwd=tmp_path)
        for command in (
            [dask, "scheduler", "--host", "127.0.0.1", "--port", "0", *common],
            [dask, "worker", "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", *common],
        )
    ]
    try:
        end = time.monotonic() + SECONDS
        while not file.exists() or not file.read_text().strip():
            assert time.monotonic() < end, "the scheduler did not start"
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        there, here = tmp_path / "there", tmp_path / "here"
        ldslearn_command("encode", clips, "--states", 4, "-o", there, "--cluster", address)
        ldslearn_command("encode", clips, "--states", 4, "-o", here)
        stores = [LDSStore.open(store)[:] for store in (there, here)]
        np.testing.assert_allclose(stores[0].A, stores[1].A, atol=1e-10)
    finally:
        for process in running:
            process.kill()
            process.wait()
        log.close()


def test_no_variable_prepares_the_run():
    assert not any(name in os.environ for name in ("PYTHONPATH", "LDSLEARN_DATA"))
