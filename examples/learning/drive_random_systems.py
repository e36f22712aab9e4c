"""
Drive random systems
====================

Random systems describe a sequence without a fit: the sequence drives them, and the share of time
points at which an output exceeds a threshold is a feature. This example draws the outputs of two
systems for one sequence of BasicMotions, and the channels and frequencies that decided its label.
"""

import matplotlib.pyplot as plt
import numpy as np

from ldslearn import RandomSystemsClassifier
from ldslearn.datasets import load_basic_motions

RATE = 10.0  # Hz
CHANNELS = ("acceleration x", "acceleration y", "acceleration z", "turn x", "turn y", "turn z")

# %%
# The classifier has no parameters to choose. ``explain`` splits the difference of two scores into
# contributions of channels and systems.

X_train, y_train, X_test, y_test = load_basic_motions()
model = RandomSystemsClassifier(random_state=0).fit(X_train, y_train)
print(f"accuracy {model.score(X_test, y_test):.3f}")

query = int(np.flatnonzero(y_test == "Running")[0])
why = model.explain(X_test[[query]], rate=RATE, channel_names=CHANNELS)
print(why)

# %%
# Top: the standardised sequence, and the outputs of the two most important systems that are counted
# over all of it. The shaded parts are above the threshold in the middle. Bottom: contributions to
# the score of the predicted class, less that of the next one.

transformer = model.transformer_
bank = transformer.bank_
x = (X_test[query] - transformer.mean_[:, None]) / transformer.scale_[:, None]
outputs = transformer.compute_outputs(X_test[[query]])[0]
whole = [k for k in why.rank_systems() if bank.stops[k] - bank.starts[k] == 1]
slow = next(k for k in whole if bank.angles[k] == 0)
fast = next(k for k in whole if bank.angles[k] > 0)
seconds = np.arange(x.shape[1]) / RATE

fig, axes = plt.subplot_mosaic(
    [["input", "slow", "fast"], ["channels", "channels", "frequencies"]],
    figsize=(11, 6), layout="constrained",
)  # fmt: skip
axes["input"].plot(seconds, x.T, linewidth=0.8)
axes["input"].set(title="standardised sequence", xlabel="seconds")
for name, k in (("slow", slow), ("fast", fast)):
    threshold = bank.thresholds[k, bank.thresholds.shape[1] // 2]
    axes[name].plot(seconds, outputs[k], color="#2f6db0")
    axes[name].axhline(threshold, color="#d9742b", linewidth=0.8)
    axes[name].fill_between(
        seconds, threshold, outputs[k], where=outputs[k] > threshold, color="#d9742b", alpha=0.4
    )
    share = np.mean(outputs[k] > threshold)
    words = why.describe_system(k).replace(", ", "\n", 1)
    axes[name].set_title(f"{words}\n{100 * share:.0f} % above the threshold", fontsize=9)
    axes[name].set_xlabel("seconds")
order = why.rank_channels()
axes["channels"].barh([CHANNELS[i] for i in order], why.channels[0, order], color="#2f6db0")
axes["channels"].invert_yaxis()
axes["channels"].set_title(f"channels: {why.labels[0]} rather than {why.against[0]}")
bands = why.sum_by_frequency()
names = [f"{low:.2g} to {high:.2g} Hz" if high else "no oscillation" for low, high, _ in bands]
axes["frequencies"].barh(names, [values[0] for _, _, values in bands], color="#3c8f5a")
axes["frequencies"].invert_yaxis()
axes["frequencies"].set_title("frequencies of the systems")
plt.show()
