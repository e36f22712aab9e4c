import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldslearn.sequences import time_recognition


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("time", None), ("TIME", None), ("Time [ms]", 1e-3), ("t (s)", 1.0), ("timestamp_us", 1e-6),
        ("seconds_elapsed", 1.0), ("unixTimeMs", 1e-3), ("time [µs]", 1e-6), ("Time(sec)", 1.0),
        ("elapsed time [min]", 60.0), ("datetime", None), ("Date", None), ("ms", 1e-3),
        ("LinuxTimestamp", None), ("index", None), ("Unnamed: 0", None), ("", None),
        ("frame", None), ("SampleTimeFine", None), ("Packet Counter", None),
    ],
)  # fmt: skip
def test_names_of_time(name, unit):
    assert time_recognition.is_time_name(name)
    assert time_recognition.find_unit_in_name(name) == unit


@pytest.mark.parametrize(
    "name",
    ["ax", "temperature", "min", "h", "response time", "time_domain_energy", "sample_rate", "id",
     "x_t", "date of birth", "rate [1/min]", "channel1"],
)  # fmt: skip
def test_names_of_channels(name):
    assert not time_recognition.is_time_name(name)


@given(
    start=st.floats(-1e6, 1e6),
    step=st.floats(1e-3, 1e3),
    n=st.integers(8, 300),
    digits=st.integers(3, 6),
)
def test_a_clock_rises_evenly_however_it_is_rounded(start, step, n, digits):
    times = start + step * np.arange(n)
    rounded = np.round(times, digits)
    if (np.diff(rounded) > 0).all():
        assert time_recognition.rises_evenly(rounded - rounded[0], 10.0**-digits)


def test_gaps_do_not_make_a_clock_uneven():
    times = np.arange(100) / 50
    times[60:] += 3
    assert time_recognition.rises_evenly(times)


@given(seed=st.integers(0, 1000), spread=st.floats(0.05, 0.5))
def test_a_channel_that_drifts_is_no_clock(seed, spread):
    steps = 1 + spread * np.random.default_rng(seed).uniform(-1, 1, 60)
    walk = steps.cumsum()
    assert time_recognition.rises_strictly(walk)
    assert not time_recognition.rises_evenly(walk, 1e-3)


@pytest.mark.parametrize(
    "values", [np.arange(7), np.ones(20), -np.arange(20), np.r_[np.arange(20), 3], np.zeros(0)]
)
def test_what_is_no_clock(values):
    assert not time_recognition.rises_evenly(np.asarray(values, float))


@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e-6, 1e-9])
def test_seconds_since_1970_are_recognised_by_their_size(unit):
    assert time_recognition.find_epoch_unit(1.7e9 / unit, 1.7e9 / unit + 1 / unit) == unit
    assert time_recognition.find_epoch_unit(20.0, 1.7e9 / unit) is None


def test_a_clock_may_be_set_back_but_noise_falls():
    times = np.arange(100.0)
    times[50:] -= 30
    assert time_recognition.rises_mostly(times)
    assert time_recognition.rises_mostly(np.full(9, 20240531.0))
    assert not time_recognition.rises_mostly(np.random.default_rng(0).standard_normal(100))
