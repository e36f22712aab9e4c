"""
Find when something happens
===========================

One system per sequence does not say *when* something happens. Two classes are generated whose
sequences contain the same two movements in opposite order. One system per sequence often confuses
them. Two or more windows with a system each separate all of them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from ldslearn import LDSEncoder, SparseCodingClassifier

# %%
# A slow oscillation is followed by a fast one, or the other way round, in three noisy channels. The
# change happens near the middle, at a random time.


def make_sequence(slow_first, random):
    """Return a sequence of three channels and 120 time points."""
    time = np.arange(120)
    change = random.integers(54, 67)
    is_slow = (time < change) == slow_first
    phase = np.cumsum(2 * np.pi * np.where(is_slow, 0.04, 0.15))
    shifts = random.uniform(0, 2 * np.pi) + np.array([[0.0], [1.0], [2.0]])
    return np.sin(phase + shifts) + 0.3 * random.standard_normal((3, 120))


random = np.random.default_rng(0)
y = np.repeat(["slow first", "fast first"], 30)
X = [make_sequence(label == "slow first", random) for label in y]

# %%
# ``windows=W`` cuts each sequence into W windows of equal length. Kernels are averaged over windows
# at the same place.

windows = [1, 2, 4, 8]
accuracy = []
for number in windows:
    encoder = LDSEncoder(n_states=4, delays=4, windows=number)
    model = make_pipeline(encoder, SparseCodingClassifier(sparsity=0.1))
    accuracy.append(cross_val_score(model, X, y, cv=5).mean())
    print(f"windows={number}: accuracy {accuracy[-1]:.0%}")

# %%
# Left: one sequence of each class. Right: accuracy in five folds. Chance is 50 %.

fig, (left, right) = plt.subplots(
    1, 2, figsize=(10, 3.8), layout="constrained", width_ratios=[1.5, 1]
)
for level, label in enumerate(np.unique(y)):
    example = X[int(np.flatnonzero(y == label)[0])]
    left.plot(example[0] - 4 * level, color=f"C{level}")
left.axvline(60, color="0.5", linestyle=":")
left.set_yticks([0, -4], np.unique(y))
left.set(xlabel="time point", title="first channel; dotted: border of two windows", xlim=(0, 119))
bars = right.bar(range(len(windows)), 100 * np.array(accuracy), color="0.6")
right.bar_label(bars, fmt="%.0f")
right.axhline(50, color="black", linestyle="--", linewidth=1, label="chance")
right.set_xticks(range(len(windows)), windows)
right.set(xlabel="number of windows", ylabel="accuracy (%)", ylim=(0, 115))
right.legend(frameon=False, loc="upper left")
plt.show()
