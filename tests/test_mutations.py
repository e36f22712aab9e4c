"""Damaged files either load or say what is wrong, by name; nothing crashes, hangs or warns."""

import importlib.util
import io
import os
import time
import zipfile
from random import Random

import numpy as np
import pytest
import scipy.io
from PIL import Image

from ldslearn import LDS
from ldslearn.datasets import load_folder
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.mat import sequences_of_mat
from ldslearn.datasets.npz import load_npz, save_npz
from ldslearn.datasets.table import read_csv
from ldslearn.datasets.ts import load_arff, load_ts
from ldslearn.evaluate import Model, train
from ldslearn.video import read_video, write_video

from support.makers import ragged_sequences, random_systems
from support.matlab import cell, save_mat73
from support.mutations import mutations

N_FILES = int(os.environ.get("LDSLEARN_FUZZ", "60"))
SECONDS = 10  # on a busy machine
X = ragged_sequences(3, n_channels=2, shortest=3, longest=6)
LABELS = ["a", "b", "a"]


def write_npz(path):
    settings = {"groups": np.array(LABELS), "frame_shape": (1, 2), "preprocessing": {"size": 2}}
    save_npz(path, Collection(X, np.array(LABELS), **settings))


def write_lds(path):
    random_systems(2, n_channels=3, n_states=2).save(path)


def write_ts(path):
    rows = [
        ":".join(",".join(map("{:.3f}".format, channel)) for channel in x) + f":{label}\n"
        for x, label in zip(X, LABELS, strict=True)
    ]
    path.write_text(
        "#set\n@problemName s\n@timeStamps false\n@univariate false\n@dimensions 2\n"
        "@equalLength false\n@classLabel true a b\n@data\n" + "".join(rows)
    )


def write_arff(path):
    path.write_text(
        "@relation r\n@attribute bag relational\n  @attribute t0 numeric\n  @attribute t1 numeric\n"
        "@end bag\n@attribute class {a,b}\n@data\n'1,2.5\\n3,4',a\n'5,?\\n-7e-3,?',b\n"
    )


def write_csv(path):
    rows = [",".join(map("{:.4f}".format, point)) + "\n" for point in X[0].T]
    path.write_text("time,force\n" + "".join(rows))


def write_mat(path, compressed=False):
    entries = {"size": 3.0, "text": "some"}
    variables = {"X": cell(*X), "y": cell(*LABELS), "s": entries, "e": scipy.sparse.eye(3).tocsc()}
    scipy.io.savemat(path, variables, do_compression=compressed)


def write_compressed_mat(path):
    write_mat(path, compressed=True)


def write_mat73(path):
    import h5py

    save_mat73(h5py, path, {"X": X, "y": LABELS, "s": {"size": np.ones((1, 1)), "text": "some"}})


def write_model(path):
    train(Collection([*X, *X], LABELS * 2), "lds-martin", n_states=1, delays=1).save(path)


def write_manifest(path):
    lines = [f"{number}.npy,{label}\n" for number, label in enumerate(LABELS)]
    for number, x in enumerate(X):
        np.save(path.parent / f"{number}.npy", x)
    path.write_text("path,label\n" + "".join(lines))


def write_film(suffix):
    def write(path):
        frames = 255 * np.random.default_rng(0).random((5, 16, 16))
        write_video(path.with_suffix(suffix), frames)
        path.with_suffix(suffix).rename(path)

    return write


def write_image(path):
    Image.fromarray(np.arange(256, dtype=np.uint8).reshape(16, 16)).save(path, "png")


NEEDS_H5PY = pytest.mark.skipif(not importlib.util.find_spec("h5py"), reason="h5py is missing")
FORMATS = [
    pytest.param(write_npz, load_npz, id="npz"),
    pytest.param(write_lds, LDS.load, id="lds"),
    pytest.param(write_ts, load_ts, id="ts"),
    pytest.param(write_arff, load_arff, id="arff"),
    pytest.param(write_csv, read_csv, id="csv"),
    pytest.param(write_mat, sequences_of_mat, id="mat"),
    pytest.param(write_compressed_mat, sequences_of_mat, id="mat-compressed"),
    pytest.param(write_model, Model.load, id="model"),
    pytest.param(write_manifest, load_folder, id="manifest"),
    *(
        pytest.param(write_film(suffix), read_video, id=suffix[1:])
        for suffix in (".avi", ".mkv", ".mp4", ".gif")
    ),
    pytest.param(write_image, read_video, id="png"),
    pytest.param(write_mat73, sequences_of_mat, id="mat-73", marks=NEEDS_H5PY),
]


def inside(data, random):
    """Damage one member of an archive and pack it again, so that its checksum is right."""
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as old,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        chosen = random.choice(old.namelist())
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, mutations(content, random) if name == chosen else content)
    return packed.getvalue()


@pytest.mark.filterwarnings("ignore:the last frame of .* may have been cut short")
@pytest.mark.parametrize(("write", "read"), FORMATS)
def test_damaged_files_load_or_are_named(tmp_path, write, read):
    path = tmp_path / "damaged.file"
    write(path)
    read(path)
    whole = path.read_bytes()
    random = Random(0)
    refused = 0
    for _ in range(N_FILES):
        archive = whole.startswith(b"PK") and random.random() < 0.5
        path.write_bytes((inside if archive else mutations)(whole, random))
        start = time.monotonic()
        message = None
        try:
            read(path)
        except (ValueError, OSError) as error:  # any other error, and any warning, ends the test
            message = str(error)
            refused += 1
        assert message is None or (path.name in message and len(message) < 1000)
        # No measure of speed: what is refused only after seconds took memory or looped first.
        assert time.monotonic() - start < SECONDS
    assert refused > N_FILES / 10
