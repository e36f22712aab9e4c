import pytest

from ldslearn import LDSEncoder
from ldslearn.datasets import load_basic_motions


@pytest.fixture(scope="module")
def motions():
    X_train, y_train, X_test, y_test = load_basic_motions()
    encoder = LDSEncoder(5)
    return encoder.fit_transform(X_train), y_train, encoder.transform(X_test), y_test
