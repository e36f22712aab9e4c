"""The sets of the paper's experiments: one table of layouts, and a loader per set."""
