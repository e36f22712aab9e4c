import numpy as np
import pytest

from ldslearn.datasets import Collection, save_npz
from ldslearn.evaluate import PROTOCOLS
from ldslearn.paper.data_sets import Library
from ldslearn.paper.plans import read_collections

from support.layouts import write_cambridge, write_trafficdb

EMBEDDED = [n for n, e in read_collections().items() if "path" not in e]


@pytest.mark.parametrize("name", EMBEDDED)
def test_embedded_collections_are_there_with_splits_and_states(name):
    data_set = Library(None).load(name)
    again = Library(None).load(name)
    assert data_set.fingerprint == again.fingerprint
    for train, test in data_set.splits():
        assert len(np.intersect1d(train, test)) == 0
        assert set(data_set.data.y[train]) == set(data_set.data.classes)
    shortest = min(x.shape[1] for x in data_set.data.X)
    assert max(data_set.list_states()) + data_set.delays <= shortest
    assert max(data_set.list_states()) <= len(data_set.data.X[0]) * data_set.delays
    assert data_set.settings["n_states"] == data_set.n_states
    assert data_set.n_states in data_set.list_states(2)


def test_some_of_many_states_reach_from_the_smallest_to_the_largest():
    data_set = Library(None).load("textures")
    assert data_set.list_states() == [2, 5, 10, 15, 20]
    assert data_set.list_states(3) == [2, 10, 20]
    assert data_set.list_states(2) == [2, 10, 20]  # n_states is always among them


def test_halves_are_cut_short_and_ignore_groups():
    data_set = Library(None).load("motions")
    assert len(data_set.split_halves()) == 10
    few = data_set.split_halves(3)
    assert len(few) == 3
    train, test = few[0]
    assert len(train) == len(test) == 40


def test_without_a_folder_only_embedded_collections_are_at_hand():
    library = Library(None)
    assert not library.is_available("cambridge")
    assert not library.is_available("sdh2")
    assert library.find_available(("cambridge", "avletters", "textures")) == "textures"
    assert library.find_available(("hcs10",)) is None


def toy(groups=None):
    random = np.random.default_rng(0)
    X = [random.standard_normal((16, 20)) for _ in range(40)]
    return Collection(X, np.repeat(["a", "b"], 20), groups=groups)


def test_stand_ins_are_found_in_the_folder(tmp_path):
    save_npz(tmp_path / "hcs10.npz", toy())
    library = Library(tmp_path)
    assert library.find_available(("spr", "hcs10", "vowels")) == "hcs10"
    data_set = library.load("hcs10")
    assert (data_set.title, data_set.origin, len(data_set.data)) == ("HCs10", "stand-in", 40)
    assert library.load("hcs10") is data_set
    assert len(data_set.splits()) == 10


def test_short_sequences_of_few_channels_allow_few_states(tmp_path):
    random = np.random.default_rng(0)
    X = [random.standard_normal((3, 9)) for _ in range(40)]
    save_npz(tmp_path / "hcs10.npz", Collection(X, np.repeat(["a", "b"], 20)))
    data_set = Library(tmp_path).load("hcs10")
    assert data_set.n_states == 3
    assert data_set.list_states() == [2, 3]


def test_speakers_may_be_on_both_sides_of_a_half(tmp_path):
    save_npz(tmp_path / "hcs10.npz", toy(groups=np.tile(["p", "q"], 20)))
    train, _ = Library(tmp_path).load("hcs10").split_halves(1)[0]
    assert len(train) == 20


def test_sets_of_the_paper_are_read_by_their_loaders(tmp_path):
    write_trafficdb(tmp_path / "ucsd")
    data_set = Library(tmp_path).load("ucsd")
    assert (data_set.title, data_set.origin, len(data_set.data)) == ("UCSD", "paper", 254)
    for trial, (train, test) in enumerate(data_set.splits(), start=1):
        # Clip i, from 1, is in the test part of trial i % 4.
        assert [i for i in range(254) if (i + 1) % 4 == trial % 4] == test.tolist()
        assert len(train) + len(test) == 254


def test_clips_of_ucsd_that_no_trial_lists_are_not_used(tmp_path):
    write_trafficdb(tmp_path / "ucsd", unused=(3, 8))
    splits = Library(tmp_path).load("ucsd").splits()
    assert len(splits) == 4
    for train, test in splits:
        assert sorted([*train, *test]) == [i for i in range(254) if i not in (2, 7)]


def test_halves_are_the_protocol_of_the_paper(tmp_path):
    save_npz(tmp_path / "hcs10.npz", toy(groups=np.tile(["p", "q"], 20)))
    data_set = Library(tmp_path).load("hcs10")
    halves = PROTOCOLS["cambridge-halves"].splits(data_set.data)
    for mine, theirs in zip(data_set.split_halves(), halves, strict=True):
        assert all((a == b).all() for a, b in zip(mine, theirs, strict=True))


def test_a_set_that_is_not_whole_is_reported(tmp_path):
    write_cambridge(tmp_path / "cambridge", per_set=2)
    library = Library(tmp_path)
    assert library.find_available(("cambridge", "textures")) == "cambridge"
    with pytest.raises(
        FileNotFoundError, match=r"Set1/0000 has 2 of 20 sequences.*Get the Cambridge"
    ):
        library.load("cambridge")


def test_a_file_without_labels_is_reported(tmp_path):
    save_npz(tmp_path / "hcs10.npz", Collection(toy().X))
    with pytest.raises(ValueError, match=r"hcs10.npz must have labels"):
        Library(tmp_path).load("hcs10")


def test_a_folder_that_is_not_there_is_reported(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere is no folder"):
        Library(tmp_path / "nowhere")


def test_a_folder_without_data_is_answered_with_what_was_looked_for(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"cambridge \(Cambridge\), ucsd \(UCSD\), .*docs/datasets.md"
    ):
        Library(tmp_path)
