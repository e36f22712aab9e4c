"""Collections to measure on: embedded ones, and others if LDSLEARN_DATA names their folder."""

import os

from ldslearn.paper.data_sets import Library


def load_available(*names):
    """Return those of the collections that are available, by names of the experiments."""
    library = Library(os.environ.get("LDSLEARN_DATA"), n_jobs=2)
    return [library.load(name) for name in names if library.is_available(name)]
