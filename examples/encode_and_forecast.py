"""
Encode sequences and forecast
=============================

Fit a system to the first 80 samples of every BasicMotions test sequence and forecast the next 20.
Compare the error with that of two simple forecasts: the last value, and the mean.
"""

import numpy as np

from ldslearn import LDSEncoder
from ldslearn.datasets import load_basic_motions

_, _, X, y = load_basic_motions()
past, future = X[:, :, :80], X[:, :, 80:]

encoder = LDSEncoder(n_states=10, delays=8, stabilizer="wls")
systems, certificate = encoder.fit(past).transform(past, return_certificate=True)
print(certificate)

guesses = {
    "system": systems.forecast(past, 20),
    "last value": np.repeat(past[:, :, -1:], 20, axis=2),
    "mean": np.repeat(past.mean(axis=2, keepdims=True), 20, axis=2),
}
spread = future.std(axis=(1, 2))
for name, guess in guesses.items():
    error = np.sqrt(((guess - future) ** 2).mean(axis=(1, 2))) / spread
    by_class = ", ".join(f"{label} {error[y == label].mean():.2f}" for label in np.unique(y))
    print(f"{name:>10}: relative error {error.mean():.2f} ({by_class})")
