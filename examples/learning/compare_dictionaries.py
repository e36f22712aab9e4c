"""
Compare kinds of dictionaries
=============================

A dictionary can be learned for the symmetric parts of systems, for their skew-symmetric parts, or
for both (two-fold, the default). This example compares how well codes of each kind classify new
clips, for several numbers of atoms. With two atoms, the two-fold dictionary is best: it has two
codes per atom. More atoms help all kinds, and make them about equal.
"""

import matplotlib.pyplot as plt
import numpy as np

from ldslearn import DictionaryClassifier, LDSDictionary, LDSEncoder
from ldslearn.datasets import make_dynamic_textures
from ldslearn.video import to_sequence

# %%
# Clips of six kinds of textures vary (``jitter``) and are noisy. Half of them are for training.

videos, kinds = make_dynamic_textures(
    n_per_class=12, size=16, n_frames=50, jitter=0.4, noise=0.05, random_state=0
)
systems = LDSEncoder(n_states=6).fit_transform([to_sequence(video) for video in videos])
train, test = slice(0, None, 2), slice(1, None, 2)

# %%
# A linear SVM classifies the codes. Every setting is repeated with three seeds.

atoms = [2, 4, 8]
parts = {"twofold": "two-fold", "symmetric": "symmetric", "skew": "skew-symmetric"}
accuracy = np.zeros((len(parts), len(atoms), 3))
for row, part in enumerate(parts):
    for column, n_atoms in enumerate(atoms):
        for seed in range(3):
            dictionary = LDSDictionary(n_atoms, parts=part, max_iter=5, random_state=seed)
            model = DictionaryClassifier(dictionary).fit(systems[train], kinds[train])
            accuracy[row, column, seed] = model.score(systems[test], kinds[test])
    print(f"{parts[part]:>14}: {accuracy[row, 0].mean():.0%} with 2 atoms, "
          f"{accuracy[row, -1].mean():.0%} with 8")  # fmt: skip

# %%
# Means over the seeds. Bars show the smallest and the largest.

fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
for row, (name, marker) in enumerate(zip(parts.values(), "os^", strict=True)):
    mean = 100 * accuracy[row].mean(axis=1)
    low, high = 100 * accuracy[row].min(axis=1), 100 * accuracy[row].max(axis=1)
    places = np.array(atoms) * 1.03 ** (row - 1)  # side by side
    ax.errorbar(places, mean, [mean - low, high - mean], marker=marker, capsize=3, label=name)
ax.set(xscale="log", xlabel="number of atoms", ylabel="accuracy (%)")
ax.set_title("accuracy of codes on new clips")
ax.set_xticks(atoms, atoms)
ax.minorticks_off()
ax.legend(frameon=False)
plt.show()
