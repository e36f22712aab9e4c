"""Agreement of clusters with labels: k-means of systems against two baselines."""

from typing import Any

import numpy as np
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from ldslearn._types import Floats, Indices
from ldslearn.cluster import LDSKMeans
from ldslearn.geometry import projection_kernel
from ldslearn.paper import panels
from ldslearn.paper.data_sets import DataSet
from ldslearn.paper.experiment import Experiment, Outcome, Results
from ldslearn.paper.ledger import Run
from ldslearn.paper.plans import Plan
from ldslearn.paper.rounds import Numbers, build_encoder, get_labels

TITLES = {
    "systems": "LDSKMeans",
    "subspaces": 'LDSKMeans(parts="finite")',
    "flattened": "k-means on flattened sequences",
    "spectral": "spectral, projection kernel",
}


class Clusters(Experiment):
    """As many clusters as classes, found without labels."""

    def plan_runs(self, data_set: DataSet, settings: dict[str, Any]) -> dict[Any, Run]:
        """One run per method."""
        common = {"n_states": data_set.n_states, "seeds": settings["seeds"]}
        return {
            method: Run("cluster", data_set, {"method": method, **common})
            for method in settings["methods"]
        }

    def show(
        self, plan: Plan, data_sets: list[DataSet], results: Results, settings: Any
    ) -> Outcome:
        """Mutual information and Rand index of every method."""
        methods = plan.parameters["methods"]
        found = []
        for key, title in (
            ("nmi", "normalised mutual information (%)"),
            ("ari", "adjusted Rand index (%)"),
        ):
            rows = [
                [
                    data_set.title,
                    *(panels.format_percent(results[data_set.name][m][key]) for m in methods),
                ]
                for data_set in data_sets
            ]
            found.append(panels.make_table(title, ["", *(TITLES[m] for m in methods)], rows))
        return Outcome(found)


def measure_clusters(run: Run, *, method: str, n_states: int, seeds: list[int]) -> Numbers:
    """Compare the clusters of one method with the labels, for several seeds."""
    y = get_labels(run)
    n_clusters, n_jobs = len(np.unique(y)), run.data_set.n_jobs
    if method == "flattened":
        data: Any = _flatten(run.data_set.data.X)
    else:
        data = build_encoder(run, n_states).fit_transform(run.data_set.data.X)
    if method == "spectral":
        data = projection_kernel(data, n_jobs=n_jobs)

    def cluster(seed: int) -> Indices:
        if method == "flattened":
            return KMeans(n_clusters, n_init=4, random_state=seed).fit(data).labels_
        if method == "spectral":
            model = SpectralClustering(n_clusters, affinity="precomputed", random_state=seed)
            return model.fit(data).labels_
        parts = "finite" if method == "subspaces" else "twofold"
        model = LDSKMeans(n_clusters, random_state=seed, n_jobs=n_jobs, parts=parts)
        return model.fit(data).labels_

    found = [cluster(seed) for seed in seeds]
    return {
        "nmi": [float(normalized_mutual_info_score(y, labels)) for labels in found],
        "ari": [float(adjusted_rand_score(y, labels)) for labels in found],
    }


def _flatten(X: list[Floats]) -> Floats:
    """Return all channels of each sequence side by side, resampled to the median length."""
    grid = np.linspace(0, 1, int(np.median([x.shape[1] for x in X])))
    return np.stack([
        np.concatenate([np.interp(grid, np.linspace(0, 1, len(row)), row) for row in x]) for x in X
    ])  # fmt: skip
