"""
Simulate a new video
====================

Fit a system to a short clip of waves and simulate a new clip from it, with a random first state.
The new clip moves like the old one, but repeats none of its frames. Writes
``imitate_a_video.png``.
"""

import numpy as np
from matplotlib.figure import Figure

from ldslearn.datasets import Collection, make_dynamic_textures
from ldslearn.models.synthesis import synthesize_from_sequence
from ldslearn.plot import plot_frames
from ldslearn.video import to_sequence, to_video

videos, kinds = make_dynamic_textures(n_per_class=1, size=48, n_frames=60, random_state=0)
old = videos[list(kinds).index("waves")]
sequence = to_sequence(old)
made, _ = synthesize_from_sequence(Collection([sequence]), 20, 60, seed=0)
new = to_video(made, old.shape[1:])

# Correlation of the most similar pair of an old and a new frame, mean image subtracted.
mean = sequence.mean(axis=1, keepdims=True)
first, second = ((x - mean) / np.linalg.norm(x - mean, axis=0) for x in (sequence, made))
print(f"largest correlation of a new frame with an old one: {(first.T @ second).max():.2f}")
print(f"standard deviation of the pixels: old {old.std():.2f}, new {new.std():.2f}")

figure = Figure(figsize=(10, 4.4), layout="constrained")
top, bottom = figure.subplots(2, 1)
plot_frames(old, top).set_title("recorded clip, 60 frames")
plot_frames(new, bottom).set_title("simulated clip, 20 states, random first state")
figure.savefig("imitate_a_video.png", dpi=100)
print("wrote imitate_a_video.png")
