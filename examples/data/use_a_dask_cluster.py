"""
Use a Dask cluster
==================

Inside ``use_cluster(...)`` the same calls run on the workers of a Dask cluster. This example starts
a cluster of two workers within the process, encodes a folder of clips on it and codes them by a
dictionary. The result is the same as without a cluster. On one machine a cluster saves no time; it
is for several machines. It needs the extra ``dask``.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from distributed import LocalCluster

from ldslearn import LDSDictionary, LDSEncoder
from ldslearn.datasets import make_dynamic_textures
from ldslearn.scale import encode_folder, use_cluster

DASHBOARD = "127.0.0.1:0"  # any free port of this machine

# %%
# Clips as files, one folder per class. All machines of a cluster must see them under the same path.

place = tempfile.TemporaryDirectory()
folder = Path(place.name)
videos, kinds = make_dynamic_textures(
    ["waves", "flag", "rotating"], 16, size=24, n_frames=50, random_state=0
)
for number, (video, kind) in enumerate(zip(videos, kinds, strict=True)):
    (folder / "clips" / kind).mkdir(parents=True, exist_ok=True)
    np.save(folder / "clips" / kind / f"{number}.npy", video)

# %%
# ``use_cluster`` also takes the address of a scheduler, such as ``"tcp://host:8786"``. With
# ``processes=False`` the workers are threads, which suits a small example.

encoder = LDSEncoder(n_states=6)
dictionary = LDSDictionary(4, max_iter=2, random_state=0)
with (
    LocalCluster(2, threads_per_worker=1, processes=False, dashboard_address=DASHBOARD) as workers,
    use_cluster(workers) as cluster,
):
    store = encode_folder(folder / "clips", folder / "store", encoder, shard_size=8)
    codes = dictionary.fit(store).transform(store)
    summary = cluster.summary()
print(", ".join(f"{name} {value}" for name, value in summary.items()))

# %%
# The same without a cluster.

local = encode_folder(folder / "clips", folder / "local", encoder, shard_size=8)
same = dictionary.fit(local).transform(local)
labels = np.array(store.read_texts("labels"))
place.cleanup()
print(f"largest difference of the codes: {np.abs(codes - same).max():.0e}")

# %%
# Every dot is one coefficient of one clip. All dots are on the diagonal.

fig, ax = plt.subplots(figsize=(5.5, 5), layout="constrained")
for kind in np.unique(labels):
    chosen = labels == kind
    ax.plot(codes[chosen].ravel(), same[chosen].ravel(), "o", markersize=4, alpha=0.6, label=kind)
ax.axline((0, 0), slope=1, color="0.5", linewidth=0.8, zorder=0)
ax.set(
    xlabel="coefficient, on the cluster", ylabel="coefficient, without a cluster", aspect="equal"
)
ax.set_title("codes of 48 clips by a dictionary")
ax.legend(frameon=False)
plt.show()
