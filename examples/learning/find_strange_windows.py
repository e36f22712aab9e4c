"""
Find strange windows of a recording
===================================

``LDSNovelty`` learns from normal sequences alone. Here these are people who walk, stand and play
badminton; nobody runs. A long recording of the same activities, with running in its middle, is then
scored window by window.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline

from ldslearn import LDSEncoder, LDSNovelty
from ldslearn.datasets import load_basic_motions

X_train, y_train, X_test, y_test = load_basic_motions()
normal = X_train[y_train != "Running"]

# %%
# Both kernels of the mixture count the same: the projection kernel of a system with itself is its
# number of states, the mean kernel 1. At most 5 % of normal windows may be called strange.

kernel = {"projection": 1 / 6, "mean": 1.0}
detector = make_pipeline(LDSEncoder(6, delays=2), LDSNovelty(kernel, contamination=0.05))
detector.fit(normal)
scores = detector.decision_function(X_test)
for label in np.unique(y_test):
    print(f"{label}: {np.mean(scores[y_test == label] < 0):.0%} strange")

# %%
# A recording is made of test sequences: standing, walking, running, walking, badminton. Windows are
# as long as the training sequences and overlap by three quarters.

order = ["Standing", "Walking", "Running", "Walking", "Badminton"]
parts = [X_test[y_test == label][2 + number] for number, label in enumerate(order)]
recording = np.concatenate(parts, axis=1)
length = parts[0].shape[1]
starts = np.arange(0, recording.shape[1] - length + 1, length // 4)
windows = [recording[:, start : start + length] for start in starts]
decisions = detector.decision_function(windows)

fig, (top, bottom) = plt.subplots(2, 1, figsize=(9, 4.5), layout="constrained", sharex=True)
top.plot(recording[0], color="#2f6db0", linewidth=0.8)
for number, label in enumerate(order):
    top.text((number + 0.5) * length, recording[0].max(), label, ha="center", va="top")
top.set_ylabel("acceleration x")
middles = starts + length / 2
bottom.plot(middles, decisions, "o-", color="#2f6db0")
strange = decisions < 0
bottom.plot(middles[strange], decisions[strange], "o", color="#c0392b", label="strange")
bottom.axhline(0, color="0.6", linewidth=1)
bottom.axvspan(2 * length, 3 * length, color="#c0392b", alpha=0.1)
bottom.set(xlabel="time point (middle of the window)", ylabel="score less offset")
bottom.legend(frameon=False)
plt.show()
