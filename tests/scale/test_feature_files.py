import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from ldslearn import RandomSystems, RandomSystemsClassifier
from ldslearn.datasets import load_folder
from ldslearn.scale import use_cluster, write_features

from support.clusters import small_blocks, two_workers, without_cluster


@pytest.fixture
def clips(tmp_path):
    """Nine sequences of two classes."""
    random = np.random.default_rng(0)
    for index in range(9):
        folder = tmp_path / "clips" / "ab"[index % 2]
        folder.mkdir(parents=True, exist_ok=True)
        np.save(folder / f"{index}.npy", random.standard_normal((6, 20 + index)).cumsum(axis=1))
    return tmp_path / "clips"


@pytest.fixture
def data(clips):
    return load_folder(clips)


@pytest.fixture
def model(data):
    return RandomSystems(30, random_state=0).fit(data.X)


@pytest.mark.parametrize("block_size", [1, 2, 100])
def test_a_folder_gives_the_features_of_memory(block_size, clips, data, model, tmp_path):
    found = write_features(clips, tmp_path / "f.npy", model, block_size=block_size)
    np.testing.assert_array_equal(found.features, model.transform(data.X))
    assert found.names == data.names
    np.testing.assert_array_equal(found.labels, data.y)
    assert found.skipped == ()
    np.testing.assert_array_equal(np.load(tmp_path / "f.npy"), found.features)


def test_a_cluster_gives_the_features_of_memory(clips, data, model, tmp_path):
    expected = model.transform(data.X)
    with two_workers() as client, use_cluster(client) as engine, small_blocks():
        there = write_features(clips, tmp_path / "f.npy", model, block_size=2)
        files = engine.n_blocks
        direct = model.transform(data.X)
        assert engine.n_blocks > files >= 5
        classifier = RandomSystemsClassifier(30, random_state=0).fit(data.X, data.y)
        with without_cluster():
            here = RandomSystemsClassifier(30, random_state=0).fit(data.X, data.y)
    np.testing.assert_array_equal(there.features, expected)
    np.testing.assert_array_equal(direct, expected)
    np.testing.assert_array_equal(classifier.coef_, here.coef_)


def test_videos_are_read_as_those_of_training(tmp_path):
    random = np.random.default_rng(0)
    for index in range(4):
        folder = tmp_path / "films" / "ab"[index % 2]
        folder.mkdir(parents=True, exist_ok=True)
        np.save(folder / f"{index}.npy", random.integers(0, 255, (12, 10, 8)).astype(np.uint8))
    data = load_folder(tmp_path / "films", size=(5, 4))
    model = RandomSystems(10, random_state=0).fit(data.X)
    found = write_features(
        tmp_path / "films", tmp_path / "f.npy", model, reading=data.preprocessing
    )
    np.testing.assert_array_equal(found.features, model.transform(data.X))


def test_files_that_cannot_be_read_are_skipped(clips, data, model, tmp_path):
    (clips / "a" / "0.npy").write_bytes(b"damaged")
    np.save(clips / "b" / "1.npy", np.zeros((5, 20)))
    with pytest.warns(UserWarning, match="2 items were skipped, the first because: file .*0.npy"):
        found = write_features(clips, tmp_path / "f.npy", model)
    assert [name for name, _ in found.skipped] == ["a/0.npy", "b/1.npy"]
    assert "must have 6 channels, as the model was fitted with; got 5" in found.skipped[1][1]
    kept = [name not in ("a/0.npy", "b/1.npy") for name in data.names]
    np.testing.assert_array_equal(found.features, model.transform(data.X)[kept])


def test_no_usable_file_is_an_error_and_leaves_no_file(clips, model, tmp_path):
    for path in clips.rglob("*.npy"):
        path.write_bytes(b"damaged")
    with pytest.raises(ValueError, match="at least one of 9 items must be usable; got none"):
        write_features(clips, tmp_path / "f.npy", model)
    assert not (tmp_path / "f.npy").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["clips"]


def test_wrong_arguments(clips, data, model, tmp_path):
    with pytest.raises(NotFittedError):
        write_features(clips, tmp_path / "f.npy", RandomSystems())
    classifier = RandomSystemsClassifier(5, random_state=0).fit(data.X, data.y)
    with pytest.raises(TypeError, match="model must be RandomSystems; got RandomSystemsClassifier"):
        write_features(clips, tmp_path / "f.npy", classifier)
    with pytest.raises(ValueError, match="block_size must be an integer of at least 1; got 0"):
        write_features(clips, tmp_path / "f.npy", model, block_size=0)
    with pytest.raises(ValueError, match=r"0.npy must be"):
        write_features(clips, clips / "a" / "0.npy", model)
