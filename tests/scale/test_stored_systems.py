import numpy as np
import pytest

from ldslearn import LDS
from ldslearn.geometry import KERNELS, pairwise_distance, pairwise_kernel
from ldslearn.scale import LDSStore

from support.makers import contractions


def in_windows(n_sequences, seed=0):
    batch = contractions(2 * n_sequences, 6, 3, seed)
    return LDS(**{**batch._arrays, "windows": 2})


@pytest.fixture(params=["single", "windows"])
def both(request, tmp_path, monkeypatch):
    """Systems, and a store of them that is read shard by shard."""
    monkeypatch.setattr("ldslearn.models.blocks._BYTES_PER_STORED_BLOCK", 0)
    systems = in_windows(9) if request.param == "windows" else contractions(9, 6, 3)
    return systems, LDSStore.write(tmp_path / "store", [systems[:4], systems[4:5], systems[5:]])


@pytest.mark.parametrize("kernel", [name for name in KERNELS if name != "binet_cauchy"])
def test_kernels_of_a_store_are_those_of_its_systems(both, kernel):
    systems, store = both
    parameters = {"psd": "ignore"} if kernel == "martin" else {}
    for X, Y, first, second in (
        (store, None, systems, None),
        (store, systems[:3], systems, systems[:3]),
        (systems[:3], store, systems[:3], systems),
        (store, store, systems, systems),
    ):
        found = pairwise_kernel(X, Y, kernel, **parameters)
        expected = pairwise_kernel(first, second, kernel, **parameters)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("distance", ["martin", "projection"])
def test_distances_of_a_store_are_those_of_its_systems(both, distance):
    systems, store = both
    found = pairwise_distance(store, None, distance)
    np.testing.assert_allclose(found, pairwise_distance(systems, None, distance), atol=1e-7)
