"""Errors and warnings about single systems name them as the caller's batch does."""

import pickle
import warnings

import numpy as np
import pytest

from ldslearn import (
    LDS,
    LDSSVC,
    DictionaryClassifier,
    LDSDictionary,
    NearestLDSClassifier,
    SparseCodingClassifier,
)
from ldslearn.geometry import (
    hybrid_kernel,
    kl_divergence_rate,
    martin_distance,
    pairwise_kernel,
    principal_angles,
    projection_kernel,
    symmetric_kernel,
)
from ldslearn.geometry.output_normal import unstable_systems
from ldslearn.scale import LDSStore, write_kernel
from ldslearn.scale.shards import lock_store, write_index, write_shard

from support.makers import contractions


def spoiled(indices, n_systems=40, *, allow_unstable=False, factor=1.5):
    """Systems of which some are unstable."""
    systems = contractions(n_systems, 6, 3)
    A = systems.A.copy()
    for index in indices:
        A[index] *= factor / np.abs(np.linalg.eigvals(A[index])).max()
    return LDS(**{**systems._arrays, "A": A, "allow_unstable": allow_unstable})


def stored(path, systems, size=7, *, names=True):
    """A store of small shards, whose systems have names."""
    with lock_store(path) as folder:
        shards = []
        for start in range(0, len(systems), size):
            block = systems[start : start + size]
            texts = {"names": [f"clip{start + i}.avi" for i in range(len(block))]}
            shards.append(write_shard(folder, start, block, texts if names else None))
        write_index(folder, shards, {})
    return LDSStore.open(path)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr("ldslearn.models.blocks._BYTES_PER_STORED_BLOCK", 0)
    monkeypatch.setattr("ldslearn.scale.kernel_files._TILE", 1)
    monkeypatch.setattr("ldslearn.geometry.fitted_kernels._BYTES_PER_ROW_BLOCK", 2048)


def only_warning(call):
    """What the one warning of a call says."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    messages = [str(one.message) for one in caught if "unstable" in str(one.message)]
    assert len(messages) == 1, messages
    return messages[0]


def test_errors_name_the_index_in_a_store_and_its_file(tmp_path):
    store = stored(tmp_path / "store", spoiled([17]))
    with pytest.raises(ValueError, match=r"system 17 \(clip17.avi\) must be stable"):
        projection_kernel(store)
    with pytest.raises(ValueError, match=r"system 17 of Y \(clip17.avi\) must be"):
        projection_kernel(contractions(3, 6, 3), store)
    with pytest.raises(ValueError, match=r"system 17 \(clip17.avi\) must be stable"):
        write_kernel(tmp_path / "kernel.npy", store)
    unnamed = stored(tmp_path / "other", spoiled([17]), names=False)
    with pytest.raises(ValueError, match=r"system 17 must be stable"):
        projection_kernel(unnamed)


def test_errors_name_the_index_in_a_batch_in_memory(tmp_path):
    systems = spoiled([17])
    for call in (
        lambda: pairwise_kernel(systems, kernel={"projection": 0.5, "martin": 0.5}),
        lambda: write_kernel(tmp_path / "kernel.npy", systems),
        lambda: principal_angles(systems),
    ):
        with pytest.raises(ValueError, match="system 17 must be stable"):
            call()
    with pytest.raises(ValueError, match="system 17 of Y must be stable"):
        martin_distance(contractions(3, 6, 3), systems)
    variances = np.where(np.arange(20) == 17, 0.0, 1.0)
    silent = LDS(**{**contractions(20, 6, 3)._arrays, "noise_variance": variances})
    with pytest.raises(ValueError, match="noise_variance of system 17 must be positive"):
        kl_divergence_rate(silent)


@pytest.mark.parametrize("where", ["memory", "store"])
def test_predictions_name_the_index_of_a_query(tmp_path, where):
    train, labels = contractions(20, 6, 3, seed=1), np.arange(20) % 2
    queries = spoiled([17])
    if where == "store":
        queries = stored(tmp_path / "store", queries)
    for model in (
        SparseCodingClassifier(),
        SparseCodingClassifier(reject=0.5),
        LDSSVC(),
        NearestLDSClassifier(),
    ):
        fitted = model.fit(train, labels)
        with pytest.raises(ValueError, match=r"system 17 (\(clip17.avi\) )?must be stable"):
            fitted.predict(queries)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_one_warning_per_call_counts_over_all_blocks(tmp_path, n_jobs):
    systems = spoiled([3, 17, 30], allow_unstable=True)
    store = stored(tmp_path / "store", systems)
    named = "system 3, 17, 30 is unstable"
    for call in (
        lambda: projection_kernel(store, n_jobs=n_jobs),
        lambda: martin_distance(store, n_jobs=n_jobs),
        lambda: pairwise_kernel(store, kernel={"projection": 1.0, "covariance": 1.0}),
        lambda: write_kernel(tmp_path / f"a{n_jobs}.npy", store, n_jobs=n_jobs),
        lambda: write_kernel(tmp_path / f"b{n_jobs}.npy", systems[:], n_jobs=n_jobs),
        lambda: projection_kernel(systems[:], n_jobs=n_jobs),
        lambda: hybrid_kernel(store, n_jobs=n_jobs),
    ):
        assert only_warning(call).startswith(named)
    message = only_warning(lambda: projection_kernel(systems[:5], systems[10:20], n_jobs=n_jobs))
    assert message.startswith("system 3 and system 7 of Y is unstable")


def test_one_warning_per_prediction_and_fit():
    systems, labels = spoiled([3, 17, 30], allow_unstable=True), np.arange(40) % 2
    model = SparseCodingClassifier(kernel_params={}, reject=0.9)
    assert only_warning(lambda: model.fit(systems[:], labels)).startswith("system 3, 17, 30 is")
    assert only_warning(lambda: model.predict(systems[10:])).startswith("system 7, 20 is unstable")


def test_parts_outside_the_unit_disc_are_counted_over_blocks(tmp_path):
    systems = contractions(20, 6, 3)
    A = systems.A.copy()
    A[[4, 17]] = [[0.0, 9.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    systems = LDS(A, systems.C)
    store = stored(tmp_path / "store", systems)
    with pytest.warns(UserWarning, match="symmetric part of system 4, 17 has") as caught:
        symmetric_kernel(store)
    assert len(caught) == 1
    classifier = DictionaryClassifier(LDSDictionary(2, max_iter=1), per_class=True)
    with pytest.warns(UserWarning, match="symmetric part of system 4, 17 has") as caught:
        classifier.fit(systems, np.arange(20) % 2)
    assert len(caught) == 2  # the symmetric and the skew-symmetric part


def test_stable_systems_keep_their_digits_beside_an_unstable_one():
    alone = spoiled([], 12, allow_unstable=True)
    mixed = spoiled([5], 12, allow_unstable=True)
    others = np.delete(np.arange(12), 5)
    with pytest.warns(UserWarning, match="system 5 is unstable"):
        found = {f: f(mixed) for f in (principal_angles, projection_kernel, martin_distance)}
    for function, values in found.items():
        expected = function(alone)
        np.testing.assert_allclose(
            values[np.ix_(others, others)],
            expected[np.ix_(others, others)],
            rtol=1e-13,
            atol=1e-14,
        )
        assert np.isfinite(values).all()


def test_slow_systems_are_prepared_with_care_beside_an_unstable_one():
    slow = spoiled([1], 3, allow_unstable=True, factor=1 - 1e-7)
    A = slow.A.copy()
    A[2] *= 1.5 / np.abs(np.linalg.eigvals(A[2])).max()
    mixed = LDS(**{**slow._arrays, "A": A, "allow_unstable": True})
    with pytest.warns(UserWarning, match="system 2 is unstable"):
        angles = principal_angles(mixed)
    np.testing.assert_allclose(angles[:2, :2], principal_angles(slow)[:2, :2], atol=1e-13)


def test_errors_about_systems_travel_between_processes():
    error = unstable_systems([3, 17]).add_names([f"clip{i}.avi" for i in range(20)])
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert str(error).startswith("system 3, 17 (clip3.avi, clip17.avi) must be stable")
