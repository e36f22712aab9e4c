"""Reading videos against PyAV's decoding alone: ``python -m benchmarks video``."""

import tempfile
import tracemalloc
import warnings
from pathlib import Path

import av
import numpy as np

from benchmarks.timing import best_seconds, print_table
from ldslearn.datasets import make_dynamic_textures
from ldslearn.video import read_video, write_video

N_FILES = 40
SUFFIXES = (".avi", ".mp4")


def decode(paths):
    """Decode all frames and do nothing with them."""
    for path in paths:
        with av.open(str(path)) as container:
            for _ in container.decode(container.streams.video[0]):
                pass


def decode_to_arrays(paths):
    """Decode all frames and convert each by a context of its own, as `to_ndarray` does."""
    for path in paths:
        with av.open(str(path)) as container:
            for frame in container.decode(container.streams.video[0]):
                frame.to_ndarray(format="gray")


def read(paths):
    for path in paths:
        read_video(path)


def time_small_files(folder):
    videos, _ = make_dynamic_textures(["waves"], 1, size=64, n_frames=60, random_state=0)
    rows = []
    for suffix in SUFFIXES:
        paths = [folder / f"{i}{suffix}" for i in range(N_FILES)]
        for path in paths:
            write_video(path, 255 * videos[0])
        seconds = best_seconds(
            {f.__name__: lambda f=f, p=paths: f(p) for f in (decode, decode_to_arrays, read)},
            repeats=9,
            n_bytes=2**28,
        )
        rows.append(
            [
                f"{N_FILES} files {suffix}, 60 frames of 64 x 64",
                f"{1e3 * seconds['decode'] / N_FILES:.1f} ms",
                f"{seconds['decode_to_arrays'] / seconds['decode']:.1f} x",
                f"{seconds['read'] / seconds['decode']:.2f} x",
            ]
        )
    header = ["files", "PyAV decodes one", "and converts per frame", "read_video"]
    print_table("Reading many small videos", header, rows)


def measure_large_file(folder):
    """Two seconds of 1080p video: the peak of memory that Python allocates, and time."""
    path = folder / "large.mp4"
    ramp = np.linspace(0, 200, 1920, dtype=np.float32)
    frames = np.broadcast_to(ramp, (30, 1080, 1920)).copy()
    frames += np.arange(30, dtype=np.float32)[:, None, None]
    write_video(path, np.concatenate([frames] * 2), frame_rate=30)
    rows = []
    for size in (None, (120, 160)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tracemalloc.start()
            video = read_video(path, size=size)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            seconds = best_seconds(
                {"decode": lambda: decode([path]), "read": lambda s=size: read_video(path, size=s)},
                repeats=1,
            )
        rows.append(
            [
                "default" if size is None else f"{size[0]} x {size[1]}",
                f"{video.shape}",
                f"{peak / 2**20:.0f} MiB",
                f"{seconds['read'] / seconds['decode']:.1f} x decoding",
            ]
        )
    header = ["size", "shape", "peak memory", "time"]
    print_table("Reading two seconds of 1080p video, 60 frames", header, rows)


def run():
    with tempfile.TemporaryDirectory() as folder:
        time_small_files(Path(folder))
        measure_large_file(Path(folder))
