import numpy as np
import pytest

from ldslearn.sequences import as_collection


def good(n_timepoints=5, n_channels=3):
    return np.arange(n_channels * n_timepoints, dtype=float).reshape(n_channels, n_timepoints)


def test_list_of_ragged_arrays_is_not_copied():
    X = [good(5), good(7)]
    checked = as_collection(X)
    assert [sequence.shape for sequence in checked] == [(3, 5), (3, 7)]
    assert all(np.shares_memory(a, b) for a, b in zip(X, checked, strict=True))


def test_three_dimensional_array_is_viewed_not_copied():
    X = np.zeros((4, 3, 6), dtype=np.float32)
    checked = as_collection(X)
    assert len(checked) == 4
    assert checked[0].dtype == np.float32
    assert np.shares_memory(checked[2], X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, np.uint8, bool])
def test_real_dtypes_are_accepted(dtype):
    assert as_collection([good().astype(dtype)])[0].dtype == dtype


def test_nested_lists_tuples_and_object_arrays_are_accepted():
    ragged = np.empty(2, dtype=object)
    ragged[:] = [good(5), good(6)]
    assert len(as_collection(ragged)) == 2
    assert len(as_collection((good(5), good(6)))) == 2
    assert as_collection([[[1, 2, 3], [4, 5, 6]]])[0].shape == (2, 3)


def test_large_float32_values_whose_sum_overflows_are_finite():
    big = np.full((2, 4), 3e38, dtype=np.float32)
    assert len(as_collection([big])) == 1


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ([], ValueError, "X must hold at least one sequence; got an empty collection"),
        (np.zeros((0, 3, 5)), ValueError, "X must hold at least one sequence"),
        (good(), ValueError, r"got one array of shape \(3, 5\)\. For a single sequence pass \[X\]"),
        (np.zeros(4), TypeError, r"X must be a list of .*; got an array of shape \(4,\)"),
        (
            np.zeros((1, 2, 3, 4)),
            TypeError,
            r"shape \(1, 2, 3, 4\). Videos become sequences",
        ),
        (7, TypeError, "X must be a list of .*; got int"),
        ("clips", TypeError, "X must be a list of .*; got str"),
        ({"a": good()}, TypeError, "got dict"),
        ([good(), good()[0]], ValueError, r"sequence 1 must have shape .*; got shape \(5,\)"),
        ([np.zeros((4, 3, 5))], ValueError, r"sequence 0 .* becomes a sequence by ldslearn.video"),
        ([good(), np.zeros((3, 0))], ValueError, r"sequence 1 must have n_channels > 0 and"),
        ([good(), good(5, 4)], ValueError, "sequence 1 must have 3 channels like .*; got 4"),
        ([good() + 1j], TypeError, "sequence 0 must hold real numbers .*; got dtype complex128"),
        (np.zeros((2, 3, 4), dtype=complex), TypeError, "X must hold real numbers"),
        (
            [np.array([["a", "b"]])],
            TypeError,
            "sequence 0 must hold real numbers .*; got dtype <U1",
        ),
        ([good(), None], TypeError, "sequence 1 must be an array of shape .*; got NoneType"),
        (iter([good()]), TypeError, r"got list_iterator. Pass list\(...\) of an iterable"),
        ([[[1.0, 2.0], [3.0]]], TypeError, "sequence 0 must be an array of shape .*; got list"),
    ],
)
def test_bad_collections_are_named(X, error, message):
    with pytest.raises(error, match=message):
        as_collection(X)


def test_not_finite_says_where_and_how_many():
    X = [good(), good(), good()]
    X[1] = X[1].copy()
    X[1][0, :2] = np.nan
    X[1][2, 4] = -np.inf
    with pytest.raises(
        ValueError,
        match="sequence 1 must be finite; got 2 NaN and 1 infinite of 15 values, the first in "
        "channel 0, time point 0. Replace infinite",
    ):
        as_collection(X)
    X[2] = np.full((3, 5), np.nan)
    with pytest.raises(ValueError, match="1 more sequence is affected"):
        as_collection(X)


def test_infinities_that_cancel_to_nan_are_found():
    values = good()
    values[0, 0], values[0, 1] = np.inf, -np.inf
    with pytest.raises(ValueError, match="0 NaN and 2 infinite"):
        as_collection([values])


def test_masked_values_are_refused_and_empty_masks_are_not():
    values = np.ma.masked_equal(good(), 3.0)
    with pytest.raises(TypeError, match="sequence 1 must have no masked values"):
        as_collection([good(), values])
    assert len(as_collection([np.ma.array(good())])) == 1


def test_messages_use_the_name_of_the_argument():
    with pytest.raises(ValueError, match="sequences must hold at least one sequence"):
        as_collection([], "sequences")
