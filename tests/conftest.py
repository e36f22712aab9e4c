"""Shared settings of the test run."""

from hypothesis import HealthCheck, settings

# Machines are shared and numerical examples slow to draw: laws are about results, never about time.
settings.register_profile(
    "laws", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("laws")
