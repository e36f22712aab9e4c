"""
Explain one prediction
======================

Classification by sparse coding can be inspected. Print and plot which training systems represent
one test sequence of the class Badminton, and the residual of each class. The class with the
smallest residual is the prediction. Writes ``explain_one_query.png``.
"""

import numpy as np
from matplotlib.figure import Figure

from ldslearn import LDSEncoder, SparseCodingClassifier
from ldslearn.coding import sparse_path
from ldslearn.datasets import load_basic_motions
from ldslearn.plot import plot_code, plot_path, plot_residuals

X_train, y_train, X_test, y_test = load_basic_motions()
encoder = LDSEncoder(n_states=10, delays=5)
classifier = SparseCodingClassifier(sparsity=0.5).fit(encoder.fit_transform(X_train), y_train)

query = np.flatnonzero(y_test == "Badminton")[3]
system = encoder.transform(X_test[[query]])
code, residuals = classifier.codes_for(system)[0], classifier.residuals_for(system)[0]
print(f"true class {y_test[query]}, predicted class {classifier.predict(system)[0]}")
print(
    f"{np.count_nonzero(code)} of {len(code)} training systems are used; the largest coefficients:"
)
for atom in np.argsort(-np.abs(code))[:5]:
    print(f"  {code[atom]:+.3f} x training system {atom} ({y_train[atom]})")
for label, residual in zip(classifier.classes_, residuals, strict=True):
    print(f"  {label:>10}: residual {residual:.2f} ({system.n_states} without atoms)")

figure = Figure(figsize=(11, 7.5), layout="constrained")
top, bottom = figure.subplots(2, 2, width_ratios=[1.4, 1])
kernel = classifier.coder_.kernel_
plot_code(code, y_train, top[0]).set_title("coefficients of the training systems")
plot_residuals(residuals, classifier.classes_, top[1]).set_title("residual of each class")
path = sparse_path(kernel.gram, kernel.cross(system)[0], 0.01)
plot_path(path, y_train, bottom[0]).set_title("coefficients for every sparsity")
bottom[0].axvline(classifier.sparsity, color="grey", linestyle=":", label="sparsity used")
bottom[0].legend(frameon=False)
nearest = np.argsort(-code)[:3]
for place, (name, sequence) in enumerate(
    [("query", X_test[query])]
    + [(f"{y_train[atom]}, system {atom} ({code[atom]:+.2f})", X_train[atom]) for atom in nearest]
):
    scaled = sequence[0] / np.abs(sequence[0]).max()
    bottom[1].plot(scaled - 2.2 * place, color="black" if place == 0 else "tab:grey")
    bottom[1].text(0, -2.2 * place + 1.05, name, fontsize=9)
bottom[1].set(
    title="query and main atoms, channel 1",
    yticks=[],
    xlabel="time",
    ylim=(-7.9, 1.8),
)

figure.savefig("explain_one_query.png", dpi=110)
print("wrote explain_one_query.png")
