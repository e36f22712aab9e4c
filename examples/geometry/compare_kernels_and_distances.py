"""
Compare kernels and distances
=============================

Systems can be compared in several ways. Six kernels and distances of the same forty systems are
drawn side by side, grouped by class. Bright is similar in all pictures. A good measure has bright
blocks on the diagonal only. Here, the deviation kernel, which compares the size of movements, and
the Kullback-Leibler divergence (kl) find the class of every sequence. Other data need other
kernels.
"""

import matplotlib.pyplot as plt
import numpy as np

from ldslearn import LDSEncoder
from ldslearn.datasets import load_basic_motions
from ldslearn.geometry import pairwise_distance, pairwise_kernel
from ldslearn.plot import plot_matrix

# %%
# Kernels measure similarity, distances dissimilarity. All of them compare two batches of systems
# and return a matrix. The projection and the Martin functions compare observability subspaces. The
# two-fold kernel compares symmetric and skew-symmetric parts. The covariance kernel compares the
# directions of noise, and the deviation kernel the size of movements. The Kullback-Leibler
# divergence rate (kl) compares the distributions of the outputs. It is not symmetric. Its values
# differ by orders of magnitude, so its logarithm is drawn.

X, y, _, _ = load_basic_motions()
systems = LDSEncoder(n_states=10, delays=5).fit_transform(X)
kernels = {
    name: pairwise_kernel(systems, systems, name)
    for name in ("projection", "twofold", "covariance", "deviation")
}
distances = {
    "martin": pairwise_distance(systems, systems, "martin"),
    "log kl": np.log1p(pairwise_distance(systems, systems, "kl")),
}

# %%
# How often does the most similar other sequence belong to the same class?


def score_neighbours(similarity, labels):
    """Return the fraction of sequences whose most similar other one has the same label."""
    others = similarity.copy()
    np.fill_diagonal(others, -np.inf)
    return (labels[others.argmax(axis=1)] == labels).mean()


scores = {name: score_neighbours(kernel, y) for name, kernel in kernels.items()}
scores |= {name: score_neighbours(-distance, y) for name, distance in distances.items()}
for name, score in scores.items():
    print(f"{name:>10}: {score:.0%} of the nearest neighbours have the same class")

# %%
# The matrices, with one row and column per sequence, class by class.

fig, axes = plt.subplots(2, 3, figsize=(12, 7.6), layout="constrained")
for ax, (name, matrix) in zip(axes.flat, (kernels | distances).items(), strict=True):
    plot_matrix(matrix, y, ax, cmap="viridis" if name in kernels else "viridis_r")
    ax.set_title(
        f"{name} {'kernel' if name in kernels else 'distance'}: {scores[name]:.0%} correct"
    )
    ax.label_outer()
plt.show()
