"""
Describe videos by local binary patterns
========================================

LBP-TOP describes a few frames of a video by histograms of local patterns on three planes: the image
(XY) and two planes with time (XT, YT). The histograms over time are a sequence with 177 channels,
whatever the size of the frames. They do not depend on where something is in the image. Here they
classify strongly varying clips better than pixels do.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from ldslearn import LDSEncoder, SparseCodingClassifier
from ldslearn.datasets import make_dynamic_textures
from ldslearn.plot import plot_frames
from ldslearn.video import lbp_top, to_sequence

# %%
# Each sub-video of 8 frames gives one histogram. The next one starts two frames later.

videos, kinds = make_dynamic_textures(
    n_per_class=8, size=24, n_frames=60, jitter=0.6, random_state=0
)
patterns = [lbp_top(video, window=8, step=2) for video in videos]
print(f"a video {videos[0].shape} becomes a sequence {patterns[0].shape}")

# %%
# The mean of a sequence of histograms says which patterns are frequent, so the mean kernel is added
# to the projection kernel, for pixels as well.

model = make_pipeline(
    LDSEncoder(n_states=5), SparseCodingClassifier({"projection": 0.1, "mean": 0.5}, sparsity=0.05)
)
scores = {
    "pixels": cross_val_score(model, [to_sequence(video) for video in videos], kinds, cv=4),
    "LBP-TOP": cross_val_score(model, patterns, kinds, cv=4),
}
for name, score in scores.items():
    print(f"{name}: accuracy {score.mean():.0%} in four folds")

# %%
# Two clips and their mean histograms. Each plane has 59 bins: 58 uniform patterns, and one for all
# others.

shown = [int(np.flatnonzero(kinds == kind)[0]) for kind in ("waves", "flame")]
fig, axes = plt.subplots(2, 2, figsize=(11, 4.8), layout="constrained", width_ratios=[1, 1.3])
for (left, right), clip in zip(axes, shown, strict=True):
    plot_frames(videos[clip], left, n_shown=4).set_title(f"{kinds[clip]}: 4 of 60 frames")
    right.bar(np.arange(177), patterns[clip].mean(axis=1), width=1, color="C0")
    for border in (58.5, 117.5):
        right.axvline(border, color="0.4", linestyle=":")
    right.set(xlim=(-0.5, 176.5), ylabel="frequency")
    right.set_xticks([29, 88, 147], ["XY plane", "XT plane", "YT plane"])
    right.set_title("mean histogram of LBP-TOP")
plt.show()
