"""Traces of Gramians, and matrices that are shrunk for them."""

import numpy as np
import pytest

from ldslearn import LDS
from ldslearn.geometry import projection_kernel
from ldslearn.models import stabilize
from ldslearn.models.spectrum import gramian_traces

from support.makers import jordan_block, unstable_matrices

OVERFLOWING = np.triu(np.full((4, 4), 1e200), 1)
NEARLY_UNSTABLE = np.diag([1 - 1e-14, 0.5, 0.3, 0.1])


def test_traces_do_not_depend_on_the_neighbours():
    A = np.stack(
        [OVERFLOWING, NEARLY_UNSTABLE, np.zeros((4, 4)), jordan_block(4, 0.9), 2 * np.eye(4),
         *(0.7 * unstable_matrices(3, 4))]
    )  # fmt: skip
    alone = [gramian_traces(matrix[None])[0] for matrix in A]
    np.testing.assert_array_equal(gramian_traces(A), alone)
    np.testing.assert_array_equal(gramian_traces(A[::-1]), alone[::-1])


def test_traces_are_sums_of_geometric_series():
    A = np.stack([np.diag([0.9, 0.5]), OVERFLOWING[:2, :2], np.diag([0.999, 0.0])])
    series = [1 / (1 - 0.81) + 1 / 0.75, np.inf, 1 / (1 - 0.999**2) + 1]
    np.testing.assert_allclose(gramian_traces(A), series)
    assert gramian_traces(np.empty((0, 3, 3))).shape == (0,)
    assert gramian_traces(np.stack([OVERFLOWING, NEARLY_UNSTABLE]))[1] > 1e13


@pytest.mark.parametrize("method", ["clip", "scale"])
def test_kernels_accept_a_stabilized_system_beside_one_that_overflows(method):
    A = np.stack([OVERFLOWING, NEARLY_UNSTABLE])
    stable = stabilize(A, method=method, bound=1 - 1e-15)
    np.testing.assert_array_equal(stable[1], stabilize(A[1:], method=method, bound=1 - 1e-15)[0])
    systems = LDS(stable, np.broadcast_to(np.eye(4), A.shape))
    assert np.isfinite(projection_kernel(systems, systems)).all()
