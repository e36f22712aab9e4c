"""No value fills a console: `repr` of every public class, on large data."""

import inspect
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import ldslearn
from ldslearn import LDS, LDSDictionary, LDSEncoder, LDSIndex, SparseCoder, SparseCodingClassifier
from ldslearn._reprs import summarize_fields
from ldslearn.auto import RegressionReport, Report
from ldslearn.auto.certainty import Prediction
from ldslearn.coding import SparsePath
from ldslearn.datasets import Collection
from ldslearn.diagnostics.atom_use import AtomUse
from ldslearn.diagnostics.clips import AtomClip, Clip
from ldslearn.diagnostics.code_examples import AtomName, CodeExample
from ldslearn.diagnostics.diagnostics import Diagnostics
from ldslearn.diagnostics.mistakes import Mistake
from ldslearn.diagnostics.similarity import Similarity
from ldslearn.dictionary import Atoms
from ldslearn.dictionary.columns import Columns
from ldslearn.evaluate import METHODS, PAPER_SETS, Parameters, Protocol, Round, Settings
from ldslearn.evaluate.fitting import Fit
from ldslearn.evaluate.selection import Choice
from ldslearn.geometry.fitted_kernels import FittedKernel, ReferenceKernel
from ldslearn.models import LDSImputer, StabilityCertificate, canonical_skew, canonical_symmetric
from ldslearn.persist import Model
from ldslearn.persist.files import Saved
from ldslearn.random_systems import Explanation, SystemBank
from ldslearn.report.line_charts import Series
from ldslearn.scale import Cluster, FolderFeatures, LDSStore
from ldslearn.sequences.named import NamedSequences

from support.estimators import ESTIMATORS
from support.public_names import find_public

N = 2000
RNG = np.random.default_rng(0)
LONG = "a/very/long/folder/" * 100
LABELS = np.array([f"{LONG}{i % 500}" for i in range(N)])
NAMES = tuple(f"{LONG}{i}.csv" for i in range(N))
SYSTEMS = LDS(
    np.tile(np.diag([0.9, 0.5, 0.1]), (N, 1, 1)), np.broadcast_to(np.eye(6, 3), (N, 6, 3))
)
DATA = Collection(
    [np.zeros((2, 50)) + i for i in range(N)], LABELS, names=NAMES, skipped=((LONG, LONG),) * N
)
MATRIX = RNG.normal(size=(N, 50))
FRAMES = np.zeros((30, 20, 20), dtype=np.uint8)
BANK = SystemBank(
    *(MATRIX, MATRIX, MATRIX[:, 0], MATRIX[:, 0], MATRIX[:, 0], MATRIX[:, :3], MATRIX[:, 0] > 0),
    *(MATRIX[:, 0], MATRIX[:, 0], MATRIX),
)
TRIED = [{"accuracy": 0.5, "loss": 1.0, "n_states": 3, "weights": {"projection": 1.0}}] * N
SEARCH = {
    "chosen": {"n_states": 3}, "members": TRIED, "tried": TRIED, "n_descriptions": 5,
    "n_trained": N, "seconds": 1.0, "time_budget": 60.0, "stopped": LONG,
}  # fmt: skip
CHOICE = Choice(3, 2, 0.1, TRIED)


def fit_pipeline():
    classes = np.array(["a", "b"])[np.arange(40) % 2]
    X = [RNG.normal(size=(4, 60)) for _ in classes]
    return make_pipeline(LDSEncoder(3), SparseCodingClassifier()).fit(X, classes)


PIPELINE = fit_pipeline()
FIT = Fit(PIPELINE, CHOICE, {"tried": TRIED})
SIMILARITY = Similarity(MATRIX[:, :2], NAMES, NAMES, MATRIX, NAMES, "projection", N)
EXAMPLE = CodeExample(LONG, LONG, LONG, (0.5,) * N, (AtomName(LONG, LONG),) * N, N)
MISTAKE = Mistake(LONG, LONG, LONG, 0.5, 0.1, FRAMES, MATRIX[0], MATRIX, 3, 50)
VALUES = [
    LDSImputer().fit(DATA.X),
    SYSTEMS,
    canonical_symmetric(SYSTEMS[:500]),
    canonical_skew(SYSTEMS[:500]),
    StabilityCertificate("soft", *MATRIX.T[:4]),
    SparsePath(MATRIX[:, 0], MATRIX),
    Columns("symmetric", MATRIX.reshape(N, 10, 5), MATRIX[:, :5]),
    Atoms([{"symmetric": Columns("symmetric", MATRIX.reshape(N, 10, 5), MATRIX[:, :5])}]),
    ReferenceKernel(SYSTEMS, [("projection", 1.0, {})], MATRIX),
    FittedKernel(SYSTEMS, [("projection", 1.0, {})] * 99, None, MATRIX),
    BANK,
    FolderFeatures(MATRIX, NAMES, LABELS, ((LONG, LONG),) * N),
    Explanation(
        LABELS,
        LABELS,
        MATRIX[:, 0],
        MATRIX[:, 0],
        MATRIX,
        MATRIX,
        MATRIX.T,
        BANK,
        5.0,
        (LONG,) * N,
    ),
    DATA,
    NamedSequences(DATA.X, NAMES),
    Report(alone={}, expected_accuracy=0.9, standard_error=0.1, why=LONG, **SEARCH),
    RegressionReport(
        expected_error=[0.1] * N, standard_error=[0.01] * N, expected_score=0.9, **SEARCH
    ),
    Prediction(LABELS, list(LABELS), "probability", True, MATRIX),
    Settings(),
    Parameters({"n_states": 3}, {"n_states": "given"}),
    Protocol("folds", 5),
    METHODS["lds-sc-grass"],
    next(iter(PAPER_SETS.values())),
    CHOICE,
    FIT,
    Round(FIT, DATA, DATA, LABELS),
    SIMILARITY,
    EXAMPLE,
    MISTAKE,
    AtomUse(NAMES, MATRIX[0], MATRIX[0]),
    Clip(LONG, LONG, FRAMES, FRAMES),
    AtomClip(1, LONG, 0.5, FRAMES, FRAMES),
    Diagnostics(SIMILARITY, {LONG: MATRIX[0] + 0j}, (EXAMPLE,) * 9, mistakes=(MISTAKE,) * 99),
    Model(PIPELINE, ldslearn.datasets.reading_settings.ReadingSettings(), None, {"tried": TRIED}),
    Saved(PIPELINE, {"tried": TRIED}, {}),
    Series(LONG, MATRIX[0], MATRIX[0]),
    Cluster(SimpleNamespace()),
    SparseCoder(atoms=SYSTEMS),
    LDSDictionary(init=SYSTEMS),
    ldslearn.LDSSVC(class_weight=dict.fromkeys(range(N), 1.0)),
    *(estimator for estimator, _ in ESTIMATORS.values()),
]


def check_short(value):
    text = repr(value)
    assert len(text) < 1000
    assert text.count("\n") < 12


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_reprs_are_short(value):
    check_short(value)


def test_repr_of_a_store(tmp_path):
    store = LDSStore.write(tmp_path / "store", [SYSTEMS[i : i + 20] for i in range(0, 400, 20)])
    check_short(store)


def test_repr_of_an_index():
    index = LDSIndex()
    index.add(SYSTEMS[:200])
    check_short(index)


def test_every_public_class_is_checked():
    checked = {type(value) for value in VALUES} | {LDSStore, LDSIndex}
    public = {value for value in find_public().values() if inspect.isclass(value)}
    assert len(public) > 25
    assert public - checked == set()


@dataclass
class Example:
    array: Any
    values: Any = ()

    __repr__ = summarize_fields


def test_fields_are_summarized():
    assert repr(Example(np.zeros((3, 4)), "text")) == "Example(array=(3, 4) array, values='text')"
    assert repr(Example(None, [1, 2])) == "Example(array=None, values=[1, 2])"
    assert repr(Example([np.ones(3)] * 9)) == (
        "Example(array=[(3,) array, (3,) array, (3,) array, (3,) array, ...], values=())"
    )
    inner = Example(Example(np.zeros(2)))
    assert repr(inner) == "Example(array=Example(array=(2,) array, values=()), values=())"


def test_estimators_with_systems_have_html():
    """scikit-learn draws pipelines; their parameters may be batches of systems."""
    for estimator in (make_pipeline(LDSEncoder(3), SparseCoder(atoms=SYSTEMS[:50])), PIPELINE):
        text = estimator._repr_html_()
        assert "LDSEncoder" in text
        assert len(text) < 100_000
