"""Shared settings of the test run."""

import pytest
from hypothesis import HealthCheck, settings

from ldslearn.auto.base import AutoEstimator

from support.clocks import Clock

# Machines are shared and numerical examples slow to draw: laws are about results, never about time.
settings.register_profile(
    "laws", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("laws")


@pytest.fixture(scope="session", autouse=True)
def steps_of_searches_take_equal_times():
    """Let a time budget stop a search after the same steps on every machine, busy or not."""
    # A power of two adds up without rounding errors, so that the order of tests does not matter.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AutoEstimator, "_clock", staticmethod(Clock(1 / 16)))
        yield


@pytest.fixture(scope="session", autouse=True)
def the_terminal_is_no_dumb_one():
    """Let bars be drawn where the tests themselves run without a terminal, or on a dumb one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERM", "xterm")
        yield
