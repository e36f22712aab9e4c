import json
import os
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

from ldslearn import LDS, LDSEncoder, SparseCoder, SparseCodingClassifier, sparse_code
from ldslearn.classify import LDSSVC, NearestLDSClassifier
from ldslearn.cli.running import run
from ldslearn.geometry import KERNELS, pairwise_distance, pairwise_kernel
from ldslearn.scale import (
    LDSStore,
    dask_cluster,
    encode_folder,
    kernel_files,
    use_cluster,
    write_kernel,
)

from support.clusters import (
    killing,
    n_workers_seen,
    processes,
    small_blocks,
    some_workers,
    third_time_lucky,
    two_workers,
    wait_for,
    without_cluster,
)
from support.interruptions import interrupt_kernel
from support.makers import contractions, ragged_sequences, random_systems


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


@pytest.fixture
def workers(client):
    with use_cluster(client) as engine, small_blocks():
        yield engine


def same_systems(first, second):
    assert first._layout == second._layout
    for name, array in first._arrays.items():
        np.testing.assert_allclose(array, second._arrays[name], rtol=1e-12, atol=1e-12)


def test_results_come_in_order_whatever_is_done_first(workers):
    blocks = [(number,) for number in range(20)]
    assert list(workers.map(pow, blocks, 2)) == [number**2 for number in range(20)]
    kept = workers.submit(pow, blocks, 2)
    assert list(workers.map(max, [(handle, 50) for handle in kept])) == [
        max(number**2, 50) for number in range(20)
    ]


def test_encoder(workers):
    X = ragged_sequences(12, n_channels=6)
    encoder = LDSEncoder(n_states=4, windows=(1, 2))
    there, certificate = encoder.fit(X).transform(X, return_certificate=True)
    assert workers.n_blocks > 2
    with without_cluster():
        here, expected = encoder.transform(X, return_certificate=True)
    same_systems(there, here)
    assert str(certificate) == str(expected)


def test_messages_of_the_encoder_name_the_right_sequence(workers):
    X = ragged_sequences(12, n_channels=6)
    X[9][:] = 1.0
    with pytest.raises(ValueError, match="sequence 9 must vary over time"):
        LDSEncoder(4).fit_transform(X)
    X[9][:] = np.arange(X[9].shape[1])
    with pytest.warns(UserWarning, match=r"1 sequence has a rank below the 4 states \(sequence 9"):
        LDSEncoder(4).fit_transform(X)
    X[9][:] *= 1e200
    with pytest.raises(ValueError, match="sequence 9 must have values whose squares"):
        LDSEncoder(4).fit_transform(X)


@pytest.mark.parametrize("kernel", [name for name in KERNELS if name != "binet_cauchy"])
def test_kernels(workers, kernel):
    X, Y = contractions(20, 6, 3), contractions(9, 6, 3, seed=1)
    parameters = {"psd": "ignore"} if kernel == "martin" else {}
    for other in (Y, None, X):
        before = workers.n_blocks
        there = pairwise_kernel(X, other, kernel, **parameters)
        assert workers.n_blocks > before + 1
        with without_cluster():
            here = pairwise_kernel(X, other, kernel, **parameters)
        np.testing.assert_allclose(there, here, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("distance", ["martin", "projection"])
def test_distances(workers, distance):
    X = contractions(15, 6, 3)
    there = pairwise_distance(X, None, distance)
    with without_cluster():
        np.testing.assert_allclose(there, pairwise_distance(X, None, distance), atol=1e-10)


def test_codes(workers):
    random = np.random.default_rng(0)
    D = random.standard_normal((40, 60))
    gram, cross = D @ D.T, random.standard_normal((30, 60)) @ D.T
    allowed = random.random(cross.shape) < 0.7
    for options in ({}, {"allowed": allowed}, {"n_nonzero": 3}, {"nonnegative": True}):
        before = workers.n_blocks
        there = sparse_code(gram, cross, 2.0, **options)
        assert workers.n_blocks > before + 1
        with without_cluster():
            here = sparse_code(gram, cross, 2.0, **options)
        np.testing.assert_allclose(there, here, atol=1e-12)


@pytest.fixture(scope="module")
def systems():
    return contractions(30, 6, 3)


@pytest.fixture(scope="module")
def store(systems, tmp_path_factory):
    parts = [systems[start : start + 7] for start in range(0, 30, 7)]
    return LDSStore.write(tmp_path_factory.mktemp("store") / "store", parts)


LABELS = np.arange(12) % 3
ESTIMATORS = {
    "coder": (SparseCoder(sparsity=0.05), ["transform"]),
    "sparse": (
        SparseCodingClassifier(sparsity=0.05),
        ["predict", "decision_function", "predict_proba", "codes_for"],
    ),
    "nearest": (NearestLDSClassifier(), ["predict", "predict_proba"]),
    "svm": (LDSSVC(), ["predict", "decision_function"]),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_take_stores_and_use_workers(client, systems, store, name, monkeypatch):
    estimator, methods = ESTIMATORS[name]
    estimator.fit(systems[:12], LABELS)
    monkeypatch.setattr("ldslearn.models.blocks._BYTES_PER_STORED_BLOCK", 0)
    for method in methods:
        expected = getattr(estimator, method)(systems)
        streamed = getattr(estimator, method)(store)
        np.testing.assert_allclose(*map(numbers, (streamed, expected)), rtol=1e-12, atol=1e-12)
        with use_cluster(client) as engine, small_blocks():
            for X in (systems, store):
                before = engine.n_blocks
                there = getattr(estimator, method)(X)
                assert engine.n_blocks > before + 1
                np.testing.assert_allclose(*map(numbers, (there, expected)), atol=1e-12)


def numbers(values):
    return np.asarray(values, dtype=float)


def test_warnings_of_blocks_say_which_systems(client, systems, store, monkeypatch):
    monkeypatch.setattr("ldslearn.models.blocks._BYTES_PER_STORED_BLOCK", 0)
    coder = SparseCoder(sparsity=1e3).fit(systems[:5])
    texts = [
        rf"of systems {start} to {stop}, counted from the first of them: the code of system 0"
        for start, stop in ((0, 6), (7, 13), (14, 20), (21, 27), (28, 29))
    ]
    with pytest.warns(UserWarning, match="of systems") as here:
        coder.transform(store)
    with pytest.warns(UserWarning, match="of systems") as there, use_cluster(client):
        coder.transform(store)
    for caught in (here, there):
        assert [str(w.message).split(", 1")[0] for w in caught] == texts


def test_a_kernel_of_a_store_is_written_tile_by_tile(client, systems, store, tmp_path, monkeypatch):
    monkeypatch.setattr("ldslearn.scale.kernel_files._TILE", 0)
    kernel = {"projection": 0.5, "covariance": 0.5}
    expected = pairwise_kernel(systems, kernel=kernel)
    here = write_kernel(tmp_path / "here.npy", store, kernel)
    np.testing.assert_allclose(here, expected, rtol=1e-12)
    with use_cluster(client) as engine:
        there = write_kernel(tmp_path / "there.npy", store, kernel)
        assert engine.n_blocks == 15
    np.testing.assert_array_equal(there, here)
    np.testing.assert_allclose(write_kernel(tmp_path / "m.npy", systems, kernel), here, rtol=1e-12)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here.npy", "m.npy", "there.npy"]


def test_a_kernel_that_was_interrupted_goes_on(store, systems, tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_files, "_TILE", 0)
    original, made = kernel_files.compute_tile, []

    def interrupted(*arguments, **settings):
        made.append(1)
        if len(made) == 6:
            raise KeyboardInterrupt
        return original(*arguments, **settings)

    monkeypatch.setattr(kernel_files, "compute_tile", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_kernel(tmp_path / "K.npy", store)
    K = write_kernel(tmp_path / "K.npy", store)
    assert len(made) == 6 + 10  # of fifteen tiles five were there
    np.testing.assert_allclose(K, pairwise_kernel(systems), rtol=1e-12)


def test_a_kernel_goes_on_from_its_own_tiles_only(store, systems, tmp_path, monkeypatch):
    """Not from those of another kernel, window or function at the same place."""
    monkeypatch.setattr(kernel_files, "_TILE", 0)
    windowed = LDS(**{**systems._arrays, "windows": 2})
    pairs = LDSStore.write(tmp_path / "pairs", [windowed[:7], windowed[7:]])
    path = tmp_path / "K.npy"
    interrupt_kernel(path, pairs.window(0), "projection", after=2)
    K = write_kernel(path, pairs.window(1))
    np.testing.assert_allclose(K, pairwise_kernel(windowed.window(1)), rtol=1e-12)

    interrupt_kernel(path, store, "projection", after=5)
    with monkeypatch.context() as patch:  # killed: nothing is noted
        patch.setattr(kernel_files, "_save_progress", lambda *_: None)
        interrupt_kernel(path, store, "covariance", after=0)
    np.testing.assert_allclose(write_kernel(path, store), pairwise_kernel(systems), rtol=1e-12)

    def zeros(X, Y=None):
        return np.zeros((len(X), len(X if Y is None else Y)))

    interrupt_kernel(path, store, zeros, after=5)
    K = write_kernel(path, store, lambda X, Y=None: np.ones((len(X), len(X if Y is None else Y))))
    np.testing.assert_array_equal(K, np.ones(K.shape))


def test_a_median_needs_the_whole_matrix(systems, tmp_path):
    with pytest.raises(ValueError, match="bandwidth of 'mean' must be a number; got 'median'"):
        write_kernel(tmp_path / "K.npy", systems, "mean")


def test_files_are_encoded_where_they_are(client, tmp_path):
    X = ragged_sequences(12, n_channels=6)
    (tmp_path / "clips").mkdir()
    for index, sequence in enumerate(X):
        np.save(tmp_path / "clips" / f"{index}.npy", sequence)
    encoder = LDSEncoder(4, n_jobs=2)
    with use_cluster(client) as engine:
        there = encode_folder(tmp_path / "clips", tmp_path / "there", encoder, shard_size=1)
        assert engine.n_blocks == 12 + 1  # the first item, to begin with
    here = encode_folder(tmp_path / "clips", tmp_path / "here", encoder, shard_size=2)
    assert there.read_texts("names") == here.read_texts("names")
    same_systems(there[:], here[:])


def test_the_command_encodes_on_a_cluster(client, tmp_path, capsys):
    for index, sequence in enumerate(ragged_sequences(5, n_channels=6)):
        (tmp_path / "clips").mkdir(exist_ok=True)
        np.save(tmp_path / "clips" / f"{index}.npy", sequence)
    arguments = ["encode", str(tmp_path / "clips"), "-n", "4", "--shard-size", "1", "--cluster"]
    arguments += [client.scheduler.address, "-o"]
    assert run([*arguments, str(tmp_path / "store"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cluster"]["blocks"] == 5 + 1
    assert run([*arguments, str(tmp_path / "shown")]) == 0
    assert "6 blocks, 0 repeated, 0 workers lost" in capsys.readouterr().out


def test_without_the_extra_a_message_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask", None)
    match = (
        r"a cluster needs the packages dask and distributed; got: .* pip install 'ldslearn\[dask\]'"
    )
    with pytest.raises(ImportError, match=match), use_cluster("tcp://127.0.0.1:1"):
        pass


def test_addresses_and_clients_are_checked(monkeypatch):
    def nobody():
        raise ValueError("no clients found")

    monkeypatch.setattr(pytest.importorskip("distributed"), "default_client", nobody)
    with (
        pytest.raises(ValueError, match="where must be an address, a Client, a Dask cluster or"),
        use_cluster(3),
    ):
        pass
    for address in ("nonsense", "", "http://127.0.0.1:9", "tcp://127.0.0.1"):
        with (
            pytest.raises(ConnectionError, match="it must look like tcp://HOST:PORT"),
            use_cluster(address),
        ):
            pass
    with (
        pytest.raises(ValueError, match="or find an active client; got none"),
        use_cluster(),
    ):
        pass


def test_what_blocks_share_is_sent_once(client, systems, monkeypatch):
    """Estimators among it, whose size Python does not know."""
    monkeypatch.setattr(dask_cluster, "_LARGE", 2**10)
    sent, original = [], client.submit
    monkeypatch.setattr(client, "submit", lambda f, x, **o: sent.append(x) or original(f, x, **o))
    model = SparseCodingClassifier(sparsity=0.05).fit(systems[:12], LABELS)
    with use_cluster(client), small_blocks():
        labels = model.predict(systems)
    assert [x for x in sent if isinstance(x, SparseCodingClassifier)] == [model]
    np.testing.assert_array_equal(labels, model.predict(systems))


def test_warnings_keep_their_kind(client):
    with use_cluster(client) as engine, pytest.warns(DeprecationWarning, match="old"):
        list(engine.map(warnings.warn, [("old", DeprecationWarning)]))


def test_what_is_kept_is_tried_again(client, tmp_path):
    with use_cluster(client) as engine:
        kept = engine.submit(third_time_lucky, [(tmp_path / "tries",)])
        assert list(engine.map(max, [(kept[0], 1)])) == [3]


def test_workers_that_are_threads_here_work_by_themselves():
    with some_workers(1, processes=False) as client, use_cluster(client) as engine:
        assert list(engine.map(n_workers_seen, [()])) == [0]


def test_a_scheduler_without_workers_is_told(monkeypatch):
    monkeypatch.setattr("ldslearn.scale.dask_connection._TIMEOUT", 0.2)
    with (
        some_workers(0) as client,
        pytest.warns(UserWarning, match="has no workers: nothing is done until one comes"),
        use_cluster(client),
    ):
        pass


def test_the_death_of_the_last_worker_is_told(monkeypatch):
    monkeypatch.setattr(dask_cluster, "_SECONDS_BETWEEN_CHECKS", 0.5)
    with some_workers(1) as client, use_cluster(client) as engine:
        client.cluster.scale(0)
        wait_for(lambda: not client.nthreads())
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            back = threading.Timer(2.0, client.cluster.scale, [1])
            back.start()
            assert list(engine.map(pow, [(2,), (3,)], 2)) == [4, 9]
            back.join()
    assert any("has no workers: nothing is done until one comes" in str(w.message) for w in caught)


def test_workers_that_never_come_are_not_waited_for_for_ever(monkeypatch):
    monkeypatch.setattr(dask_cluster, "_SECONDS_BETWEEN_CHECKS", 0.1)
    monkeypatch.setattr(dask_cluster, "_MAX_WAIT_SECONDS", 0.5)
    with some_workers(1) as client, use_cluster(client) as engine:
        client.cluster.scale(0)
        wait_for(lambda: not client.nthreads())
        with (
            warnings.catch_warnings(),
            pytest.raises(
                ConnectionError, match="must have workers; for .* minutes there was none"
            ),
        ):
            warnings.simplefilter("ignore")
            list(engine.map(pow, [(2,), (3,)], 2))


def test_an_address_a_client_a_cluster_and_the_default_client_lead_to_the_workers(client):
    dask_distributed = pytest.importorskip("distributed")
    address = client.scheduler.address
    with pytest.raises(ValueError, match="No clients found"):  # as in a new process
        dask_distributed.default_client()
    for where in (address, client.cluster, client):
        with use_cluster(where) as engine:
            assert list(engine.map(pow, [(2,), (3,)], 2)) == [4, 9]
            assert engine.summary()["blocks"] == 2
    with dask_distributed.Client(address) as default, use_cluster() as engine:
        assert engine.client is default
        assert list(engine.map(pow, [(2,), (3,)], 2)) == [4, 9]


def test_nothing_of_dask_is_imported_unless_used():
    program = (
        "import sys, ldslearn, ldslearn.scale, ldslearn.datasets, ldslearn.cli.running;"
        "from ldslearn import LDSDictionary, LDSEncoder, LDSKMeans, SparseCodingClassifier;"
        "X, y, *_ = ldslearn.datasets.load_basic_motions();"
        "LDSKMeans(2, n_init=1).fit(LDSEncoder(3).fit_transform(X[:6]));"
        "assert not {'dask', 'distributed'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_losses_are_counted_beyond_the_events_that_dask_keeps(monkeypatch):
    monkeypatch.setattr(dask_cluster, "_SECONDS_BETWEEN_COUNTS", 0.0)
    with some_workers(2) as client, use_cluster(client) as engine:
        os.kill(min(processes(client)), signal.SIGKILL)
        wait_for(
            lambda: any(e.get("action") == "remove-worker" for _, e in client.get_events("all"))
        )
        list(engine.map(pow, [(2,), (3,)], 2))
        for _ in range(1100):
            client.log_event("all", {"action": "something else"})
        wait_for(
            lambda: not any(e.get("action") == "remove-worker" for _, e in client.get_events("all"))
        )
        assert engine.summary()["workers_lost"] == 1
        assert engine.summary()["workers_lost"] == 1


def test_killing_is_seen():
    with (
        two_workers() as client,
        use_cluster(client) as workers,
        killing(workers, after=3) as victims,
    ):
        assert list(workers.map(pow, [(number,) for number in range(12)], 2))[-1] == 121
        assert len(victims) == 1
        assert wait_for(lambda: workers.summary()["workers_lost"]) >= 1


def test_a_system_of_its_own(workers):
    """Batches too small to share stay here."""
    before = workers.n_blocks
    with small_blocks(10**6):
        pairwise_kernel(random_systems(5, 4, 2))
    assert workers.n_blocks == before
