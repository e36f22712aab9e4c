"""
Learn a dictionary
==================

A dictionary is a small set of systems, its atoms, by which every other system is approximated.
Eight atoms are learned from clips of six kinds of moving textures, once from a random start and
once from k-means. The objective never rises. Codes on learned atoms classify new clips better than
codes on systems sampled at random.
"""

import matplotlib.pyplot as plt

from ldslearn import DictionaryClassifier, LDSDictionary, LDSEncoder
from ldslearn.datasets import make_dynamic_textures
from ldslearn.plot import plot_columns, plot_eigenvalues, plot_objective
from ldslearn.video import to_sequence

# %%
# Every second clip is for training, the others for testing.

videos, kinds = make_dynamic_textures(n_per_class=12, size=20, n_frames=60, random_state=0)
systems = LDSEncoder(n_states=6).fit_transform([to_sequence(video) for video in videos])
train, test = slice(0, None, 2), slice(1, None, 2)

sampled = LDSDictionary(n_atoms=8, init="random", max_iter=0, random_state=0).fit(systems[train])
learned = {
    init: LDSDictionary(n_atoms=8, init=init, random_state=0).fit(systems[train])
    for init in ("random", "kmeans")
}
for init, dictionary in learned.items():
    first, last = dictionary.objective_[[0, -1]]
    print(f"init={init!r}: objective {first:.1f} -> {last:.1f} in {dictionary.n_iter_} iterations")

# %%
# A linear SVM classifies the codes.

for name, dictionary in {"sampled": sampled, "learned": learned["kmeans"]}.items():
    classifier = DictionaryClassifier(dictionary).fit(systems[train], kinds[train])
    print(f"accuracy with {name} atoms: {classifier.score(systems[test], kinds[test]):.0%}")

# %%
# k-means starts at a lower objective and stops earlier. Symmetric parts have real eigenvalues,
# skew-symmetric parts imaginary ones. The images are the columns of the measurement matrices of the
# atoms, one row per atom. Symmetric and skew-symmetric parts have separate atoms: symmetric atom 1
# and skew atom 1 are unrelated.

atoms = learned["kmeans"].atoms_
fig, axes = plt.subplots(2, 2, figsize=(10, 8.5), layout="constrained")
plot_objective({f"init={init!r}": d.objective_ for init, d in learned.items()}, axes[0, 0])
axes[0, 0].set(title="objective", xticks=range(0, 21, 5))
plot_eigenvalues(atoms.systems(), axes[0, 1]).set_title("eigenvalues of the learned atoms")
plot_columns(atoms.symmetric.measurement, (20, 20), axes[1, 0]).set_title("symmetric parts")
plot_columns(atoms.skew.basis, (20, 20), axes[1, 1]).set_title("skew-symmetric parts")
plt.show()
