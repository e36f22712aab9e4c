"""
Find similar clips
==================

An index answers which of many systems are most similar to a new one. Below five thousand systems
it compares the query with all of them. Above, vectors in a graph give candidates, which the exact
kernel ranks: here a small index is made to do so, in order to compare both.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from ldslearn import LDSEmbedding, LDSEncoder, LDSIndex
from ldslearn.datasets import make_dynamic_textures
from ldslearn.video import to_sequence

# %%
# Three hundred clips of four kinds are encoded; twelve more are queries.

videos, kinds = make_dynamic_textures(
    ["flag", "flame", "rotating", "drifting"], 78, size=16, n_frames=40, random_state=0
)
order = np.random.default_rng(0).permutation(len(videos))
videos, kinds = videos[order], kinds[order]
systems = LDSEncoder(n_states=5).fit_transform([to_sequence(video) for video in videos])
known, queries = systems[:-12], systems[-12:]

# %%
# The kernel is a mixture: the projection kernel compares movements, the mean kernel mean images.
# An index in a folder keeps what was added, whatever happens to the process. It is opened without
# reading it: systems are mapped to memory.

kernel = {"projection": 0.2, "mean": 0.8}
with tempfile.TemporaryDirectory() as place:
    folder = Path(place) / "index"
    index = LDSIndex(kernel, exact_below=100, n_landmarks=100, n_candidates=100)
    index.save(folder)
    index.add(known, names=[f"{kind} {i}" for i, kind in enumerate(kinds[:-12])])
    index = LDSIndex.open(folder)
    ids, similarities = index.search(queries, k=5)
    exact, _ = index.search(queries, k=5, exact=True)
    print(index)
    print("neighbours of the first query:", index.get_names(ids[0]))
recall = np.mean([np.isin(a, b).mean() for a, b in zip(exact, ids, strict=True)])
same = (kinds[:-12][ids] == kinds[-12:, None]).mean()
print(f"found {recall:.0%} of the true neighbours; {same:.0%} of those found are of the same kind")

# %%
# The vectors of the graph are those of :class:`ldslearn.LDSEmbedding`. The residual is the share of
# the kernel that they lose, measured on systems that are no landmarks.

counts = [5, 10, 20, 40, 80, 160]
residuals = [
    LDSEmbedding(kernel, n_landmarks=n, random_state=0).fit(known).residual_ for n in counts
]

# %%
# The first three queries, each with its nearest neighbours, and the residual.

fig = plt.figure(figsize=(10, 4.2), layout="constrained")
left, right = fig.subfigures(1, 2, width_ratios=[1.5, 1])
axes = left.subplots(3, 5)
for row, (query, found, values) in enumerate(zip(videos[-12:], ids, similarities, strict=True)):
    if row == 3:
        break
    pictures = [(query[20], "query")]
    pictures += [(videos[i][20], f"{v:.2f}") for i, v in zip(found[:4], values[:4], strict=True)]
    for ax, (frame, title) in zip(axes[row], pictures, strict=True):
        ax.imshow(frame, cmap="gray")
        ax.set_title(title, fontsize="small")
        ax.set_axis_off()
ax = right.subplots()
ax.semilogx(counts, residuals, "o-", base=2)
ax.set(xlabel="landmarks", ylabel="residual", ylim=(0, 1), xticks=counts, xticklabels=counts)
ax.set_title("share of the kernel that vectors lose")
plt.show()
