"""Slow random systems: scipy.signal.lfilter, one system and one sequence at a time."""

import numpy as np
from scipy import signal


def standardize(model, sequence):
    """Return what the systems of a fitted RandomSystems read."""
    standard = (np.asarray(sequence, float) - model.mean_[:, None]) / model.scale_[:, None]
    return standard if model.components_ is None else model.components_ @ standard


def compute_output(bank, k, x):
    """Return the output of system k for a standardised sequence, in the order of time."""
    count = bank.n_inputs[k]
    u = bank.weights[k, :count] @ x[bank.channels[k, :count]]
    u = u[::-1] if bank.backward[k] else u
    r = np.exp(-1 / bank.decay_times[k])
    a = np.array([1.0, -2 * r * np.cos(bank.angles[k]), r * r])
    b = bank.numerators[k]
    y, _ = signal.lfilter(b, a, u, zi=signal.lfilter_zi(b, a) * u[0])
    # A numerator without mean removes a constant input, in lfilter up to rounding.
    y[np.abs(y) <= 1e-13 * np.abs(b).sum() * np.abs(u).max() / a.sum()] = 0.0
    return y[::-1] if bank.backward[k] else y


def cut_window(bank, k, y):
    """Return the outputs that count."""
    low = int(np.floor(bank.starts[k] * len(y)))
    return y[low : max(int(np.floor(bank.stops[k] * len(y))), low + 1)]


def compute_features(model, sequences):
    """Return the features of a fitted RandomSystems."""
    bank, rows = model.bank_, []
    for sequence in sequences:
        x = standardize(model, sequence)
        counted = [cut_window(bank, k, compute_output(bank, k, x)) for k in range(len(bank))]
        shares = [(y[:, None] > bank.thresholds[k]).mean(axis=0) for k, y in enumerate(counted)]
        rows.append(np.concatenate(shares))
    return np.array(rows)
