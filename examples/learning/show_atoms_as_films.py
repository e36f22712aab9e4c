"""
Show atoms as films
===================

An atom of a dictionary is a system, so it can be simulated. Six atoms are learned from clips of
three kinds of moving textures, and each is shown as a row of frames next to the clip that is most
similar to it. Every kind of texture has atoms of its own, and the films show which patterns an atom
can produce.
"""

import matplotlib.pyplot as plt
import numpy as np

from ldslearn import LDSDictionary, LDSEncoder
from ldslearn.datasets import make_dynamic_textures
from ldslearn.geometry import symmetric_kernel
from ldslearn.plot import plot_frames
from ldslearn.video import to_sequence, to_video

# %%
# ``parts="symmetric"`` learns atoms for the symmetric parts of systems, which describe how slowly
# patterns change. The objective falls while atoms are learned.

SIZE = 24
videos, kinds = make_dynamic_textures(
    ["waves", "flag", "rotating"], 12, size=SIZE, n_frames=60, random_state=0
)
systems = LDSEncoder(n_states=8).fit_transform([to_sequence(video) for video in videos])
dictionary = LDSDictionary(6, parts="symmetric", random_state=0).fit(systems)
atoms = dictionary.atoms_.systems()
print(f"objective {dictionary.objective_[0]:.1f} -> {dictionary.objective_[-1]:.1f}")

# %%
# Noise drives the simulation of an atom. Atoms have no mean image and no amplitude of their own:
# middle grey is the mean, and every film is scaled to its largest value. The first twenty frames
# are left out.

nearest = symmetric_kernel(atoms, systems).argmax(axis=1)
found = {str(kind): int((kinds[nearest] == kind).sum()) for kind in np.unique(kinds)}
print("atoms per kind of texture: " + ", ".join(f"{k} {n}" for k, n in found.items()))

fig, axes = plt.subplots(len(atoms), 2, figsize=(10, 8.4), layout="constrained")
for number, (left, right) in enumerate(axes):
    film = to_video(atoms[[number]].simulate(31, random_state=0)[0], (SIZE, SIZE))[20:]
    plot_frames(0.5 + 0.5 * film / np.abs(film).max(), left).set_title(f"film of atom {number + 1}")
    clip = nearest[number]
    plot_frames(videos[clip][20:31], right).set_title(f"most similar clip: {kinds[clip]}")
plt.show()
