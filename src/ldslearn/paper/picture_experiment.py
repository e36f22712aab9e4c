"""Fig. 13: pictures of atoms."""

from typing import Any

import numpy as np

from ldslearn.paper import panels
from ldslearn.paper.experiment import Experiment, Outcome, Results
from ldslearn.paper.ledger import Run
from ldslearn.paper.plans import Plan
from ldslearn.paper.sources import Source

Settings = dict[str, Any]


class Pictures(Experiment):
    """Fig. 13."""

    def runs(self, source: Source, settings: Settings) -> dict[Any, Run]:
        """One run."""
        names = ("n_atoms", "n_states", "sparsity", "iterations", "seed")
        classes = settings.get("classes", source.data.classes[: settings["n_classes"]])
        wanted = {**{key: settings[key] for key in names}, "classes": classes}
        return {0: Run("picture", source, wanted)}

    def show(self, plan: Plan, sources: list[Source], results: Results, settings: Any) -> Outcome:
        """Eigenvalues and columns before and after, and films of the atoms."""
        source = sources[0]
        numbers = results[source.name][0]
        shape, atoms = numbers["frame_shape"], numbers["atoms"]
        classes = ", ".join(numbers["classes"])
        outcome = Outcome([])
        if settings[source.name]["samples"]:
            note = "Rows are classes."
            outcome.panels.append(panels.images("samples", numbers["samples"], shape, note))
        for part in ("symmetric", "skew"):
            groups = {
                when: [np.ravel(values).tolist() for values in atoms[when][part]["eigenvalues"]]
                for when in ("before", "after")
            }
            outcome.panels.append(panels.eigenvalues(f"eigenvalues of the {part} parts", groups))
        for part in ("symmetric", "skew"):
            for when in ("before", "after"):
                title = f"measurement columns of the {part} parts, {when} learning"
                note = "Rows are atoms, columns states."
                outcome.panels.append(
                    panels.images(title, atoms[when][part]["columns"], shape, note)
                )
        note = (
            f"{source.title}, classes {classes}; atoms start from class {numbers['classes'][0]}. "
            f"Of {len(numbers['movie'])} atoms {_count_moved(atoms, 'symmetric')} have left the "
            "space of their symmetric part by learning, "
            f"{_count_moved(atoms, 'skew')} that of their skew part. "
            "Films are simulated from the symmetric parts of the learned atoms."
        )
        outcome.panels.append(panels.movies("the atoms, moving", numbers["movie"], shape, note))
        history = [[value] for value in numbers["objective"]]
        curve = {"LDS-DL": (list(range(len(history))), history)}
        outcome.panels.append(panels.lines("objective per system", "iteration", "objective", curve))
        return outcome


def _count_moved(atoms: dict[str, Any], part: str) -> int:
    """Atoms whose columns have less than nine tenths of their space in common with before."""
    columns = (np.asarray(atoms[when][part]["columns"], float) for when in ("before", "after"))
    first, second = (np.linalg.qr(np.swapaxes(rows, 1, 2))[0] for rows in columns)
    shared = np.square(np.swapaxes(first, 1, 2) @ second).sum(axis=(1, 2))
    return int((shared < 0.9 * first.shape[2]).sum())
