"""Encoders that share their work find the systems that each of them finds alone."""

import warnings

import numpy as np
import pytest

from ldslearn import LDSEncoder
from ldslearn.models import shared_fits
from ldslearn.models.shared_encoding import SharedEncoding
from ldslearn.models.shared_fits import SharedFits
from ldslearn.sequences.named import NamedSequences

FIELDS = ("A", "C", "B", "mean", "x0", "noise_variance", "deviation")


def make_sequences(n_channels, lengths, seed=0, offset=100.0):
    """Smooth, with an offset, noise, and windows that differ."""
    random = np.random.default_rng(seed)
    found = []
    for length in lengths:
        steps = random.standard_normal((6, length)).cumsum(axis=1)
        mixing = random.standard_normal((n_channels, 6))
        noise = 0.3 * random.standard_normal((n_channels, length))
        found.append(offset + mixing @ steps + noise)
    return found


def compare(encoders, X, rtol=1e-10):
    alone = [encoder.fit_transform(X) for encoder in encoders]
    for one, other in zip(alone, SharedEncoding(X).encode(encoders), strict=True):
        assert (one.windows, one.delays, len(one)) == (other.windows, other.delays, len(other))
        for field in FIELDS:
            expected = getattr(one, field)
            scale = np.abs(expected).max()
            np.testing.assert_allclose(getattr(other, field), expected, rtol=0, atol=rtol * scale)


@pytest.mark.parametrize("n_channels", [1, 7, 60])
@pytest.mark.parametrize("center", [True, False])
def test_digits_are_those_of_separate_fits(n_channels, center):
    """Few channels and many, windows that overlap in short sequences, pyramids, delays."""
    X = make_sequences(n_channels, (12, 17, 30, 45))
    encoders = [
        LDSEncoder(n, delays=d, windows=w, center=center)
        for n in (1, 2, 4)
        for d in (1, 3)
        for w in (1, 3, (1, 2, 4))
        if n <= n_channels * d
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # idle states
        compare(encoders, X)


def test_whole_numbers_and_single_precision():
    X = [
        x.astype(t) for x, t in zip(make_sequences(40, (20, 25)), ("uint8", "float32"), strict=True)
    ]
    compare([LDSEncoder(n, windows=w) for n in (2, 5) for w in (1, 2)], X)


@pytest.mark.parametrize("stabilizer", ["none", "scale", "clip"])
def test_other_stabilizers(stabilizer):
    X = make_sequences(30, (25, 28))
    compare([LDSEncoder(n, stabilizer=stabilizer) for n in (2, 3)], X, rtol=1e-8)


def test_steep_spectra_and_constants_are_fitted_separately(monkeypatch):
    """A Gram matrix squares the singular values: those of these sequences would be lost."""
    random = np.random.default_rng(0)
    t = np.arange(30)
    states = np.stack([np.sin(0.3 * t), 1e-4 * np.cos(0.5 * t), 1e-7 * np.sin(0.9 * t + 1)])
    steep = random.standard_normal((50, 3)) @ states + 5.0
    rest = np.repeat(random.standard_normal((50, 1)), 30, axis=1)
    late = np.where(t < 15, 1.0, 1.0 + random.standard_normal((50, 30)))
    X = [*make_sequences(50, (30,)), steep, rest, late]
    separate = []
    fit_separately = SharedFits._fit_separately
    monkeypatch.setattr(
        SharedFits,
        "_fit_separately",
        lambda self, index, *rest: separate.append(index) or fit_separately(self, index, *rest),
    )
    encoders = [LDSEncoder(n, windows=w, constant="rest") for n in (1, 3) for w in (1, 2)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # idle states
        compare(encoders, X)
    assert {1, 2, 3} == set(separate)


def test_orders_share_their_arrays_unless_one_is_fitted_separately():
    """Twenty copies of C would take longer to write than the fits take."""
    encoders = [LDSEncoder(n) for n in (1, 3, 2)]
    low, high, middle = SharedEncoding(make_sequences(50, (30, 25))).encode(encoders)
    for field in ("C", "mean", "deviation"):
        assert np.shares_memory(getattr(low, field), getattr(high, field))
        assert np.shares_memory(getattr(low, field), getattr(middle, field))
    assert not np.shares_memory(low.noise_variance, high.noise_variance)
    other = SharedEncoding(make_sequences(50, (30, 25))).encode(
        [LDSEncoder(2, delays=2), *encoders]
    )
    assert not np.shares_memory(other[0].C, other[1].C)
    random, t = np.random.default_rng(0), np.arange(30)
    states = np.stack([np.sin(0.3 * t), 0.5 * np.cos(0.5 * t), 1e-7 * np.sin(0.9 * t + 1)])
    steep = random.standard_normal((50, 3)) @ states
    low, high, middle = SharedEncoding([steep]).encode(encoders)
    assert np.shares_memory(low.C, middle.C)
    assert not np.shares_memory(low.C, high.C)
    assert not low.C.flags.writeable


def test_results_do_not_depend_on_threads_or_blocks(monkeypatch):
    X = make_sequences(40, range(20, 40))
    encoders = [LDSEncoder(n, delays=2, windows=2) for n in (2, 4)]
    expected = SharedEncoding(X).encode(encoders)
    monkeypatch.setattr(shared_fits, "_BLOCK_BYTES", 1)
    monkeypatch.setattr(shared_fits, "_KEPT_BYTES", 1)
    shared = SharedEncoding(X)
    for encoder in encoders:
        encoder.set_params(n_jobs=2)
    for _ in range(2):
        for one, other in zip(expected, shared.encode(encoders), strict=True):
            np.testing.assert_allclose(one.A, other.A, atol=1e-12)
            np.testing.assert_allclose(one.C, other.C, atol=1e-12)


def test_later_calls_use_the_products_of_the_first():
    X = make_sequences(40, (20, 30))
    shared = SharedEncoding(X)
    shared.encode([LDSEncoder(2)])
    grams = dict(shared._fits._grams)
    assert [len(gram) for gram in grams.values()] == [20, 30]
    later = shared.encode([LDSEncoder(3, delays=2)])[0]
    assert all(shared._fits._grams[i] is grams[i] for i in grams)
    np.testing.assert_allclose(later.A, LDSEncoder(3, delays=2).fit_transform(X).A, atol=1e-10)


def test_messages_name_the_sequence():
    X = NamedSequences(make_sequences(8, (20, 5)), ["long.npy", "short.npy"])
    with pytest.raises(ValueError, match=r"short\.npy must have at least 7 time points"):
        SharedEncoding(X).encode([LDSEncoder(2), LDSEncoder(6)])
    X = NamedSequences([np.ones((8, 20)), *make_sequences(8, (20,))], ["still.npy", "moving.npy"])
    with pytest.raises(ValueError, match=r"still\.npy must vary over time"):
        SharedEncoding(X).encode([LDSEncoder(2)])
    large = NamedSequences([1e200 * x for x in make_sequences(30, (20,))], ["large.npy"])
    with pytest.raises(ValueError, match=r"large\.npy must have values whose squares"):
        SharedEncoding(large).encode([LDSEncoder(2)])
    with pytest.raises(ValueError, match="missing must be 'raise' for encoders that share"):
        SharedEncoding(X).encode([LDSEncoder(2, missing="smooth")])
