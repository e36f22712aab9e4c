"""
Learn atoms for every class
===========================

The hierarchical scheme of the paper learns one dictionary per class and joins them. Codes then say
which class a system resembles, and the class with the smallest residual is predicted. Two atoms per
class are nearly as accurate as all forty training systems.
"""

import matplotlib.pyplot as plt
import numpy as np

from ldslearn import DictionaryClassifier, LDSDictionary, LDSEncoder, SparseCodingClassifier
from ldslearn.datasets import load_basic_motions

# %%
# ``per_class=True`` learns two atoms for each of the four classes. ``"residual"`` predicts the
# class whose atoms leave the smallest residual.

X_train, y_train, X_test, y_test = load_basic_motions()
encoder = LDSEncoder(n_states=10, delays=5)
systems, queries = encoder.fit_transform(X_train), encoder.transform(X_test)

model = DictionaryClassifier(LDSDictionary(2, random_state=0), "residual", per_class=True)
model.fit(systems, y_train)
everything = SparseCodingClassifier().fit(systems, y_train)
print(f"accuracy with 2 atoms per class: {model.score(queries, y_test):.1%}")
print(f"accuracy with all 40 training systems: {everything.score(queries, y_test):.1%}")

# %%
# Codes of the test systems, sorted by class. Symmetric and skew-symmetric parts have separate
# atoms, so the classes appear twice. Systems use mostly atoms of their own class: the blocks on the
# two diagonals.

codes = model.dictionary_.transform(queries)
order = np.argsort(y_test, kind="stable")
owner = model.classes_[np.tile(model.atom_classes_, 2)]
own = np.abs(codes[owner == y_test[:, None]]).sum() / np.abs(codes).sum()
print(f"{own:.0%} of the weight of all codes is on atoms of the true class")

fig, ax = plt.subplots(figsize=(8, 5.4), layout="constrained")
limit = np.abs(codes).max()
image = ax.imshow(codes[order], aspect="auto", cmap="RdBu_r", vmin=-limit, vmax=limit)
fig.colorbar(image, ax=ax, label="coefficient")
for edge in range(1, 4):
    ax.axhline(10 * edge - 0.5, color="0.6", linewidth=0.8)
for edge in range(1, 8):
    ax.axvline(2 * edge - 0.5, color="0.6" if edge != 4 else "black", linewidth=0.8)
ax.set_yticks(10 * np.arange(4) + 4.5, model.classes_)
ax.set_xticks(2 * np.arange(8) + 0.5, np.tile(model.classes_, 2), rotation=30, ha="right")
ax.set(xlabel="atoms: symmetric parts | skew-symmetric parts", ylabel="class of the test system")
ax.set_title("codes on two atoms per class")
plt.show()
