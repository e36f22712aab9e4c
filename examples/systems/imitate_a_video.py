"""
Simulate a new video
====================

A system is fitted to a short clip of waves. It simulates a new clip from a random first state. The
new clip moves like the recorded one, but repeats none of its frames.
"""

import matplotlib.pyplot as plt
import numpy as np

from ldslearn import LDS, LDSEncoder
from ldslearn.datasets import make_dynamic_textures
from ldslearn.plot import plot_frames
from ldslearn.video import to_sequence, to_video

# %%
# Every pixel of the clip is a channel. ``stabilizer="clip"`` keeps movements that last.

videos, kinds = make_dynamic_textures(["waves"], 1, size=48, n_frames=60, random_state=0)
recorded = videos[0]
sequence = to_sequence(recorded)
fitted = LDSEncoder(n_states=10, stabilizer="clip", bound=0.999).fit_transform([sequence])

# %%
# A random combination of the states of the recording has their covariance. It is the first state of
# the new clip, and decides how strong its movements are. The simulation has no noise.

(states,) = fitted.states([sequence])
random = np.random.default_rng(1)
x0 = states @ random.standard_normal(states.shape[1]) / np.sqrt(states.shape[1])
system = LDS(fitted.A, fitted.C, fitted.B, fitted.mean, x0[None])
simulated = system.simulate(60, noise=False)[0]
clip = to_video(simulated, recorded.shape[1:])

# %%
# The most similar pair of a recorded and a new frame, by correlation, mean image subtracted.

mean = sequence.mean(axis=1, keepdims=True)
old, new = ((x - mean) / np.linalg.norm(x - mean, axis=0) for x in (sequence, simulated))
print(f"largest correlation of a new frame with a recorded one: {(old.T @ new).max():.2f}")
print(f"standard deviation of the pixels: recorded {recorded.std():.2f}, new {clip.std():.2f}")

fig, axes = plt.subplots(2, 1, figsize=(9, 3.7), layout="constrained")
plot_frames(recorded, axes[0]).set_title("recorded clip: 6 of 60 frames")
plot_frames(clip, axes[1]).set_title("simulated clip: 10 states, random first state")
plt.show()
