"""
Predict numbers
===============

``LDSRegressor`` predicts numbers from systems. Here it reads the speed of a flag off short clips.
The penalty and the length scale are chosen by leaving one clip out, which needs no second fit. As a
Gaussian process, it also says how certain it is.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline

from ldslearn import LDSEncoder, LDSRegressor
from ldslearn.datasets import make_dynamic_textures
from ldslearn.video import to_sequence

# %%
# Eighty clips of flags, each with a speed of its own.

random = np.random.default_rng(0)
speeds = random.uniform(0.005, 0.03, 80)
X = []
for number, speed in enumerate(speeds):
    flag = {"flag": {"speed": float(speed)}}
    clips, _ = make_dynamic_textures(
        ["flag"], 1, size=16, n_frames=40, parameters=flag, jitter=0.0, random_state=number
    )
    X.append(to_sequence(clips[0]))

# %%
# Half of them are training data. The 95 % intervals should hold about 95 % of the speeds.

model = make_pipeline(LDSEncoder(8, delays=5), LDSRegressor(method="gaussian_process"))
model.fit(X[:40], speeds[:40])
mean, std = model.predict(X[40:], return_std=True)
truth = speeds[40:]
regressor = model[-1]
print(f"R^2 {model.score(X[40:], truth):.3f}")
print(f"inside of 95 % intervals: {np.mean(np.abs(mean - truth) < 1.96 * std):.0%}")

# %%
# Left: predictions with their 95 % intervals. Right: predictions of training clips by the model
# without each of them, from which the parameters were chosen.

fig, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharex=True, sharey=True)
axes[0].errorbar(1e3 * truth, 1e3 * mean, 1.96e3 * std, fmt="o", color="#2f6db0", markersize=4)
axes[0].set_title("new clips")
axes[1].plot(1e3 * speeds[:40], 1e3 * regressor.left_out_predictions_, "o", color="#d9742b")
axes[1].set_title("training clips, left out")
for ax in axes:
    ax.axline((15, 15), slope=1, color="0.6", linewidth=1)
    ax.set(xlabel="speed (thousandths of the picture per frame)", ylabel="predicted")
plt.show()
