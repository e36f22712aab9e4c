"""
Search a grid of hyperparameters
================================

Encoder and classifier form an ordinary scikit-learn pipeline, so ``GridSearchCV`` works on a plain
list of sequences. It chooses the number of states and of delays by three folds of the training
sequences. Four or more delays and states are best on these data.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from ldslearn import LDSEncoder, SparseCodingClassifier
from ldslearn.datasets import load_basic_motions

# %%
# Names of parameters follow scikit-learn: step, two underscores, parameter.

X_train, y_train, X_test, y_test = load_basic_motions()
model = make_pipeline(LDSEncoder(), SparseCodingClassifier(sparsity=0.1))
states, delays = [2, 4, 6], [1, 2, 4, 8]
grid = {"ldsencoder__n_states": states, "ldsencoder__delays": delays}
search = GridSearchCV(model, grid, cv=3).fit(X_train, y_train)
print(search.best_params_)
print(f"accuracy in the folds {search.best_score_:.1%}, on the test sequences "
      f"{search.score(X_test, y_test):.1%}")  # fmt: skip

# %%
# Accuracy of every combination in the folds. The frame marks the choice. With forty training
# sequences, one sequence counts 2.5 points, so neighbours of the best are about as good.

results = search.cv_results_
scores = np.zeros((len(delays), len(states)))
for params, score in zip(results["params"], results["mean_test_score"], strict=True):
    row = delays.index(params["ldsencoder__delays"])
    scores[row, states.index(params["ldsencoder__n_states"])] = 100 * score

fig, ax = plt.subplots(figsize=(6, 4.6), layout="constrained")
image = ax.imshow(scores, cmap="viridis", aspect="auto")
fig.colorbar(image, ax=ax, label="accuracy in the folds (%)")
for (row, column), score in np.ndenumerate(scores):
    color = "black" if score > scores.mean() else "white"
    ax.text(column, row, f"{score:.0f}", ha="center", va="center", color=color)
best = search.best_params_
place = (states.index(best["ldsencoder__n_states"]), delays.index(best["ldsencoder__delays"]))
ax.add_patch(plt.Rectangle((place[0] - 0.5, place[1] - 0.5), 1, 1, fill=False, ec="red", lw=3))
ax.set_xticks(range(len(states)), states)
ax.set_yticks(range(len(delays)), delays)
ax.set(xlabel="n_states", ylabel="delays")
plt.show()
