import numpy as np
import pytest

from ldslearn.datasets import Collection, save_npz
from ldslearn.evaluate import PROTOCOLS
from ldslearn.paper.plans import read_collections
from ldslearn.paper.sources import Library

from support.layouts import write_cambridge, write_trafficdb

EMBEDDED = [n for n, e in read_collections().items() if "path" not in e]


@pytest.mark.parametrize("name", EMBEDDED)
def test_embedded_collections_are_there_with_splits_and_states(name):
    source = Library(None).source(name)
    again = Library(None).source(name)
    assert source.fingerprint == again.fingerprint
    for train, test in source.splits():
        assert len(np.intersect1d(train, test)) == 0
        assert set(source.data.y[train]) == set(source.data.classes)
    shortest = min(x.shape[1] for x in source.data.X)
    assert max(source.states()) + source.delays <= shortest
    assert max(source.states()) <= len(source.data.X[0]) * source.delays
    assert source.settings["n_states"] == source.n_states
    assert source.n_states in source.states(2)


def test_some_of_many_states_reach_from_the_smallest_to_the_largest():
    source = Library(None).source("textures")
    assert source.states() == [2, 5, 10, 15, 20]
    assert source.states(3) == [2, 10, 20]
    assert source.states(2) == [2, 10, 20]  # n_states is always among them


def test_halves_are_cut_short_and_ignore_groups():
    source = Library(None).source("motions")
    assert len(source.halves()) == 10
    few = source.halves(3)
    assert len(few) == 3
    train, test = few[0]
    assert len(train) == len(test) == 40


def test_without_a_folder_only_embedded_collections_are_at_hand():
    library = Library(None)
    assert not library.has("cambridge")
    assert not library.has("sdh2")
    assert library.first(("cambridge", "avletters", "textures")) == "textures"
    assert library.first(("hcs10",)) is None


def toy(groups=None):
    random = np.random.default_rng(0)
    X = [random.standard_normal((16, 20)) for _ in range(40)]
    return Collection(X, np.repeat(["a", "b"], 20), groups=groups)


def test_stand_ins_are_found_in_the_folder(tmp_path):
    save_npz(tmp_path / "hcs10.npz", toy())
    library = Library(tmp_path)
    assert library.first(("spr", "hcs10", "vowels")) == "hcs10"
    source = library.source("hcs10")
    assert (source.title, source.origin, len(source.data)) == ("HCs10", "stand-in", 40)
    assert library.source("hcs10") is source
    assert len(source.splits()) == 10


def test_short_sequences_of_few_channels_allow_few_states(tmp_path):
    random = np.random.default_rng(0)
    X = [random.standard_normal((3, 9)) for _ in range(40)]
    save_npz(tmp_path / "hcs10.npz", Collection(X, np.repeat(["a", "b"], 20)))
    source = Library(tmp_path).source("hcs10")
    assert source.n_states == 3
    assert source.states() == [2, 3]


def test_speakers_may_be_on_both_sides_of_a_half(tmp_path):
    save_npz(tmp_path / "hcs10.npz", toy(groups=np.tile(["p", "q"], 20)))
    train, _ = Library(tmp_path).source("hcs10").halves(1)[0]
    assert len(train) == 20


def test_sets_of_the_paper_are_read_by_their_loaders(tmp_path):
    write_trafficdb(tmp_path / "ucsd")
    source = Library(tmp_path).source("ucsd")
    assert (source.title, source.origin, len(source.data)) == ("UCSD", "paper", 254)
    for trial, (train, test) in enumerate(source.splits(), start=1):
        # Clip i, from 1, is in the test part of trial i % 4.
        assert [i for i in range(254) if (i + 1) % 4 == trial % 4] == test.tolist()
        assert len(train) + len(test) == 254


def test_clips_of_ucsd_that_no_trial_lists_are_not_used(tmp_path):
    write_trafficdb(tmp_path / "ucsd", unused=(3, 8))
    splits = Library(tmp_path).source("ucsd").splits()
    assert len(splits) == 4
    for train, test in splits:
        assert sorted([*train, *test]) == [i for i in range(254) if i not in (2, 7)]


def test_halves_are_the_protocol_of_the_paper(tmp_path):
    save_npz(tmp_path / "hcs10.npz", toy(groups=np.tile(["p", "q"], 20)))
    source = Library(tmp_path).source("hcs10")
    halves = PROTOCOLS["cambridge-halves"].splits(source.data)
    for mine, theirs in zip(source.halves(), halves, strict=True):
        assert all((a == b).all() for a, b in zip(mine, theirs, strict=True))


def test_a_set_that_is_not_whole_is_told(tmp_path):
    write_cambridge(tmp_path / "cambridge", per_set=2)
    library = Library(tmp_path)
    assert library.first(("cambridge", "textures")) == "cambridge"
    with pytest.raises(
        FileNotFoundError, match=r"Set1/0000 has 2 of 20 sequences.*Get the Cambridge"
    ):
        library.source("cambridge")


def test_a_file_without_labels_is_told(tmp_path):
    save_npz(tmp_path / "hcs10.npz", Collection(toy().X))
    with pytest.raises(ValueError, match=r"hcs10.npz must have labels"):
        Library(tmp_path).source("hcs10")


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere is no folder"):
        Library(tmp_path / "nowhere")


def test_a_folder_without_data_is_answered_with_what_was_looked_for(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"cambridge \(Cambridge\), ucsd \(UCSD\), .*docs/datasets.md"
    ):
        Library(tmp_path)
