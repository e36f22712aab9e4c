import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from ldslearn import LDS, LDSEncoder, SparseCoder, sparse_code
from ldslearn.coding import residual_reductions
from ldslearn.geometry import martin_kernel, projection_kernel
from ldslearn.sequences import make_lds_sequences

from support.makers import contractions


@pytest.fixture
def batches():
    return contractions(9, 8, 3, seed=1), contractions(4, 8, 3, seed=2)


def test_codes_are_those_of_the_kernels(batches):
    X, Y = batches
    codes = SparseCoder(sparsity=0.05).fit(X).transform(Y)
    expected = sparse_code(projection_kernel(X), projection_kernel(Y, X), 0.05)
    np.testing.assert_allclose(codes, expected, atol=1e-12)


def test_training_systems_are_coded_by_the_others(batches):
    X, _ = batches
    coder = SparseCoder(sparsity=0.05)
    codes = coder.fit_transform(X)
    assert not codes.diagonal().any()
    assert codes.any(axis=1).all()
    for i in range(len(X)):
        others = np.delete(np.arange(len(X)), i)
        alone = SparseCoder(sparsity=0.05).fit(X[others]).transform(X[i])
        np.testing.assert_allclose(codes[i, others], alone[0], atol=1e-9)
    itself = coder.transform(X)
    assert (itself.argmax(axis=1) == np.arange(len(X))).all()


def test_atoms_of_your_own(batches):
    X, atoms = batches
    coder = SparseCoder(atoms=atoms)
    codes = coder.fit_transform(X)
    assert codes.shape == (9, 4)
    np.testing.assert_array_equal(codes, coder.transform(X))
    np.testing.assert_array_equal(codes, clone(coder).fit(X[:2]).transform(X))
    assert list(coder.get_feature_names_out()[:2]) == ["sparsecoder0", "sparsecoder1"]


def test_parameters_reach_the_solver(batches):
    X, Y = batches
    assert (SparseCoder(nonnegative=True).fit(X).transform(Y) >= 0).all()
    greedy = SparseCoder(n_nonzero=2).fit(X).transform(Y)
    assert (np.count_nonzero(greedy, axis=1) == 2).all()


def test_a_median_bandwidth_is_that_of_the_atoms(batches):
    X, Y = batches
    parameters = {"bandwidth": "median", "psd": "ignore"}
    coder = SparseCoder("martin", kernel_params=parameters, sparsity=0.01).fit(X)
    ((_, _, fixed),) = coder.kernel_.parts
    assert fixed["bandwidth"] > 0
    _, cross = coder.code(Y)
    np.testing.assert_allclose(cross, martin_kernel(Y, X, bandwidth=fixed["bandwidth"]))
    np.testing.assert_allclose(coder.kernel_.gram, martin_kernel(X, bandwidth=fixed["bandwidth"]))
    np.testing.assert_allclose(cross[:1], coder.code(Y[:1])[1])


def test_a_linear_svm_on_codes():
    X, y = make_lds_sequences(3, 12, n_channels=6, n_timepoints=60, random_state=0)[:2]
    model = make_pipeline(LDSEncoder(3), SparseCoder(sparsity=0.05), LinearSVC())
    assert cross_val_score(model, X, y, cv=3).mean() > 0.8


def test_what_the_classes_explain_is_the_energy_of_their_parts():
    """Eq. (13) with explicit features, residual by residual."""
    random = np.random.default_rng(0)
    D, x, z = (random.standard_normal(shape) for shape in ((7, 5), (4, 5), (4, 7)))
    labels = np.array([0, 2, 1, 0, 1, 2, 2])
    explained = residual_reductions(D @ D.T, x @ D.T, z, labels, 3)
    for i in range(4):
        for c in range(3):
            part = z[i, labels == c] @ D[labels == c]
            residual = np.linalg.norm(x[i] - part) ** 2
            assert x[i] @ x[i] - explained[i, c] == pytest.approx(residual, rel=1e-12)


def test_bad_input(batches):
    X, Y = batches
    with pytest.raises(TypeError, match="X must be an LDS batch; got ndarray"):
        SparseCoder().fit(np.zeros((3, 2)))
    with pytest.raises(TypeError, match="atoms must be an LDS batch; got list"):
        SparseCoder(atoms=[1]).fit(X)
    with pytest.raises(ValueError, match="X must have n_states=2, as the atoms have; got 3"):
        SparseCoder(atoms=contractions(2, 8, 2)).fit(X)
    with pytest.warns(UserWarning, match="code of system 0, 1, 2, 3 is zero with sparsity=1000"):
        SparseCoder(sparsity=1000.0).fit(X).transform(Y)
    with pytest.warns(UserWarning, match="code of system 0, 1, 2, 3, 4 and 4 more is zero"):
        SparseCoder(sparsity=1000.0).fit_transform(X)
    strangers = LDS(np.zeros((2, 1, 1)), np.eye(4)[[0, 1]][:, :, None])
    with pytest.warns(UserWarning, match="system 0, 1 is zero: it has nothing in common with any"):
        SparseCoder(n_nonzero=1).fit_transform(strangers)
    coder = SparseCoder().fit(X)
    with pytest.raises(ValueError, match="X must have n_states=3, as the model .*; got 2"):
        coder.transform(contractions(2, 8, 2))
    with pytest.raises(ValueError, match="X must have n_channels=8, as the model .*; got 9"):
        coder.transform(contractions(2, 9, 3))
    with pytest.raises(ValueError, match="sparsity must be a finite number of at least 0; got -1"):
        SparseCoder(sparsity=-1).fit(X).transform(Y)
