"""Times as ratios within one run, and studies that need more than the experiments; no tests."""
