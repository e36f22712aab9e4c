"""The collections of the paper's experiments."""
