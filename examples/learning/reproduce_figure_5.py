"""
Reproduce Figure 5 of the paper
===============================

Figure 5 of the paper compares sparse coding with finite observability matrices of L blocks
(gLDS-SC) and with infinite ones (LDS-SC-Grass), and three methods for several numbers of states n.
This example repeats panels (a) and (c) on a small set of generated textures. The finite method
approaches the infinite one as L grows, and LDS-SC-Grass is the best of three from five states on.
``ldslearn reproduce fig5`` repeats the whole figure, with times and tests of the claims.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from ldslearn import LDSEncoder, NearestLDSClassifier, SparseCodingClassifier
from ldslearn.datasets import make_dynamic_textures
from ldslearn.plot import plot_lines
from ldslearn.video import to_sequence

# %%
# The clips vary strongly and are noisy. Five random halves are used for training, the other halves
# for testing.

videos, kinds = make_dynamic_textures(
    n_per_class=16, size=16, n_frames=50, jitter=0.8, noise=0.2, random_state=0
)
X = [to_sequence(video) for video in videos]
random = np.random.default_rng(0)
halves = [np.split(random.permutation(len(X)), 2) for _ in range(5)]


def score(classifier, systems):
    """Return mean and standard deviation of the accuracy over the halves."""
    found = [
        classifier.fit(systems[train], kinds[train]).score(systems[test], kinds[test])
        for train, test in halves
    ]
    return np.mean(found), np.std(found)


def make_curve(name, x, scores):
    """Return a curve for ``plot_lines``."""
    y, spread = zip(*scores, strict=True)
    return {"name": name, "x": x, "y": y, "spread": spread}


# %%
# Panel (a): accuracy against L, with ten states.

orders = [1, 2, 3, 5, 10]
systems = LDSEncoder(n_states=10).fit_transform(X)
infinite = score(SparseCodingClassifier(sparsity=0.1), systems)
finite = [
    score(SparseCodingClassifier("finite", sparsity=0.1, kernel_params={"order": L}), systems)
    for L in orders
]
print(f"gLDS-SC: {finite[0][0]:.1%} at L = 1, {finite[-1][0]:.1%} at L = 10")
print(f"LDS-SC-Grass: {infinite[0]:.1%}")

# %%
# Panel (c): accuracy against n. The Martin kernel is indefinite: its negative eigenvalues are set
# to zero, with a warning that is silenced here.

states = [2, 5, 10, 15]
methods = {
    "LDS-Martin": NearestLDSClassifier("martin"),
    "LDS-SC-Martin": SparseCodingClassifier(
        "martin", sparsity=0.1, kernel_params={"bandwidth": 200.0}
    ),
    "LDS-SC-Grass": SparseCodingClassifier(sparsity=0.1),
}
by_states = {name: [] for name in methods}
for n_states in states:
    systems = LDSEncoder(n_states=n_states).fit_transform(X)
    for name, method in methods.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            by_states[name].append(score(method, systems))

# %%
# Bars are standard deviations over the five halves. Compare the shapes of the curves with the
# paper, not the values: the paper uses other data.

common = {"y_label": "accuracy (%)", "percent": True}
panel_a = {
    "series": [
        make_curve("gLDS-SC", orders, finite),
        {"name": "LDS-SC-Grass", "x": orders, "y": [infinite[0]] * len(orders)},
    ],
    "x_label": "number of blocks L",
    "title": "(a) accuracy against L, n = 10",
}
panel_c = {
    "series": [make_curve(name, states, scores) for name, scores in by_states.items()],
    "x_label": "number of states n",
    "title": "(c) accuracy against n",
}
fig, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
plot_lines(panel_a | common, axes[0])
plot_lines(panel_c | common, axes[1])
plt.show()
