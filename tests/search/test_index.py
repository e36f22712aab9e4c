import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldslearn import LDS, LDSEncoder, LDSIndex, _locks
from ldslearn._records import seal
from ldslearn.geometry import KERNELS, pairwise_kernel
from ldslearn.scale import LDSStore, encode_folder
from ldslearn.search.similarity import choose_best
from ldslearn.sequences import make_lds_sequences

from support.makers import contractions, random_systems
from support.oracles import nearest_by_kernel

SMALL = {"exact_below": 30, "n_landmarks": 25, "n_candidates": 60}
X = contractions(200, 6, 3)
QUERIES = contractions(7, 6, 3, seed=1)


@pytest.fixture
def saved(tmp_path):
    """The folder of an index with a graph and a tail that it does not cover."""
    index = LDSIndex(**SMALL)
    index.save(tmp_path / "index")
    index.add(X[:180], names=[f"clip {i}" for i in range(180)])
    index.add(X[180:])
    return tmp_path / "index"


def test_exact_search_is_brute_force():
    index = LDSIndex()
    assert index.add(X[:50]).tolist() == list(range(50))
    assert index.add(X[50:]).tolist() == list(range(50, 200))
    ids, similarities = index.search(QUERIES, 5)
    expected, values = nearest_by_kernel(pairwise_kernel(QUERIES, X) / 3, 5)
    np.testing.assert_array_equal(ids, expected)
    np.testing.assert_allclose(similarities, values, rtol=1e-9)


def test_a_graph_finds_nearly_all_and_ranks_exactly(saved):
    index = LDSIndex.open(saved)
    assert index._open_vectors().files.n_systems == 180  # the others are compared exactly
    ids, similarities = index.search(QUERIES, 10)
    expected, _ = index.search(QUERIES, 10, exact=True)
    assert np.mean([np.isin(a, b).mean() for a, b in zip(ids, expected, strict=True)]) > 0.9
    K = pairwise_kernel(QUERIES, X) / 3
    np.testing.assert_allclose(similarities, np.take_along_axis(K, ids, axis=1), rtol=1e-9)
    own, top = index.search(X[[3, 190]], 1)
    assert own.ravel().tolist() == [3, 190]
    np.testing.assert_allclose(top, 1)


@pytest.mark.parametrize("kernel", [name for name in KERNELS if name != "binet_cauchy"])
def test_every_kernel_by_name_gives_one_for_equal_systems(kernel):
    systems = LDS(**{**random_systems(12, 5, 3)._arrays, "A": contractions(12, 5, 3).A})
    index = LDSIndex(kernel)
    index.add(systems)
    ids, similarities = index.search(systems, 3)
    np.testing.assert_array_equal(ids[:, 0], np.arange(12))
    np.testing.assert_allclose(similarities[:, 0], 1, atol=1e-9 if kernel != "martin" else 0.05)


def test_a_function_of_ones_own_is_normalised_but_not_saved(tmp_path):
    def traces(first, second):
        return np.outer(*((np.square(s.A).sum(axis=(1, 2)) + 1) for s in (first, second)))

    index = LDSIndex(traces, **SMALL)
    index.add(X[:40])
    np.testing.assert_allclose(index.search(QUERIES, 2)[1], 1)
    with pytest.raises(TypeError, match="kernel of an index must be given by name to be saved"):
        index.save(tmp_path / "index")
    assert not (tmp_path / "index").exists()


def test_a_median_is_found_once_and_kept(tmp_path):
    systems = random_systems(30, 5, 3)
    index = LDSIndex({"projection": 1.0, "mean": 2.0})
    index.save(tmp_path / "index")
    index.add(systems[:20])
    before = index.search(systems[:3], 4)[1]
    index.add(systems[20:])
    again = LDSIndex.open(tmp_path / "index", kernel={"projection": 1.0, "mean": 2.0})
    np.testing.assert_allclose(
        np.sort(again.search(systems[:3], 30)[1])[:, ::-1][:, :1], before[:, :1]
    )
    assert isinstance(again._state.terms[1][2]["bandwidth"], float)


def test_save_and_open(saved, tmp_path):
    index = LDSIndex.open(saved)
    copy = LDSIndex.open(saved)
    copy.save(tmp_path / "copy")
    moved = LDSIndex.open(tmp_path / "copy")
    for one, other in ((index, copy), (index, moved)):
        for found, expected in zip(one.search(QUERIES, 8), other.search(QUERIES, 8), strict=True):
            np.testing.assert_array_equal(found, expected)
    assert len(moved) == 200
    assert repr(moved) == "LDSIndex(200 systems, n_channels=6, n_states=3, kernel=projection)"
    assert moved.get_names([5, 190]) == ["clip 5", None]
    assert moved.get_labels(5) == [None]
    np.testing.assert_array_equal(moved.get_systems([7, 3]).A, X[[7, 3]].A)


def test_systems_are_mapped_to_memory(saved):
    arrays = LDSIndex.open(saved)._shelves.batches[0]._arrays
    assert all(isinstance(array.base.base, np.memmap) for array in arrays.values())
    assert all(not array.flags.owndata and not array.flags.writeable for array in arrays.values())


def test_an_index_in_memory_with_a_graph(tmp_path):
    index = LDSIndex(**SMALL)
    index.add(X[:100])
    index.add(X[100:])
    before = index.search(QUERIES, 5)
    index.save(tmp_path / "index")
    for found, expected in zip(
        LDSIndex.open(tmp_path / "index").search(QUERIES, 5), before, strict=True
    ):
        np.testing.assert_array_equal(found, expected)


def test_removed_systems_are_not_found(saved):
    index = LDSIndex.open(saved)
    gone = np.unique(index.search(QUERIES, 20)[0])
    index.remove(gone)
    for each in (index, LDSIndex.open(saved), LDSIndex.open(saved, use_graph=False)):
        assert len(each) == 200 - len(gone)
        assert not np.isin(each.search(QUERIES, 20)[0], gone).any()
        assert not np.isin(each.ids, gone).any()
    message = f"ids must be of systems in the index; got {gone[0]} .removed.. The attribute ids"
    with pytest.raises(ValueError, match=message):
        index.remove(gone[0])
    with pytest.raises(ValueError, match="ids must be of systems in the index; got 200, -1"):
        index.remove([200, -1])
    with pytest.raises(ValueError, match=r"ids must be whole numbers; got \[0.5\]"):
        index.remove([0.5])
    assert index.add(X[:2]).tolist() == [200, 201]  # ids are not used again
    index.remove(index.ids[1:])
    assert index.search(QUERIES, 1)[0].ravel().tolist() == [index.ids[0]] * 7
    index.remove(index.ids)
    with pytest.raises(ValueError, match="the index must hold at least one system to be searched"):
        index.search(QUERIES, 1)


def test_a_graph_is_made_again(saved):
    index = LDSIndex.open(saved, use_graph=False)
    expected = index.search(QUERIES, 10)
    index.remove(np.arange(50))
    index.build_graph()
    assert sorted(path.name for path in saved.glob("graph-*")) == [
        "graph-000001.npy", "graph-000001.usearch",
    ]  # fmt: skip
    assert len(index._open_vectors().graph) == 150
    found = LDSIndex.open(saved).search(QUERIES, 10)[0]
    assert np.mean([np.isin(a, b).mean() for a, b in zip(found, expected[0], strict=True)]) > 0.6


def test_a_store_keeps_names_labels_and_how_it_was_encoded(tmp_path):
    sequences, labels = make_lds_sequences(2, 6, random_state=0)
    for number, (sequence, label) in enumerate(zip(sequences, labels, strict=True)):
        path = tmp_path / "data" / f"class{label}" / f"{number}.npy"
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, sequence)
    store = encode_folder(tmp_path / "data", tmp_path / "store", LDSEncoder(4))
    index = LDSIndex()
    index.save(tmp_path / "index")
    index.add(store)
    index = LDSIndex.open(tmp_path / "index")
    assert index.get_names(index.ids) == store.read_texts("names")
    assert index.get_labels([0]) == ["class0"]
    assert index.about["encoder"]["n_states"] == 4
    ids, _ = index.search(store, 1)
    np.testing.assert_array_equal(ids.ravel(), np.arange(12))
    other = encode_folder(tmp_path / "data", tmp_path / "other", LDSEncoder(4, scale=3.0))
    with pytest.raises(ValueError, match="X must be encoded as the systems in the index, encoder"):
        index.add(other)
    with pytest.raises(ValueError, match="X must be encoded as the systems in the index, encoder"):
        index.search(other, 1)


def test_windows(tmp_path):
    sequences, _ = make_lds_sequences(2, 10, n_timepoints=80, random_state=0)
    systems = LDSEncoder(3, windows=2).fit_transform(sequences)
    index = LDSIndex(**{**SMALL, "exact_below": 10})
    index.save(tmp_path / "index")
    index.add(systems)
    found = LDSIndex.open(tmp_path / "index").search(systems, 2)
    np.testing.assert_array_equal(found[0][:, 0], np.arange(20))
    np.testing.assert_allclose(found[1][:, 0], 1)


def test_equal_systems_come_in_the_order_of_their_ids():
    index = LDSIndex()
    index.add(LDS.concatenate([X[:1]] * 5))
    assert index.search(X[:1], 3)[0].tolist() == [[0, 1, 2]]


@given(seed=st.integers(0, 10_000), k=st.integers(1, 12))
def test_ties_do_not_depend_on_the_last_bits(seed, k):
    random = np.random.default_rng(seed)
    ids = random.permutation(40)
    values = np.repeat([0.9, 0.5, 0.5 - 1e-9, 0.1], 10)[ids]
    noisy = [values + random.uniform(-2e-14, 2e-14, 40) for _ in range(2)]
    found = [choose_best(ids, each, k) for each in noisy]
    assert found[0][0].tolist() == found[1][0].tolist() == list(range(k))
    assert (np.diff(found[0][1]) <= 0).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_candidates": 0}, "n_candidates must be an integer of at least 1; got 0"),
        ({"random_state": None}, "random_state must be an integer of at least 0; got None"),
        ({"kernel": "projektion"}, "kernel must be one of .*'projektion'. Did you mean"),
        ({"n_jobs": 0}, "n_jobs must be a non-zero integer or None; got 0"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        LDSIndex(**parameters)


def test_bad_queries(saved):
    index = LDSIndex.open(saved)
    with pytest.raises(
        ValueError, match="k must be at most the number of systems in the index, 200"
    ):
        index.search(QUERIES, 201)
    with pytest.raises(ValueError, match="k must be an integer of at least 1; got 0"):
        index.search(QUERIES, 0)
    message = "X must have n_channels=6, as the systems in the index; got 5"
    with pytest.raises(ValueError, match=message):
        index.search(contractions(2, 5, 3))
    with pytest.raises(ValueError, match="X must have n_states=3, as the systems in the index"):
        index.search(contractions(2, 6, 2))
    with pytest.raises(TypeError, match="X must be an LDS batch; got ndarray"):
        index.search(np.zeros((2, 6, 3)))
    with pytest.raises(ValueError, match="the index must hold at least one system to be searched"):
        LDSIndex().search(QUERIES)


def test_systems_of_another_kind_are_not_added(saved):
    index = LDSIndex.open(saved)
    with pytest.raises(ValueError, match="X must have the layout of the systems in the index"):
        index.add(contractions(3, 7, 3))
    with pytest.raises(ValueError, match="names must have one name per system, 2; got"):
        index.add(X[:2], names=["one"])
    assert len(LDSIndex.open(saved)) == 200


def test_an_index_of_another_kernel(saved):
    message = "index .* must have the kernel 'martin'; got 'projection'. Make an index with"
    with pytest.raises(ValueError, match=message):
        LDSIndex.open(saved, kernel="martin")
    assert len(LDSIndex.open(saved, kernel="projection")) == 200
    needs_means = LDSIndex({"projection": 1.0, "mean": 1.0})
    with pytest.raises(ValueError, match="systems must have mean for"):
        needs_means.add(LDS(X.A, X.C))


def test_values_that_are_not_numbers():
    broken = LDSIndex(lambda first, second: np.full((len(first), len(second)), np.nan))
    with pytest.raises(ValueError, match="kernel must return finite numbers; got NaN or infinity"):
        broken.add(X[:3])


def test_equal_similarities_do_not_depend_on_how_many_are_wanted():
    ids, values = np.array([5, 4, 3, 2]), 1 - 0.8e-12 * np.arange(4)
    found = [choose_best(ids, values, k)[0].tolist() for k in (1, 2, 3, 4)]
    assert found == [[4], [4, 5], [4, 5, 2], [4, 5, 2, 3]]


def test_systems_far_from_all_landmarks_are_found():
    """Landmarks are of the large cluster; they explain a small part of the others."""
    many, few = contractions(300, 12, 2, seed=2), contractions(20, 12, 2, seed=3)
    C = np.zeros_like(many.C)
    C[:, :4] = np.linalg.qr(many.C[:, :4])[0]
    other = np.linalg.qr(few.C)[0]
    index = LDSIndex(exact_below=100, n_landmarks=10, n_candidates=20)
    index.add(LDS(np.concatenate([many.A, few.A]), np.concatenate([C, other])))
    ids, similarities = index.search(LDS(few.A, other), 1)
    np.testing.assert_array_equal(ids[:, 0], 300 + np.arange(20))
    np.testing.assert_allclose(similarities, 1, atol=1e-9)


def kernel_of_radii(first, second):
    """Zero for a system that forgets at once."""
    return np.outer(np.abs(first.A).sum(axis=(1, 2)), np.abs(second.A).sum(axis=(1, 2)))


@pytest.mark.parametrize("exact_below", [4, 100])
def test_a_system_whose_kernel_with_itself_is_zero_is_not_added(exact_below):
    index = LDSIndex(kernel_of_radii, exact_below=exact_below)
    index.add(LDS(X.A[:3], X.C[:3]))
    A = X.A[3:9].copy()
    A[4] = 0
    message = "^the kernel of a system with itself must be positive and finite; got 0 for system 4."
    with pytest.raises(ValueError, match=message):
        index.add(LDS(A, X.C[3:9]))
    assert len(index) == 3
    with pytest.raises(ValueError, match="got 0 for system 1. Leave it out, or choose another"):
        index.search(LDS(A[3:5], X.C[:2]), 2)
    with pytest.raises(ValueError, match="got 0 for system 0"):
        LDSIndex(kernel_of_radii).add(LDS(A[4:], X.C[:2]))


@pytest.mark.parametrize("exact_below", [2, 100])
def test_systems_without_a_kernel_are_not_added(exact_below):
    A = np.full((6, 1, 1), 0.5)
    A[4] = 1.2
    index = LDSIndex(exact_below=exact_below)
    index.add(LDS(A[:3], np.ones((3, 1, 1))))
    with pytest.raises(ValueError, match="^system 1 must be stable to have a Gramian"):
        index.add(LDS(A[3:], np.ones((3, 1, 1))))
    assert index.search(LDS(A[:1], np.ones((1, 1, 1))), 3)[0].tolist() == [[0, 1, 2]]


DAMAGES = {
    "systems-000000.npz": r"systems-000000.npz must match its SHA-256; got another checksum. Rest",
    "search.json": r"search.json must (hold valid contents|be a complete ldslearn search index)",
    "graph-000000.usearch": "graph-000000.usearch must match its SHA-256; got another checksum",
    "graph-000000.npy": "graph-000000.npy must match its SHA-256; got another checksum",
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_files(saved, name):
    content = bytearray((saved / name).read_bytes())
    content[len(content) // 2] ^= 1
    (saved / name).write_bytes(content)
    with pytest.raises(ValueError, match=DAMAGES[name]):
        LDSIndex.open(saved).search(QUERIES)
    if name.startswith("graph"):  # the systems are all there
        index = LDSIndex.open(saved, use_graph=False)
        index.build_graph()
        assert LDSIndex.open(saved).search(X[:1], 1)[0].tolist() == [[0]]


@pytest.mark.parametrize("name", DAMAGES)
def test_files_cut_short_or_missing(saved, name):
    content = (saved / name).read_bytes()
    (saved / name).write_bytes(content[:-9])
    with pytest.raises(ValueError, match=f"{name} must"):
        LDSIndex.open(saved, verify=False).search(QUERIES)
    (saved / name).unlink()
    with pytest.raises((ValueError, FileNotFoundError), match=name):
        LDSIndex.open(saved).search(QUERIES)


def test_a_list_of_files_that_breaks_the_rules(saved):
    path = saved / "search.json"
    original = json.loads(path.read_text())
    changes = {
        "settings": {"n_landmarks": "many"},
        "terms": [["os.system", 1.0, {}]],
        "removed": [10**9],
        "graph": {"name": "../../graph"},
        "about": [],
        "has_numbers": 3,
    }
    for name, value in changes.items():
        changed = {key: v for key, v in original.items() if key != "sha256"}
        changed["about"] = {**original["about"], name: value}
        path.write_text(json.dumps(seal(changed)))
        with pytest.raises(ValueError, match="search.json must hold valid contents"):
            LDSIndex.open(saved)


def test_folders_that_are_no_index(tmp_path):
    with pytest.raises(FileNotFoundError, match="must be an index with a file search.json; got no"):
        LDSIndex.open(tmp_path)
    LDSStore.write(tmp_path / "store", X[:3])
    with pytest.raises(FileNotFoundError, match="got a store. Make one of it: ldslearn index"):
        LDSIndex.open(tmp_path / "store")
    with pytest.raises(ValueError, match="index .* must be new or empty; got files in it"):
        LDSIndex().save(tmp_path / "store")


def test_two_writers_at_once(saved):
    index = LDSIndex.open(saved)
    with _locks.lock_file(saved / ".lock", "index"):
        message = f"index .* must be written by one process at a time; process {os.getpid()} on"
        with pytest.raises(BlockingIOError, match=message):
            index.add(X[:1])
        with pytest.raises(BlockingIOError, match=message):
            index.remove([0])
        assert index.search(QUERIES, 3)[0].shape == (7, 3)  # readers need no lock
    assert len(index) == len(LDSIndex.open(saved)) == 200


def test_writers_one_after_the_other_lose_nothing(saved):
    first, second = LDSIndex.open(saved), LDSIndex.open(saved)
    assert first.add(X[:3]).tolist() == [200, 201, 202]
    assert second.add(X[:50]).tolist() == list(range(203, 253))  # and a new graph
    second.remove([5])
    assert first.add(X[:1]).tolist() == [253]
    assert len(first) == len(LDSIndex.open(saved)) == 253
    assert 5 not in first.search(X[5], 3)[0]


def test_a_reader_follows_a_graph_that_was_replaced(saved):
    reader, writer = LDSIndex.open(saved), LDSIndex.open(saved)
    writer.add(X[:50])
    assert not (saved / "graph-000000.usearch").exists()
    assert reader.search(X[:1], 2)[0].tolist() == [[0, 200]]
    assert len(reader) == 250


KILLED = """
import sys
from ldslearn import LDSIndex
from support.makers import contractions
index = LDSIndex.open(sys.argv[1])
systems = contractions(40, 6, 3, seed=5)
while True:
    print(index.add(systems).max(), flush=True)
"""


def test_a_killed_writer_loses_nothing_that_was_added(saved):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", KILLED, str(saved)]
    for n_calls in (1, 2, 4):
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=environment
        ) as writer:
            last = -1
            for _ in range(n_calls):
                last = int(writer.stdout.readline())
            time.sleep(0.002 * n_calls)
            writer.send_signal(signal.SIGKILL)
        index = LDSIndex.open(saved)
        assert len(index) > last
        assert (len(index) - 200) % 40 == 0  # all of a call, or nothing
        assert index.search(contractions(40, 6, 3, seed=5)[:1], 1)[1] == pytest.approx(1)
        assert index.add(X[:40]).tolist()[0] == len(index) - 40  # the lock is taken over


def test_without_the_engine_small_indexes_work(monkeypatch):
    monkeypatch.setitem(sys.modules, "usearch", None)
    index = LDSIndex(**SMALL)
    index.add(X[:29])
    assert index.search(QUERIES, 2)[0].shape == (7, 2)
    with pytest.raises(ValueError, match=r"usearch must be installed .* pip install 'ldslearn\[se"):
        index.add(X[29:])
    assert len(index) == 29


def test_results_do_not_depend_on_threads(saved):
    found = [LDSIndex.open(saved, n_jobs=n).search(QUERIES, 6) for n in (1, 2)]
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-12)
