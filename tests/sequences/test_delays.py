import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldslearn.sequences import hankel

from support.oracles import hankel_by_loop


@given(n_channels=st.integers(1, 5), n_timepoints=st.integers(1, 12), delays=st.integers(1, 12))
def test_equals_the_loop(n_channels, n_timepoints, delays):
    delays = min(delays, n_timepoints)
    sequence = np.random.default_rng(0).standard_normal((n_channels, n_timepoints))
    np.testing.assert_array_equal(hankel(sequence, delays), hankel_by_loop(sequence, delays))


def test_one_delay_is_the_sequence_itself():
    sequence = np.zeros((2, 3), dtype=np.float32)
    assert hankel(sequence, 1) is sequence


@pytest.mark.parametrize("dtype", [np.float32, np.int16])
def test_keeps_the_dtype(dtype):
    assert hankel(np.zeros((2, 9), dtype=dtype), 3).dtype == dtype
