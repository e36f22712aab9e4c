"""The computations behind the figures: plain parameters in, plain numbers out."""

import warnings
from collections.abc import Callable

from ldslearn.paper.accuracy import search_automatically
from ldslearn.paper.clusters import measure_clusters
from ldslearn.paper.coding_runs import choose, classify, soften, stabilize
from ldslearn.paper.dictionary_runs import classify_by_codes, converge, picture
from ldslearn.paper.ledger import Run
from ldslearn.paper.measuring import Numbers
from ldslearn.paper.timing_runs import time_classes, time_coding, time_encoding, time_updates
from ldslearn.paper.tuning import tune

KINDS: dict[str, Callable[..., Numbers]] = {
    "classify": classify,
    "stabilize": stabilize,
    "soften": soften,
    "choose": choose,
    "codes": classify_by_codes,
    "converge": converge,
    "picture": picture,
    "tune": tune,
    "auto": search_automatically,
    "cluster": measure_clusters,
    "time-encoding": time_encoding,
    "time-coding": time_coding,
    "time-updates": time_updates,
    "time-classes": time_classes,
}


def compute(run: Run) -> Numbers:
    """Return the numbers of a run."""
    with warnings.catch_warnings():
        # The results say it: unstable systems without stabilization, clipped kernels.
        warnings.simplefilter("ignore", UserWarning)
        return KINDS[run.kind](run, **run.parameters)
