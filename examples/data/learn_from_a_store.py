"""
Learn from a store
==================

A collection that does not fit in memory is encoded into a store: a folder of systems that is read
block by block. Estimators learn from a store as from systems in memory, and give the same result.
This example is small, but uses the same functions as a large one.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from ldslearn import LDSDictionary, LDSEncoder
from ldslearn.datasets import make_dynamic_textures
from ldslearn.plot import plot_matrix, plot_objective
from ldslearn.scale import encode_folder, write_kernel

# %%
# Forty-eight clips are written as files, one folder per class. ``encode_folder`` reads them, fits a
# system to each and writes the systems to a store, here in files of sixteen.

place = tempfile.TemporaryDirectory()
folder = Path(place.name)
videos, kinds = make_dynamic_textures(
    ["waves", "flag", "rotating"], 16, size=24, n_frames=50, random_state=0
)
for number, (video, kind) in enumerate(zip(videos, kinds, strict=True)):
    (folder / "clips" / kind).mkdir(parents=True, exist_ok=True)
    np.save(folder / "clips" / kind / f"{number}.npy", video)
store = encode_folder(folder / "clips", folder / "store", LDSEncoder(n_states=6), shard_size=16)
print(f"{len(store)} systems of {store.n_channels} channels, {store.n_bytes / 1e6:.1f} MB on disk")

# %%
# A dictionary learns from the store, and from all systems in memory: ``store[:]`` reads them. The
# kernel matrix is written to a file, tile by tile.

systems = store[:]
histories = {}
for name, source in {"store": store, "memory": systems}.items():
    dictionary = LDSDictionary(4, max_iter=8, random_state=0).fit(source)
    histories[name] = dictionary.objective_
kernel = np.array(write_kernel(folder / "kernel.npy", store))
labels = store.read_texts("labels")
difference = abs(histories["store"][-1] / histories["memory"][-1] - 1)
print(f"relative difference of the objectives: {difference:.0e}")

# %%
# The two curves of the objective coincide.

fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
plot_objective(histories, left).set_title("objective of a dictionary of four atoms")
left.lines[0].set(markersize=9, linewidth=4, alpha=0.4)
plot_matrix(kernel, labels, right).set_title("projection kernel of the store")
place.cleanup()
plt.show()
