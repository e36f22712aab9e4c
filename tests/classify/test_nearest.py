import numpy as np
import pytest

from ldslearn import NearestLDSClassifier
from ldslearn.geometry import martin_distance, projection_distance

from support.makers import contractions


@pytest.fixture
def systems():
    return contractions(12, 8, 3, seed=1), np.arange(12) % 4, contractions(6, 8, 3, seed=2)


def test_the_nearest_system_decides(systems):
    X, y, Z = systems
    labels = NearestLDSClassifier().fit(X, y).predict(Z)
    np.testing.assert_array_equal(labels, y[martin_distance(Z, X).argmin(axis=1)])


@pytest.mark.parametrize("n_neighbors", [1, 2, 3, 5, 12])
def test_votes(n_neighbors, systems):
    X, y, Z = systems
    classifier = NearestLDSClassifier("projection", n_neighbors=n_neighbors).fit(X, y)
    shares, labels = classifier.predict_proba(Z), classifier.predict(Z)
    for i, distances in enumerate(projection_distance(Z, X)):
        nearest = y[np.argsort(distances)[:n_neighbors]]
        votes = np.bincount(nearest, minlength=4)
        np.testing.assert_allclose(shares[i], votes / n_neighbors)
        # among the classes with most votes, the one met first going outward
        assert labels[i] == next(label for label in nearest if votes[label] == votes.max())


def test_a_distance_of_your_own(systems):
    X, y, Z = systems

    def furthest(X, Y, factor):
        return -factor * projection_distance(X, Y)

    classifier = NearestLDSClassifier(furthest, distance_params={"factor": 2.0}).fit(X, y)
    np.testing.assert_array_equal(
        classifier.predict(Z), y[projection_distance(Z, X).argmax(axis=1)]
    )


def test_bad_parameters(systems):
    X, y, _ = systems
    with pytest.raises(
        ValueError, match="n_neighbors must be at most the number of systems, 12; got 13"
    ):
        NearestLDSClassifier(n_neighbors=13).fit(X, y)
    with pytest.raises(ValueError, match="n_neighbors must be"):
        NearestLDSClassifier(n_neighbors=0).fit(X, y)
    with pytest.raises(ValueError, match="distance must be one of 'projection', 'martin'"):
        NearestLDSClassifier("euclid").fit(X, y)
