import numpy as np
import pytest

from ldslearn import RandomSystemsClassifier

RATE = 50.0


def make_tones(n=30, n_channels=5, seed=0):
    """Noise; sequences of the second class have a tone of 5 Hz in channel 3, of the third 15 Hz."""
    random, y = np.random.default_rng(seed), np.arange(n) % 3
    X = random.normal(size=(n, n_channels, 100))
    for number, frequency in ((1, 5.0), (2, 15.0)):
        phase = random.uniform(0, 2 * np.pi, (n, 1))
        tone = 2 * np.sin(2 * np.pi * frequency / RATE * np.arange(100) + phase)
        X[y == number, 3] += tone[y == number]
    return X, np.array(["noise", "slow", "fast"])[y]


@pytest.fixture(scope="module", params=[None, 4], ids=["channels", "components"])
def model(request):
    X, y = make_tones()
    return RandomSystemsClassifier(300, n_components=request.param, random_state=0).fit(X, y)


@pytest.fixture(scope="module")
def new():
    return make_tones(seed=1)[0]


def test_contributions_sum_to_the_difference_of_scores(model, new):
    scores = model.decision_function(new)
    found, rows = model.explain(new), np.arange(len(new))
    own = np.searchsorted(model.classes_, found.labels)
    other = np.searchsorted(model.classes_, found.against)
    np.testing.assert_array_equal(found.labels, model.predict(new))
    np.testing.assert_array_equal(other, scores.argsort(axis=1)[:, -2])
    expected = scores[rows, own] - scores[rows, other]
    np.testing.assert_allclose(found.differences, expected, atol=1e-12)
    assert (found.differences >= 0).all()
    for parts in (found.systems, found.channels):
        np.testing.assert_allclose(parts.sum(axis=1) + found.intercepts, expected, atol=1e-9)
    bands = sum(contributions for _, _, contributions in found.sum_by_frequency(5))
    np.testing.assert_allclose(bands, found.systems.sum(axis=1), atol=1e-9)
    np.testing.assert_allclose(found.shares.sum(axis=1), 1.0)


def test_given_classes(model, new):
    found = model.explain(new, "slow", "noise")
    scores = dict(zip(model.classes_, model.decision_function(new).T, strict=True))
    np.testing.assert_allclose(found.differences, scores["slow"] - scores["noise"], atol=1e-12)
    assert set(found.labels) == {"slow"}
    assert set(found.against) == {"noise"}
    turned = model.explain(new, "noise", "slow")
    np.testing.assert_allclose(found.systems, -turned.systems, atol=1e-12)


def test_the_channel_and_the_frequency_that_matter_come_first(new):
    X, y = make_tones()
    model = RandomSystemsClassifier(300, random_state=0).fit(X, y)
    found = model.explain(new[1::3], "slow", "fast", rate=RATE, channel_names=tuple("abcde"))
    assert found.rank_channels()[0] == 3
    first = int(found.rank_systems()[0])
    assert found.shares[first, 3] > 0
    assert "d" in found.describe_system(first).split(",")[0]
    assert found.channels.mean(axis=0)[3] > 3 * np.sort(found.channels.mean(axis=0))[-2]


def test_units(model, new):
    plain, timed = model.explain(new[:2]), model.explain(new[:2], rate=RATE)
    np.testing.assert_allclose(timed.frequencies, RATE * plain.frequencies)
    np.testing.assert_allclose(timed.decay_times * RATE, plain.decay_times)
    assert plain.frequencies.max() <= 0.5
    system = int(np.flatnonzero(plain.frequencies)[0])
    assert "cycles/point, decay time" in plain.describe_system(system)
    assert " Hz, decay time " in timed.describe_system(system)
    still = int(np.flatnonzero(plain.frequencies == 0)[0])
    assert "no oscillation" in plain.describe_system(still)


def test_texts(new):
    X, y = make_tones()
    model = RandomSystemsClassifier(300, random_state=0).fit(X, y)
    found = model.explain(new, rate=RATE)
    assert repr(found) == "Explanation(30 sequences, 300 systems, 5 channels)"
    assert repr(found[4]) == "Explanation(1 sequence, 300 systems, 5 channels)"
    lines = str(found[4]).splitlines()
    assert lines[0].startswith(f"{found.labels[4]} rather than {found.against[4]}: score diff")
    assert lines[2:4] == ["  channels", lines[3]]
    assert "channel 3" in lines[3]
    assert "  systems, the 5 largest of 300" in lines
    assert str(found).startswith("mean of 30 sequences: score difference ")
    assert len(found[:3]) == 3
    np.testing.assert_array_equal(found[-1].systems, found.systems[-1:])
    assert max(map(len, str(model.explain(new, channel_names=["x" * 500] * 5)).splitlines())) < 240


def test_systems_of_a_part_and_backwards_say_so(model, new):
    found = model.explain(new[:1])
    bank = found.bank
    part = int(np.flatnonzero(bank.stops - bank.starts < 1)[0])
    whole = int(np.flatnonzero(bank.stops - bank.starts == 1)[0])
    assert found.describe_system(part).endswith(" % of the sequence")
    assert "sequence" not in found.describe_system(whole)
    assert "backwards" not in found.describe_system(0)
    assert "backwards" in found.describe_system(len(bank) - 1)


def test_weights_of_components_are_those_of_channels():
    X, y = make_tones()
    model = RandomSystemsClassifier(50, n_components=2, random_state=0).fit(X, y)
    shares, systems = model.explain(X[:1]).shares, model.transformer_
    bank = systems.bank_
    for k in range(50):
        read = bank.channels[k, : bank.n_inputs[k]]
        weights = bank.weights[k, : bank.n_inputs[k]] @ systems.components_[read]
        np.testing.assert_allclose(shares[k], weights**2 / (weights**2).sum())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label": "loud"}, "label must be one of the classes, fast, noise, slow; got 'loud'"),
        ({"label": "slow", "against": "slow"}, "against must be another class .*; got 'slow'"),
        ({"rate": 0}, "rate must be positive; got 0"),
        ({"channel_names": ["a"]}, "channel_names must be one text per channel, 5; got 1"),
    ],
)
def test_wrong_arguments(options, message, model, new):
    with pytest.raises(ValueError, match=message):
        model.explain(new[:1], **options)
