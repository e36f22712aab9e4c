"""
Learn a dictionary
==================

Learn a dictionary of eight atoms, for the symmetric and for the skew-symmetric parts of systems,
from a collection of dynamic textures. Plot the atoms before and after learning, and classify new
clips by their codes. Writes ``learn_a_dictionary.png``.
"""

from matplotlib.figure import Figure

from ldslearn import DictionaryClassifier, LDSDictionary, LDSEncoder
from ldslearn.datasets import make_dynamic_textures
from ldslearn.plot import plot_columns, plot_eigenvalues, plot_objective
from ldslearn.video import to_sequence

videos, kinds = make_dynamic_textures(n_per_class=12, size=20, n_frames=60, random_state=0)
sequences = [to_sequence(video) for video in videos]
systems = LDSEncoder(n_states=6).fit_transform(sequences)
train, test = slice(0, None, 2), slice(1, None, 2)

initial = LDSDictionary(n_atoms=8, init="random", max_iter=0, random_state=0).fit(systems[train])
learned = {
    init: LDSDictionary(n_atoms=8, init=init, random_state=0).fit(systems[train])
    for init in ("random", "kmeans")
}
for init, dictionary in learned.items():
    print(
        f"{init:>6}: objective {dictionary.objective_[0]:.1f} -> {dictionary.objective_[-1]:.1f} "
        f"in {dictionary.n_iter_} iterations; stopped: {dictionary.stopped_}"
    )
for name, dictionary in {"initial": initial, "learned": learned["kmeans"]}.items():
    score = (
        DictionaryClassifier(dictionary)
        .fit(systems[train], kinds[train])
        .score(systems[test], kinds[test])
    )
    print(f"accuracy of a linear SVM on codes of {name} atoms: {score:.1%}")

figure = Figure(figsize=(12, 7), layout="constrained")
axes = figure.subplots(2, 3)
plot_objective({init: d.objective_ for init, d in learned.items()}, axes[0, 0])
axes[0, 0].set_title("objective")
plot_eigenvalues(learned["kmeans"].atoms_.systems(), axes[1, 0]).set_title(
    "eigenvalues of learned atoms"
)
for column, (name, d) in enumerate({"initial": initial, "learned": learned["kmeans"]}.items(), 1):
    plot_columns(d.atoms_.symmetric.measurement, (20, 20), axes[0, column])
    axes[0, column].set_title(f"symmetric parts, {name}")
    plot_columns(d.atoms_.skew.basis, (20, 20), axes[1, column])
    axes[1, column].set_title(f"skew parts, {name}")
figure.savefig("learn_a_dictionary.png", dpi=110)
print("wrote learn_a_dictionary.png")
