import os
import warnings
from pathlib import Path

import numpy as np
import pytest

from ldslearn import AutoLDSClassifier, LDSEncoder
from ldslearn.datasets import load_npz
from ldslearn.sequences import as_collection
from ldslearn.sequences.orientation import seem_transposed

SENSOR = np.random.default_rng(0).standard_normal((8, 6, 100))
WARNING = r"all 8 sequences have 100 channels and 6 time points.*pass X\.transpose\(0, 2, 1\)\."


def test_an_array_that_seems_transposed_causes_a_warning():
    X = SENSOR.transpose(0, 2, 1)
    with pytest.warns(UserWarning, match=WARNING):
        LDSEncoder(n_states=2).fit(X)
    with pytest.warns(UserWarning, match=WARNING):
        LDSEncoder(n_states=2).fit_transform(X)
    with (
        pytest.warns(UserWarning, match=WARNING),
        pytest.raises(ValueError, match="labels"),
    ):
        AutoLDSClassifier().fit(X, [0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LDSEncoder(n_states=2).fit(X.transpose(0, 2, 1))  # the advice
        LDSEncoder(n_states=2).fit(list(X))  # may be videos


@pytest.mark.parametrize(
    ("shape", "expected"),
    [((100, 6), True), ((24, 6), True), ((20, 6), False), ((100, 13), False), ((12, 2), False)],
)
def test_the_rule(shape, expected):
    assert seem_transposed([np.zeros(shape)] * 3) == expected
    assert not seem_transposed([np.zeros(shape), np.zeros((shape[0], shape[1] + 1))])


def test_lengths_that_agree_while_channels_differ_suggest_the_transposition():
    X = [np.ones((100, 6)), np.ones((120, 6))]
    message = (
        r"sequence 1 must have 100 channels like sequence 0; got 120. All have 6 columns: if rows "
        r"are time points, as they seem to be, pass X = \[x.T for x in X\]\."
    )
    with pytest.raises(ValueError, match=message):
        as_collection(X)
    assert as_collection([x.T for x in X])[1].shape == (6, 120)


@pytest.mark.parametrize("shapes", [[(6, 100), (120, 6)], [(120, 6), (6, 100), (6, 90)]])
def test_one_transposed_sequence_is_recognised_also_if_it_is_the_first(shapes):
    with pytest.raises(ValueError, match=r"got \d+\. .*: is one of the two transposed\?$"):
        as_collection([np.ones(shape) for shape in shapes])


def test_the_sequence_that_differs_from_most_is_named():
    message = "^sequence 0 must have 6 channels like sequence 1; got 5"
    with pytest.raises(ValueError, match=message) as caught:
        as_collection([np.ones((5, 100)), *np.ones((3, 6, 80))])
    assert caught.value.indices == (0,)


def test_a_sequence_that_lacks_a_channel_is_not_called_transposed():
    message = (
        "sequence 1 must have 6 channels like sequence 0; got 5. "
        "Give all sequences the same channels, or leave this one out."
    )
    for length in (100, 80):
        with pytest.raises(ValueError, match=f"^{message}$"):
            as_collection([np.ones((6, 100)), np.ones((5, length))])


@pytest.mark.skipif("LDSLEARN_DATA" not in os.environ, reason="LDSLEARN_DATA is not given")
def test_real_collections_are_not_suspected():
    files = sorted(Path(os.environ["LDSLEARN_DATA"]).glob("*.npz"))
    assert files
    for file in files:
        assert not seem_transposed(load_npz(file).X), file.name
