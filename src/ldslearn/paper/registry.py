"""Experiments and computations, by the names that plans and records have for them."""

import warnings
from collections.abc import Callable

from ldslearn.paper.accuracy import Accuracy, search_automatically
from ldslearn.paper.atom_pictures import AtomPictures, describe_atoms
from ldslearn.paper.atoms_per_class import AtomsPerClass, time_classes
from ldslearn.paper.classification import classify_systems
from ldslearn.paper.clusters import Clusters, measure_clusters
from ldslearn.paper.codes import classify_by_codes
from ldslearn.paper.coding import Coding, Covariance, time_coding
from ldslearn.paper.convergence import Convergence, trace_convergence
from ldslearn.paper.dictionaries import Dictionaries
from ldslearn.paper.experiment import Experiment
from ldslearn.paper.ledger import Run
from ldslearn.paper.rounds import Numbers
from ldslearn.paper.stability import (
    Soft,
    Stability,
    compare_scales,
    measure_stabilization,
    time_encoding,
)
from ldslearn.paper.table4 import Table4, classify_at_chosen_states
from ldslearn.paper.tuning import tune
from ldslearn.paper.update_times import time_updates

EXPERIMENTS: dict[str, Experiment] = {
    "soft": Soft(),
    "stability": Stability(),
    "coding": Coding(),
    "table": Table4(),
    "covariance": Covariance(),
    "convergence": Convergence(),
    "dictionaries": Dictionaries(),
    "pictures": AtomPictures(),
    "hierarchical": AtomsPerClass(),
    "accuracy": Accuracy(),
    "clusters": Clusters(),
}

COMPUTATIONS: dict[str, Callable[..., Numbers]] = {
    "classify": classify_systems,
    "stabilize": measure_stabilization,
    "soften": compare_scales,
    "choose": classify_at_chosen_states,
    "codes": classify_by_codes,
    "converge": trace_convergence,
    "picture": describe_atoms,
    "tune": tune,
    "auto": search_automatically,
    "cluster": measure_clusters,
    "time-encoding": time_encoding,
    "time-coding": time_coding,
    "time-updates": time_updates,
    "time-classes": time_classes,
}


def compute(run: Run) -> Numbers:
    """Return the numbers of a run, from plain parameters."""
    with warnings.catch_warnings():
        # The results say it: unstable systems without stabilization, clipped kernels.
        warnings.simplefilter("ignore", UserWarning)
        return COMPUTATIONS[run.kind](run, **run.parameters)
