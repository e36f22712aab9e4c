"""
Draw a map of a collection
==========================

A kernel between systems is enough for a map in which similar sequences are close. Kernel PCA places
the 270 utterances of JapaneseVowels in the plane, once by their dynamics alone and once with the
mean of each utterance as well. Speakers are hard to tell apart by dynamics. Their means separate
them better.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from ldslearn import LDSEncoder
from ldslearn.datasets import load_japanese_vowels
from ldslearn.geometry import pairwise_kernel

# %%
# A kernel is a name, or a mapping of names to weights. The projection kernel has the number of
# states on its diagonal, so its weight is divided by it.

X, y, _, _ = load_japanese_vowels()
systems = LDSEncoder(n_states=3).fit_transform(X)
kernels = {
    "dynamics": {"projection": 1 / 3},
    "dynamics and means": {"projection": 0.5 / 3, "mean": 0.5},
}

# %%
# Two coordinates do not show everything, so the separation of speakers in each map is measured by
# five nearest neighbours.

fig, axes = plt.subplots(1, 2, figsize=(11, 4.8), layout="constrained")
for ax, (name, kernel) in zip(axes, kernels.items(), strict=True):
    gram = pairwise_kernel(systems, systems, kernel)
    places = KernelPCA(2, kernel="precomputed").fit_transform(gram)
    score = cross_val_score(KNeighborsClassifier(5), places, y, cv=5).mean()
    print(f"{name}: {score:.0%} of the speakers are recognised on the map")
    for number, label in enumerate(np.unique(y)):
        ax.scatter(*places[y == label].T, s=16, color=f"C{number}", label=str(label))
    ax.set(title=f"{name}: {score:.0%} recognised", xlabel="first coordinate")
    ax.set(ylabel="second coordinate", xticks=[], yticks=[])
fig.legend(
    *axes[0].get_legend_handles_labels(), title="speaker", loc="outside right", frameon=False
)
plt.show()
