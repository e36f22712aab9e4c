"""Folders and files that users bring and that cannot be used as they are."""

import shutil
from pathlib import Path

import av
import numpy as np

from ldslearn.datasets import load_folder, save_npz
from ldslearn.evaluate import train
from ldslearn.video import write_video

RANDOM = np.random.default_rng(0)


def write_table(path, n_timepoints=30, n_channels=3, frequency=0.3, values=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    if values is None:
        phases = np.arange(n_timepoints)[:, None] * frequency * np.arange(1, n_channels + 1)
        values = np.sin(phases + RANDOM.uniform(0, 6, n_channels))
        values += 0.05 * RANDOM.standard_normal(values.shape)
    header = ",".join(f"channel{i}" for i in range(values.shape[1]))
    rows = [",".join(f"{value:.5f}" for value in row) for row in values]
    path.write_text("\n".join([header, *rows]) + "\n")


def write_classes(root, count=4, classes=("run", "walk")):
    for name in classes:
        for index in range(count):
            write_table(root / name / f"{index}.csv", frequency=0.3 + 0.4 * (name == "run"))
    return root


def write_sound(path):
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=8000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 8000), np.float32), "fltp", "mono")
        frame.sample_rate = 8000
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            container.mux(packet)


def make_bad_inputs(root: Path) -> None:
    """Write everything the cases name."""
    good = write_classes(root / "good")
    for name, changes in {
        "short": {"n_timepoints": 4},
        "channels": {"n_channels": 2},
        "constant": {"values": np.ones((30, 3))},
        "missing": {"values": np.where(np.arange(90).reshape(30, 3) == 40, np.nan, 1.0)},
    }.items():
        write_table(write_classes(root / name) / "walk" / "3.csv", **changes)
    all_short = write_classes(root / "allshort")
    for path in all_short.rglob("*.csv"):
        write_table(path, n_timepoints=3)
    texts = write_classes(root / "texts") / "walk" / "3.csv"
    texts.write_text(texts.read_text().replace("\n", "\n0.1,oops,0.3\n", 1))
    (write_classes(root / "empty") / "walk" / "3.csv").write_bytes(b"")
    np.save(write_classes(root / "arrays") / "walk" / "9.npy", np.full((3, 30), np.nan))
    write_classes(root / "single_items", 1)
    write_classes(root / "pairs", 2)
    write_classes(root / "one_class", classes=("walk",))
    for name in ("run", "walk"):
        for index in range(4):
            shutil.copy(good / name / f"{index}.csv", _made(root / "flat") / f"{name}_{index}.csv")
            for person in ("anna", "ben"):
                target = _made(root / "people" / person / name) / f"{index}.csv"
                shutil.copy(good / name / f"{index}.csv", target)
    lines = [f"{name}_{index},{name}" for name in ("run", "walk") for index in range(4)]
    (root / "labels.csv").write_text("\n".join(["item,label", *lines]))
    (root / "half.csv").write_text("\n".join(["item,label", *lines[:6], "ghost,walk"]))
    (root / "wrong.csv").write_text("file,class\nrun_0.csv,run\n")
    (root / "badlist.csv").write_text("file,label\ngood/run/0.csv,run\n")
    for name in ("run", "walk"):
        (_made(root / "sheets" / name) / "0.xlsx").write_bytes(b"PK\x03\x04")
    _made(root / "nothing_in_it")
    litter = write_classes(root / "litter")
    for path in (
        litter / "Thumbs.db",
        litter / "walk" / "desktop.ini",
        litter / "run" / ".DS_Store",
    ):
        path.write_bytes(b"x")
    (_made(litter / "__MACOSX") / "._0.csv").write_bytes(b"x")
    for suffix in (".xlsx", ".wav", ".json", ".h5", ".parquet", ".pkl", ".zip", ".avi", ".npy"):
        (root / f"file{suffix}").write_bytes(b"")
    (root / "empty.npz").write_bytes(b"")
    frames = 255 * RANDOM.random((20, 12, 12))
    write_video(root / "clip.avi", frames)
    write_video(root / "clip.mp4", frames)
    (root / "cut.mp4").write_bytes((root / "clip.mp4").read_bytes()[:1000])
    shutil.copy(root / "clip.mp4", root / "video.csv")
    (root / "text.mp4").write_text("not a video\n" * 20)
    (root / "image.avi").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    write_sound(root / "sound.mp4")
    write_sound(root / "sound.mkv")
    write_table(root / "new.csv")
    write_table(root / "new_short.csv", n_timepoints=3)
    write_table(root / "new_channels.csv", n_channels=2)
    write_table(root / "new_constant.csv", values=np.ones((30, 3)))
    data = load_folder(good)
    save_npz(root / "good.npz", data)
    train(data, "lds-sc-grass", n_states=3, sparsity=0.1).save(root / "model.lds")


def _made(folder):
    folder.mkdir(parents=True, exist_ok=True)
    return folder
