"""
Cluster systems
===============

``LDSKMeans`` groups systems without labels. The centre of a cluster is a system, too. Sixty clips
of six kinds of moving textures are grouped into six clusters, and the clusters are compared with
the kinds. Some kinds form clusters of their own, others share one.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import contingency_matrix

from ldslearn import LDSEncoder, LDSKMeans
from ldslearn.datasets import make_dynamic_textures
from ldslearn.plot import plot_frames
from ldslearn.video import to_sequence

# %%
# The kinds are used only to judge the result. The adjusted Rand index is 1 if clusters and kinds
# agree, and 0 on average if they are unrelated.

videos, kinds = make_dynamic_textures(n_per_class=10, size=24, n_frames=50, random_state=0)
systems = LDSEncoder(n_states=8).fit_transform([to_sequence(video) for video in videos])
model = LDSKMeans(n_clusters=6, random_state=0).fit(systems)
print(f"adjusted Rand index {adjusted_rand_score(kinds, model.labels_):.2f}")

# %%
# Left: number of clips of each kind in each cluster. The rotating clips form one cluster, and flags
# two. All flames share a cluster with most foliage and drifting clips. Right: the clip closest to
# each centre.

counts = contingency_matrix(model.labels_, kinds)
closest = model.transform(systems).argmin(axis=0)
fig, (left, right) = plt.subplots(
    1, 2, figsize=(11, 5), layout="constrained", width_ratios=[1, 1.1]
)
left.imshow(counts, cmap="Blues", vmax=1.5 * counts.max())
for (row, column), count in np.ndenumerate(counts):
    left.text(column, row, count, ha="center", va="center", color="black" if count else "0.7")
left.set_xticks(range(6), np.unique(kinds), rotation=30, ha="right")
left.set_yticks(range(6), [f"cluster {number + 1}" for number in range(6)])
left.set_title("clips per cluster and kind")

rows = [videos[clip][:: 50 // 6][:6] for clip in closest]
sheet = np.concatenate(
    [np.pad(row, ((0, 0), (1, 1), (0, 0)), constant_values=1) for row in rows], 1
)
plot_frames(sheet, right, n_shown=6)
right.set_title("frames of the clip closest to each centre")
plt.show()
