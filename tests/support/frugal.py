"""Learn from a collection several times larger than the memory there is; run as a program.

``python frugal.py FOLDER MEGABYTES N_SEQUENCES`` encodes FOLDER/clips into FOLDER/store, learns,
codes and predicts, with so much more memory than an idle process has, and prints one JSON object.
"""

import json
import resource
import sys
from pathlib import Path

import numpy as np

from ldslearn import LDSDictionary, LDSEncoder, LDSKMeans, SparseCodingClassifier
from ldslearn.dictionary import samples
from ldslearn.models import blocks
from ldslearn.scale import LDSStore, encode_folder

DICTIONARY = {
    "n_atoms": 2, "parts": "symmetric", "init": "random", "max_iter": 1, "random_state": 0,
}  # fmt: skip


def status(name):
    """Kilobytes of this process, by their name in /proc/self/status."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name + ":")).split()[1])


def make_clips(folder, count, n_channels=2304, n_timepoints=30):
    random = np.random.default_rng(0)
    shapes = random.standard_normal((n_channels, 12)).astype(np.float32)
    for index in range(count):
        label = folder / "ab"[index % 2]
        label.mkdir(parents=True, exist_ok=True)
        states = random.standard_normal((12, n_timepoints)).astype(np.float32).cumsum(axis=1)
        np.save(label / f"{index}.npy", shapes @ states)


def everything(clips, store):
    systems = encode_folder(clips, store, LDSEncoder(10), shard_size=2)
    dictionary = LDSDictionary(**DICTIONARY).fit(systems)
    codes = dictionary.transform(systems)
    clusters = LDSKMeans(2, parts="skew", n_init=1, max_iter=1, random_state=0).fit(systems)
    labels = np.array(systems.read_texts("labels"))
    known = np.linspace(0, len(systems) - 1, min(8, len(systems))).astype(int)
    classifier = SparseCodingClassifier(sparsity=0.01).fit(systems[known], labels[known])
    predicted = classifier.predict(systems)
    return {
        "n_sequences": len(systems),
        "n_bytes": systems.n_bytes,
        "codes": list(codes.shape),
        "objective": dictionary.half_steps_,
        "inertia": clusters.inertia_path_,
        "accuracy": float(np.mean(predicted == labels)),
    }


def main(folder, megabytes, count):
    make_clips(folder / "few", 12)
    everything(folder / "few", folder / "few-store")  # compiles, and fills buffers
    make_clips(folder / "clips", count)
    allowed = megabytes * 1024
    idle, resident = status("VmData"), status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the largest size so far is that of now
    limit = (idle + allowed) * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    result = everything(folder / "clips", folder / "store")
    result["allowed_mb"] = megabytes
    result["idle_mb"] = resident / 1024
    result["peak_mb"] = (status("VmHWM") - resident) / 1024
    try:
        LDSStore.open(folder / "store")[:]
        result["whole"] = "fits"
    except MemoryError:
        result["whole"] = "does not fit"
    print(json.dumps(result))


if __name__ == "__main__":
    if len(sys.argv) > 4:  # small blocks, for a small limit
        blocks._BYTES_PER_STORED_BLOCK = samples._ON_DISK = samples._HELD = int(sys.argv[4])
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
