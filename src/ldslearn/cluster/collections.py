"""Cluster a collection: one run, one record."""

from typing import Any, Literal

import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from ldslearn import _errors
from ldslearn._versions import list_versions
from ldslearn.cluster import LDSKMeans
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.summary import summarize_collection
from ldslearn.models.defaults import make_default_encoder


def cluster_collection(
    data: Collection,
    n_clusters: int | Literal["auto"] | None = None,
    *,
    method: Any = "kmeans",
    n_states: int | None = None,
    delays: int | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
) -> dict[str, Any]:
    """Return the record of k-means or spectral clustering on the systems of a collection.

    Labels, where known, give the number of clusters when it is not given, and the agreement: NMI
    and ARI.
    """
    if n_clusters is None:
        if data.y is None:
            raise _errors.invalid(
                "the number of clusters",
                "be given for data without labels",
                "none",
                "Say how many: --clusters K, or --clusters auto (n_clusters in Python).",
            )
        n_clusters = len(data.classes)
    if n_clusters != "auto" and n_clusters > len(data):
        raise _errors.invalid(
            "the number of clusters", f"be at most {len(data)}, the number of sequences",
            n_clusters, "Ask for fewer.",
        )  # fmt: skip
    encoder = make_default_encoder(data, n_states, delays, n_jobs=n_jobs)
    model = LDSKMeans(n_clusters, method=method, random_state=seed, n_jobs=n_jobs)
    labels = model.fit(encoder.fit_transform(data.X)).labels_
    silhouettes = getattr(model, "silhouettes_", None)
    known = data.y is not None
    return {
        "record": "clustering",
        "method": method,
        "n_clusters": model.n_clusters_,
        "silhouettes": None if silhouettes is None else {str(k): v for k, v in silhouettes.items()},
        "n_states": encoder.n_states,
        "delays": encoder.delays,
        "seed": seed,
        "inertia": float(model.inertia_),
        "sizes": np.bincount(labels, minlength=model.n_clusters_).tolist(),
        "nmi": float(normalized_mutual_info_score(data.y, labels)) if known else None,
        "ari": float(adjusted_rand_score(data.y, labels)) if known else None,
        "items": [
            {"name": name, "cluster": int(label)}
            for name, label in zip(data.names, labels, strict=True)
        ],
        "data": summarize_collection(data),
        "versions": list_versions(),
    }
