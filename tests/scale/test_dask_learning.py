"""Local and distributed learning end alike, whatever dies in between."""

import os
from pathlib import Path

import numpy as np
import pytest

from ldslearn import LDSDictionary, LDSEmbedding, LDSEncoder, LDSKMeans, SparseCoder
from ldslearn.datasets import load_npz
from ldslearn.dictionary import samples as samples_module
from ldslearn.geometry import pairwise_kernel
from ldslearn.scale import LDSStore, encode_folder, encoding, use_cluster

from support.clusters import (
    Deadly,
    killing,
    separate_scheduler,
    small_blocks,
    third_time_lucky,
    two_workers,
    wait_for,
    without_cluster,
)
from support.makers import contractions, ragged_sequences

DATA = Path(os.environ.get("LDSLEARN_DATA", "nowhere")) / "sdh2.npz"


def stay_on_workers(monkeypatch, *, fetched=0):
    """However few systems there are."""
    monkeypatch.setattr(samples_module, "_SMALLEST", 0)
    monkeypatch.setattr(samples_module, "_FEW", 0)
    monkeypatch.setattr(samples_module, "_FETCHED", fetched)


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


@pytest.fixture
def own_client():
    """Of workers for one test that kills some: not all of them come back."""
    with two_workers() as client:
        yield client


@pytest.fixture
def workers(client, monkeypatch):
    stay_on_workers(monkeypatch)
    with use_cluster(client) as engine, small_blocks():
        yield engine


@pytest.fixture(scope="module")
def systems():
    return contractions(30, 9, 4)


@pytest.fixture(scope="module")
def store(systems, tmp_path_factory):
    parts = [systems[start : start + 11] for start in range(0, 30, 11)]
    return LDSStore.write(tmp_path_factory.mktemp("store") / "store", parts)


DICTIONARY = LDSDictionary(2, init="random", max_iter=1, random_state=0)
CLUSTERS = LDSKMeans(2, n_init=1, max_iter=1, random_state=0)


@pytest.mark.parametrize("kind", ["in memory", "in a store"])
def test_dictionary(workers, systems, store, kind):
    there = DICTIONARY.fit(systems if kind == "in memory" else store)
    steps, codes = there.half_steps_, there.transform(systems)
    assert workers.n_blocks > 20
    with without_cluster():
        here = DICTIONARY.fit(systems)
        np.testing.assert_allclose(steps, here.half_steps_, rtol=1e-9)
        np.testing.assert_allclose(codes, here.transform(systems), atol=1e-5)


def test_samples_of_one_atom_are_fetched_in_one_message(workers, systems, monkeypatch):
    stay_on_workers(monkeypatch, fetched=2**20)
    before = workers.n_blocks
    there = [DICTIONARY.fit(systems).half_steps_, CLUSTERS.fit(systems).inertia_path_]
    fetched = workers.n_blocks - before
    stay_on_workers(monkeypatch)
    before = workers.n_blocks
    messages = [DICTIONARY.fit(systems).half_steps_, CLUSTERS.fit(systems).inertia_path_]
    assert 0 < fetched < (workers.n_blocks - before) / 2
    with without_cluster():
        here = [DICTIONARY.fit(systems).half_steps_, CLUSTERS.fit(systems).inertia_path_]
    for found in (there, messages):
        for one, expected in zip(found, here, strict=True):
            np.testing.assert_allclose(one, expected, rtol=1e-9)


def test_few_systems_are_learned_from_in_this_process(client, systems, store):
    with use_cluster(client) as workers:
        there = [DICTIONARY.fit(X).half_steps_ for X in (systems, store)]
        assert workers.n_blocks == 0
    for steps in there:
        np.testing.assert_allclose(steps, DICTIONARY.fit(systems).half_steps_, rtol=1e-9)


def test_clusters(workers, systems, store):
    path, labels = CLUSTERS.fit(store).inertia_path_, CLUSTERS.labels_
    with without_cluster():
        here = CLUSTERS.fit(systems)
    np.testing.assert_allclose(path, here.inertia_path_, rtol=1e-9)
    np.testing.assert_array_equal(labels, here.labels_)


def test_vectors(workers, systems, store, monkeypatch):
    monkeypatch.setattr("ldslearn.models.blocks._BYTES_PER_STORED_BLOCK", 0)
    model = LDSEmbedding({"projection": 1.0, "mean": 0.5}, n_landmarks=8, random_state=0).fit(store)
    before = workers.n_blocks
    there = model.transform(store)
    assert workers.n_blocks - before == 3
    with without_cluster():
        here = LDSEmbedding({"projection": 1.0, "mean": 0.5}, n_landmarks=8, random_state=0)
        np.testing.assert_allclose(there, here.fit(systems).transform(systems), atol=1e-9)
        np.testing.assert_array_equal(model.landmark_indices_, here.landmark_indices_)
    assert model.residual_ == pytest.approx(here.residual_, abs=1e-12)


def run_encoder(tmp_path, systems):
    (tmp_path / "clips").mkdir(exist_ok=True)
    for index, sequence in enumerate(ragged_sequences(12, n_channels=6)):
        if not (tmp_path / "clips" / f"{index}.npy").exists():
            np.save(tmp_path / "clips" / f"{index}.npy", sequence)
    name = f"store{len(list(tmp_path.iterdir()))}"
    return encode_folder(tmp_path / "clips", tmp_path / name, LDSEncoder(4), shard_size=1)[:].C


RUNS = {
    "encoder": (run_encoder, 5),
    "kernels": (lambda _, systems: pairwise_kernel(systems), 20),
    "codes": (lambda _, systems: SparseCoder().fit(systems[:9]).transform(systems), 4),
    "dictionary": (lambda _, systems: DICTIONARY.fit(systems).half_steps_, 40),
    "clusters": (lambda _, systems: CLUSTERS.fit(systems).inertia_path_, 20),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_worker_killed_in_the_middle_is_survived(
    own_client, systems, tmp_path, name, monkeypatch
):
    stay_on_workers(monkeypatch)
    work, after = RUNS[name]
    with use_cluster(own_client) as workers, small_blocks():
        with killing(workers, after) as victims:
            there = work(tmp_path, systems)
        assert len(victims) == 1, "nobody was killed: the run was too short"
        assert workers.summary()["workers_lost"] >= 1
        with without_cluster():
            here = work(tmp_path, systems)
    np.testing.assert_allclose(there, here, rtol=1e-9, atol=1e-9)


def test_a_file_that_ends_its_reader_is_found_and_left_out(own_client, tmp_path, monkeypatch):
    for index, sequence in enumerate(ragged_sequences(5, n_channels=6)):
        name = "0deadly" if index == 0 else index
        (tmp_path / "clips").mkdir(exist_ok=True)
        np.save(tmp_path / "clips" / f"{name}.npy", sequence)
    monkeypatch.setattr(encoding, "ReadingSettings", Deadly)
    monkeypatch.setattr(own_client.cluster.scheduler, "allowed_failures", 0)  # and not three more
    with (
        use_cluster(own_client) as engine,
        pytest.warns(UserWarning, match="1 item was skipped, the first because: 0deadly.npy must"),
    ):
        store = encode_folder(tmp_path / "clips", tmp_path / "store", LDSEncoder(4), shard_size=3)
        assert engine.summary()["workers_lost"] >= 3  # to begin with, with others, and alone
    assert store.read_texts("names") == ["1.npy", "2.npy", "3.npy", "4.npy"]
    reason = "0deadly.npy must be readable; it ended every process that read it. Leave it out."
    assert store.skipped == [("0deadly.npy", reason)]


def test_a_block_that_no_worker_survives_is_an_error(own_client, tmp_path, monkeypatch):
    monkeypatch.setattr(own_client.cluster.scheduler, "allowed_failures", 0)
    with use_cluster(own_client) as engine:
        found = engine.map(Deadly().read, [(tmp_path / "deadly.npy",)], description="reading")
        with pytest.raises(ChildProcessError, match="reading: several workers died on the same"):
            list(found)


def test_files_that_fail_for_a_while_are_tried_again(client, tmp_path):
    with use_cluster(client) as engine:
        assert list(engine.map(third_time_lucky, [(tmp_path / "tries",)])) == [3]
        assert engine.summary()["repeated"] == 2


def test_the_loss_of_the_scheduler_leaves_what_was_finished(systems, tmp_path, monkeypatch):
    folder = tmp_path / "clips"
    folder.mkdir()
    for index, sequence in enumerate(ragged_sequences(12, n_channels=6)):
        np.save(folder / f"{index}.npy", sequence)
    encoder, lost = LDSEncoder(4), "the scheduler must stay reachable; the connection was lost"

    def notes():
        return list((tmp_path / "store").glob("systems-*.json"))

    stay_on_workers(monkeypatch)
    with (
        separate_scheduler(tmp_path) as (address, process),
        pytest.raises(ConnectionError, match=lost),
        use_cluster(address) as engine,
        killing(engine, after=8, choose=lambda: wait_for(notes) and process),
    ):
        encode_folder(folder, tmp_path / "store", encoder, shard_size=1)
    finished = len(notes())
    assert 0 < finished < 12  # some were not sent yet
    made, original = [], encoding.encode_block
    monkeypatch.setattr(
        encoding, "encode_block", lambda *task: made.append(1) or original(*task)
    )  # fmt: skip
    store = encode_folder(folder, tmp_path / "store", encoder, shard_size=1)
    assert len(made) == 12 - finished
    np.testing.assert_array_equal(store[:].C, encode_folder(folder, tmp_path / "b", encoder)[:].C)


def test_the_loss_of_the_scheduler_leaves_the_atoms_so_far(systems, tmp_path, monkeypatch):
    stay_on_workers(monkeypatch)
    model = LDSDictionary(2, parts="symmetric", init="random", max_iter=9, tol=0, random_state=0)
    with (
        separate_scheduler(tmp_path) as (address, process),
        pytest.raises(ConnectionError, match="init=dictionary.atoms_"),
        use_cluster(address) as engine,
        small_blocks(),
        killing(engine, after=150, choose=lambda: process),
    ):
        model.fit(systems)
    assert model.stopped_ == "by the loss of the cluster"
    assert len(model.objective_) >= 1
    more = LDSDictionary(2, parts="symmetric", init=model.atoms_, max_iter=1).fit(systems)
    assert more.objective_[0] <= model.objective_[-1] * (1 + 1e-12)


@pytest.mark.skipif(not DATA.exists(), reason="LDSLEARN_DATA does not say where the real data are")
def test_real_data(workers):
    data = load_npz(DATA)[::8]
    with small_blocks(2**22):
        encoder = LDSEncoder(5).fit(data.X)
        there = encoder.transform(data.X)
        assert workers.n_blocks > 2
        kernel = pairwise_kernel(there)
        codes = SparseCoder().fit(there[:30]).transform(there)
        steps = DICTIONARY.fit(there).half_steps_
        path = CLUSTERS.fit(there).inertia_path_
    with without_cluster():
        here = encoder.transform(data.X)
        np.testing.assert_allclose(there.A, here.A, atol=1e-12)
        np.testing.assert_allclose(kernel, pairwise_kernel(here), atol=1e-10)
        expected = SparseCoder().fit(here[:30]).transform(here)
        np.testing.assert_allclose(codes, expected, atol=1e-9)
        np.testing.assert_allclose(steps, DICTIONARY.fit(here).half_steps_, rtol=1e-8)
        np.testing.assert_allclose(path, CLUSTERS.fit(here).inertia_path_, rtol=1e-8)
