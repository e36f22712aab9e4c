"""
Choose everything automatically
===============================

``AutoLDSClassifier`` needs no settings. It tries encodings, kernels, classifiers and random systems
within a time budget, and combines the best by folds of the training sequences. The accuracy that
it expects can be compared with the accuracy on test sequences.
"""

import matplotlib.pyplot as plt
import numpy as np

from ldslearn import AutoLDSClassifier
from ldslearn.datasets import load_basic_motions

# %%
# The default budget is 60 seconds. Ten seconds suffice for a first answer. The result depends on
# how much can be tried in that time.

X_train, y_train, X_test, y_test = load_basic_motions()
model = AutoLDSClassifier(time_budget=10, random_state=0).fit(X_train, y_train)
report = model.report_
print(report)
print(f"accuracy on the test sequences: {model.score(X_test, y_test):.1%}")

# %%
# Left: members of the ensemble, ranked by their loss in the folds: minus the mean logarithm of the
# probability of the true class. The loss also ranks members of equal accuracy. Right: the
# probabilities of the test sequences, one row per sequence. Where the model is right and sure, the
# block on the diagonal is dark.

best = sorted(report.members, key=lambda one: one["loss"])[:8]
names = [
    f"{one['classifier']}\n{one['n_states']} states, {one['delays']} delays, "
    f"windows {one['windows']}\n{' + '.join(one['weights'])}"
    if one["kind"] == "fitted systems"
    else f"{one['classifier']}\nrandom systems"
    for one in best
]
order = np.argsort(y_test, kind="stable")
fig, (left, right) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
bars = left.barh(range(len(best)), [one["loss"] for one in best], color="C0")
left.bar_label(bars, [f"{one['accuracy']:.0%} correct" for one in best], padding=3)
left.set_yticks(range(len(best)), names, fontsize=8)
left.set(xlabel="loss in the folds", title="best members")
left.set(xlim=(0, 1.5 * max(one["loss"] for one in best)))
left.set_ylim(max(len(best), 5) - 0.5, -0.5)  # best on top; few bars stay thin

image = right.imshow(
    model.predict_proba(X_test)[order], aspect="auto", cmap="Blues", vmin=0, vmax=1
)
fig.colorbar(image, ax=right, label="probability")
right.set_xticks(range(4), model.classes_)
right.set_yticks(10 * np.arange(4) + 4.5, model.classes_)
for edge in range(1, 4):
    right.axhline(10 * edge - 0.5, color="0.6", linewidth=0.8)
right.set(title="test sequences", xlabel="class", ylabel="class of the test sequence")
plt.show()
