"""
Explain one prediction
======================

Classification by sparse coding can be inspected: a test sequence is represented by a few training
systems. This example draws the code of one sequence of the class Badminton, the residual of each
class, and the code for every sparsity. The class with the smallest residual is the prediction.
"""

import matplotlib.pyplot as plt
import numpy as np

from ldslearn import LDSEncoder, SparseCodingClassifier
from ldslearn.coding import sparse_path
from ldslearn.datasets import load_basic_motions
from ldslearn.geometry import projection_kernel
from ldslearn.plot import plot_code, plot_path, plot_residuals

# %%
# The classifier keeps all forty training systems as atoms.

X_train, y_train, X_test, y_test = load_basic_motions()
encoder = LDSEncoder(n_states=10, delays=5)
systems = encoder.fit_transform(X_train)
classifier = SparseCodingClassifier(sparsity=0.5).fit(systems, y_train)

query = np.flatnonzero(y_test == "Badminton")[3]
system = encoder.transform(X_test[[query]])
code, residuals = classifier.codes_for(system)[0], classifier.residuals_for(system)[0]
print(f"true class {y_test[query]}, predicted class {classifier.predict(system)[0]}")
print(f"{np.count_nonzero(code)} of {len(code)} training systems are used")

# %%
# Left: the training systems of Badminton have most of the weight. Right: without any atom, the
# residual would be 10, the number of states. The atoms of Badminton reduce it most. Below: as the
# sparsity decreases, more training systems join. The dotted line is the sparsity of the classifier.

fig, axes = plt.subplot_mosaic(
    [["code", "residual"], ["path", "path"]], figsize=(10, 7.5), layout="constrained"
)
plot_code(code, y_train, axes["code"]).set_title("coefficients of the training systems")
plot_residuals(residuals, classifier.classes_, axes["residual"]).set_title("residual of each class")
path = sparse_path(projection_kernel(systems), projection_kernel(system, systems)[0], 0.01)
plot_path(path, y_train, axes["path"]).set_title("coefficients for every sparsity")
axes["path"].axvline(classifier.sparsity, color="grey", linestyle=":", label="sparsity used")
axes["path"].legend(frameon=False, loc="lower left")
plt.show()
