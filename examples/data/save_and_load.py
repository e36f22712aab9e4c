"""
Save and load a model
=====================

``ldslearn.save`` writes a fitted estimator to one file, and ``ldslearn.load`` reads it. The loaded
model returns exactly the same results. A file contains arrays and text, and nothing that is
executed. Its size depends mostly on the number of systems that the model keeps.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.pipeline import make_pipeline

import ldslearn
from ldslearn import (
    DictionaryClassifier,
    LDSDictionary,
    LDSEncoder,
    NearestLDSClassifier,
    SparseCodingClassifier,
)
from ldslearn.datasets import load_basic_motions

# %%
# Three classifiers keep all training systems, or only the atoms of a dictionary.

X_train, y_train, X_test, y_test = load_basic_motions()
classifiers = {
    "nearest neighbour": NearestLDSClassifier(),
    "sparse coding": SparseCodingClassifier(),
    "dictionary of 8 atoms": DictionaryClassifier(LDSDictionary(8, max_iter=5, random_state=0)),
}

# %%
# The file is written to a temporary folder here. ``about`` may hold notes of your own.

sizes, accuracy = {}, {}
with tempfile.TemporaryDirectory() as folder:
    for name, classifier in classifiers.items():
        model = make_pipeline(LDSEncoder(n_states=10, delays=5), classifier).fit(X_train, y_train)
        path = Path(folder) / "model.lds"
        ldslearn.save(model, path, about={"data": {"name": "BasicMotions"}})
        sizes[name] = path.stat().st_size / 1000
        loaded = ldslearn.load(path)
        same = (loaded.decision_function(X_test) == model.decision_function(X_test)).all()
        accuracy[name] = loaded.score(X_test, y_test)
        print(f"{name}: same results after loading: {same}; accuracy {accuracy[name]:.1%}")

# %%
# Sizes of the files, with the accuracy of each model.

fig, ax = plt.subplots(figsize=(8, 2.8), layout="constrained")
bars = ax.barh(list(sizes), list(sizes.values()), color="C0")
labels = [f"{sizes[name]:.0f} kB, accuracy {accuracy[name]:.1%}" for name in sizes]
ax.bar_label(bars, labels, padding=4)
ax.set(xlabel="size of the file (kB)", xlim=(0, 1.6 * max(sizes.values())))
ax.invert_yaxis()
plt.show()
