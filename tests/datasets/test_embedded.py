import numpy as np

from ldslearn.datasets import load_basic_motions, load_japanese_vowels


def test_basic_motions_is_the_official_split():
    X_train, y_train, X_test, y_test = load_basic_motions()
    assert X_train.shape == X_test.shape == (40, 6, 100)
    for y in (y_train, y_test):
        classes, counts = np.unique(y, return_counts=True)
        assert list(classes) == ["Badminton", "Running", "Standing", "Walking"]
        assert list(counts) == [10, 10, 10, 10]
    # The first values of the published training file.
    assert y_train[0] == "Standing"
    np.testing.assert_array_equal(X_train[0, 0, :4], [0.079106, 0.079106, -0.903497, 1.116125])


def test_japanese_vowels_is_the_official_split():
    X_train, y_train, X_test, y_test = load_japanese_vowels()
    assert (len(X_train), len(X_test)) == (270, 370)
    assert {len(sequence) for sequence in X_train + X_test} == {12}
    lengths = [sequence.shape[1] for sequence in X_train + X_test]
    assert (min(lengths), max(lengths)) == (7, 29)
    assert list(np.unique(y_train, return_counts=True)[1]) == [30] * 9
    assert list(np.unique(y_test, return_counts=True)[1]) == [31, 35, 88, 44, 29, 24, 40, 50, 29]


def test_every_call_returns_fresh_arrays():
    first = load_japanese_vowels()[0]
    first[0][:] = 0
    assert load_japanese_vowels()[0][0].any()
