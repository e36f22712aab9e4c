"""Pictures of atoms before and after learning: Fig. 13."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn.dictionary import LDSDictionary
from ldslearn.models import LDS
from ldslearn.paper import panels
from ldslearn.paper.data_sets import DataSet
from ldslearn.paper.experiment import Experiment, Outcome, Results
from ldslearn.paper.ledger import Run
from ldslearn.paper.plans import Plan
from ldslearn.paper.rounds import Numbers, build_encoder, get_labels

_PIXEL_LEVELS = 127


class AtomPictures(Experiment):
    """Fig. 13."""

    def plan_runs(self, data_set: DataSet, settings: dict[str, Any]) -> dict[Any, Run]:
        """One run."""
        names = ("n_atoms", "n_states", "sparsity", "iterations", "seed")
        classes = settings.get("classes", data_set.data.classes[: settings["n_classes"]])
        wanted = {**{key: settings[key] for key in names}, "classes": classes}
        return {0: Run("picture", data_set, wanted)}

    def show(
        self, plan: Plan, data_sets: list[DataSet], results: Results, settings: Any
    ) -> Outcome:
        """Eigenvalues and columns before and after, and films of the atoms."""
        data_set = data_sets[0]
        numbers = results[data_set.name][0]
        shape, atoms = numbers["frame_shape"], numbers["atoms"]
        classes = ", ".join(numbers["classes"])
        outcome = Outcome([])
        if settings[data_set.name]["samples"]:
            note = "Rows are classes."
            outcome.panels.append(panels.make_images("samples", numbers["samples"], shape, note))
        for part in ("symmetric", "skew"):
            groups = {
                when: [np.ravel(values).tolist() for values in atoms[when][part]["eigenvalues"]]
                for when in ("before", "after")
            }
            outcome.panels.append(
                panels.make_eigenvalues(f"eigenvalues of the {part} parts", groups)
            )
        for part in ("symmetric", "skew"):
            for when in ("before", "after"):
                title = f"measurement columns of the {part} parts, {when} learning"
                note = "Rows are atoms, columns states."
                outcome.panels.append(
                    panels.make_images(title, atoms[when][part]["columns"], shape, note)
                )
        note = (
            f"{data_set.title}, classes {classes}; atoms start from class {numbers['classes'][0]}. "
            f"Of {len(numbers['movie'])} atoms {_count_moved(atoms, 'symmetric')} have left the "
            "space of their symmetric part by learning, "
            f"{_count_moved(atoms, 'skew')} that of their skew part. "
            "Films are simulated from the symmetric parts of the learned atoms."
        )
        outcome.panels.append(
            panels.make_movies("the atoms, moving", numbers["movie"], shape, note)
        )
        history = [[value] for value in numbers["objective"]]
        curve = {"LDS-DL": (list(range(len(history))), history)}
        outcome.panels.append(
            panels.make_lines("objective per system", "iteration", "objective", curve)
        )
        return outcome


def _count_moved(atoms: dict[str, Any], part: str) -> int:
    """Atoms whose columns have less than nine tenths of their space in common with before."""
    columns = (np.asarray(atoms[when][part]["columns"], float) for when in ("before", "after"))
    first, second = (np.linalg.qr(np.swapaxes(rows, 1, 2))[0] for rows in columns)
    shared = np.square(np.swapaxes(first, 1, 2) @ second).sum(axis=(1, 2))
    return int((shared < 0.9 * first.shape[2]).sum())


def describe_atoms(
    run: Run,
    *,
    n_atoms: int,
    n_states: int,
    sparsity: float,
    iterations: int,
    classes: list[str],
    seed: int,
) -> Numbers:
    """Atoms before and after learning on some classes, drawn from sequences of the first."""
    data = run.data_set.data
    kept = np.flatnonzero(np.isin(get_labels(run), classes))
    y = get_labels(run)[kept]
    systems = build_encoder(run, run.data_set.limit_states(n_states)).fit_transform(
        [data.X[i] for i in kept]
    )
    candidates = np.flatnonzero(y == classes[0])
    random = np.random.default_rng(seed)
    first = random.choice(candidates, min(n_atoms, len(candidates)), replace=False)
    start = systems[first]
    common: Any = {
        "n_atoms": len(first), "sparsity": sparsity, "random_state": seed,
        "n_jobs": run.data_set.n_jobs,
    }  # fmt: skip
    before = LDSDictionary(init=start, max_iter=0, **common).fit(systems)
    after = LDSDictionary(init=start, max_iter=iterations, **common).fit(systems)
    return {
        "classes": classes,
        "samples": [_pick_frames(data.X[kept[np.flatnonzero(y == label)[0]]]) for label in classes],
        "frame_shape": list(data.frame_shape or (data.X[0].shape[0], 1)),
        "objective": [float(value) / len(systems) for value in after.objective_],
        "atoms": {
            name: {part: _describe_part(dictionary.atoms_, part) for part in ("symmetric", "skew")}
            for name, dictionary in (("before", before), ("after", after))
        },
        "movie": _simulate(after.atoms_.systems()[: len(first)]),
    }


def _pick_frames(sequence: NDArray[Any], n_frames: int = 4) -> list[Any]:
    """Some frames of a sequence, (n_frames, m), as small whole numbers around their mean."""
    frames = sequence[:, np.linspace(0, sequence.shape[1] - 1, n_frames).astype(int)].T
    frames = frames - frames.mean()
    largest = np.abs(frames).max() or 1.0
    return np.rint(_PIXEL_LEVELS * frames / largest).astype(int).tolist()


def _describe_part(atoms: Any, part: str) -> Numbers:
    """Eigenvalues and measurement columns of one part, pixels as small whole numbers."""
    systems = getattr(atoms, part).systems()
    eigenvalues = np.linalg.eigvals(systems.A)
    columns = np.swapaxes(systems.C, 1, 2)  # (J, n, m)
    largest = np.abs(columns).max(axis=2, keepdims=True)
    pixels = np.rint(_PIXEL_LEVELS * columns / np.where(largest > 0, largest, 1.0))
    return {
        "eigenvalues": np.round([eigenvalues.real, eigenvalues.imag], 4).tolist(),
        "columns": pixels.astype(int).tolist(),
    }


def _simulate(systems: LDS, n_frames: int = 24) -> list[Any]:
    """Frames simulated from every atom, (J, n_frames, m), as small whole numbers."""
    made = np.asarray(systems.simulate(n_frames, random_state=0))
    # A few bright pixels may stay white, so that the others differ visibly.
    largest = np.quantile(np.abs(made), 0.995, axis=(1, 2), keepdims=True).clip(1e-12)
    pixels = np.clip(np.swapaxes(made / largest, 1, 2), -1, 1)
    return np.rint(_PIXEL_LEVELS * pixels).astype(int).tolist()
