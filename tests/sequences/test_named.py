"""Messages call sequences by their names, wherever a list that knows them is passed on."""

import pickle
import random

import numpy as np
import pytest

from ldslearn import LDSEncoder
from ldslearn._errors import SequenceError
from ldslearn.auto import AutoLDSClassifier, ChannelScaler
from ldslearn.datasets import Collection
from ldslearn.sequences import as_collection
from ldslearn.sequences.named import NamedSequences, name_sequence, name_some, select


def collection(n_sequences=6, n_timepoints=20, **changes):
    source = np.random.default_rng(0)
    X = [source.standard_normal((3, n_timepoints)) for _ in range(n_sequences)]
    for index, values in changes.items():
        X[int(index[1:])] = values
    return Collection(X, names=tuple(f"walk/{i}.csv" for i in range(n_sequences)))


def test_slices_and_selections_keep_names():
    X = collection().X
    assert name_sequence(X, 2) == "walk/2.csv"
    assert name_sequence(X[1:4], 1) == "walk/2.csv"
    assert name_sequence(select(X, [5, 2]), 1) == "walk/2.csv"
    assert name_sequence(collection()[[4, 2]].X, 1) == "walk/2.csv"
    assert name_sequence(pickle.loads(pickle.dumps(X)), 2) == "walk/2.csv"
    assert name_sequence(as_collection(X), 2) == "walk/2.csv"


def test_what_is_no_longer_in_its_place_has_no_name():
    X = collection().X
    random.Random(0).shuffle(X)
    names = [name_sequence(X, i) for i in range(len(X))]
    kept = {name for name, array in X._named if any(array is x for x in X)}
    assert set(names) - kept <= {f"sequence {i}" for i in range(len(X))}
    for index, name in enumerate(names):
        assert name in (f"sequence {index}", f"walk/{index}.csv")
    del X[0]
    assert name_sequence(X, 4) == "sequence 4"
    assert name_sequence([np.zeros(2)], 0) == "sequence 0"


def test_some_names():
    X = collection().X
    assert name_some(X, [1]) == "walk/1.csv"
    assert name_some(X, [1, 3]) == "walk/1.csv and walk/3.csv"
    assert name_some(X, [0, 1, 2]) == "walk/0.csv, walk/1.csv and walk/2.csv"
    assert name_some(X, range(6)) == "walk/0.csv, walk/1.csv, walk/2.csv and 3 more"


def test_as_many_names_as_sequences():
    with pytest.raises(ValueError, match="is shorter"):
        NamedSequences([np.zeros((1, 2))], [])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.zeros((3, 4)), "walk/3.csv must have at least 6 time points for 2 states and 4 delays"),
        (np.ones((3, 20)), "walk/3.csv must vary over time"),
        (1e200 * np.arange(60.0).reshape(3, 20), "walk/3.csv must have values whose squares"),
    ],
)
def test_the_encoder_names_files(values, message):
    with pytest.raises(SequenceError, match=message) as caught:
        LDSEncoder(2, delays=4).fit_transform(collection(x3=values).X)
    assert caught.value.indices == (3,)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.full((3, 9), np.nan), "walk/3.csv must be finite; got 27 NaN"),
        (np.zeros((4, 9)), "walk/3.csv must have 3 channels like walk/0.csv; got 4"),
        (np.zeros((3, 0)), "walk/3.csv must have n_channels > 0"),
    ],
)
def test_collections_name_files(values, message):
    with pytest.raises(SequenceError, match=message) as caught:
        collection(x3=values)
    assert caught.value.indices == (3,)


def test_all_affected_sequences_are_named():
    short = np.random.default_rng(1).standard_normal((3, 5))
    with pytest.raises(SequenceError, match="got 5. 1 more sequence is too short: walk/4.csv") as e:
        LDSEncoder(3, delays=4).fit(collection(x1=short, x4=short).X)
    assert e.value.indices == (1, 4)
    assert pickle.loads(pickle.dumps(e.value)).indices == (1, 4)


def test_warnings_name_files_also_after_scaling():
    line = np.outer([1.0, 2.0, 3.0], np.arange(20.0))
    X = ChannelScaler().fit_transform(collection(x3=line).X)
    with pytest.warns(UserWarning, match=r"rank below the 2 states \(walk/3.csv: rank 1"):
        LDSEncoder(2).fit_transform(X)


def test_the_automatic_classifier_names_files():
    data = collection(12, 30)
    model = AutoLDSClassifier(time_budget=0.5, random_state=0).fit(data.X, [0, 1] * 6)
    with pytest.warns(UserWarning, match=r"shorter than \d+ time points \(walk/1.csv\)"):
        model.predict(collection(3, 30, x1=np.zeros((3, 1))).X)


def test_a_collection_is_passed_by_its_sequences():
    with pytest.raises(TypeError, match=r"got Collection. Pass its sequences: collection.X\."):
        LDSEncoder(2).fit(collection())
