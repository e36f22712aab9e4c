import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldslearn.novelty.watching import Watch, place_windows, watch_recordings


@given(n=st.integers(1, 200), window=st.integers(1, 60), data=st.data())
def test_windows_cover_the_recording(n, window, data):
    step = data.draw(st.integers(1, window))
    starts, stops = place_windows(n, window, step)
    covered = np.zeros(n, dtype=bool)
    for start, stop in zip(starts, stops, strict=True):
        assert stop - start == min(window, n)
        covered[start:stop] = True
    assert covered.all()
    assert (np.diff(starts) <= step).all()
    assert (np.diff(starts) > 0).all()


def test_spans_join_strange_windows():
    starts = np.arange(0, 100, 10)
    strange = np.array([0, 1, 1, 0, 0, 0, 1, 0, 0, 1], dtype=bool)
    watch = Watch(starts, starts + 20, np.where(strange, -1.0, 1.0))
    assert watch.spans == [(10, 40), (60, 80), (90, 110)]
    assert Watch(starts, starts + 20, np.ones(10)).spans == []


class Loudness:
    def decision_function(self, X):
        return np.array([1.0 - np.abs(x).max() for x in X])


def test_windows_are_scored_by_the_detector():
    quiet = np.zeros((2, 100))
    loud = quiet.copy()
    loud[1, 50] = 3.0
    first, second = watch_recordings(Loudness(), [quiet, loud], 20, 10)
    assert first.spans == []
    assert second.spans == [(40, 70)]  # windows from 40 and from 50 hold it
    assert second.scores.min() == -2.0
    (short,) = watch_recordings(Loudness(), [loud[:, 45:55]], 20)
    assert short.spans == [(0, 10)]


def test_bad_windows():
    with pytest.raises(ValueError, match="window must be at least 1; got 0"):
        watch_recordings(Loudness(), [], 0)
    with pytest.raises(ValueError, match="step must lie between 1 and the window, 5; got 6"):
        watch_recordings(Loudness(), [], 5, 6)
