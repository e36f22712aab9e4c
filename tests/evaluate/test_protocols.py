import numpy as np
import pytest

from ldslearn.datasets import Collection
from ldslearn.evaluate import PROTOCOLS, Protocol, evaluate, parse_protocol
from ldslearn.evaluate.protocols import choose_inner_folds, choose_protocol
from ldslearn.evaluate.selection import Choice


def collection(y, **known):
    return Collection([np.arange(8.0).reshape(2, 4)] * len(y), y, **known)


TEXT = ["a"] * 10 + ["b"] * 20


@pytest.mark.parametrize(
    "text", ["folds:5", "shuffle:10:0.1", "split", "split:3", "split:each", "trials", "groups"]
)
def test_texts_round_trip(text):
    assert str(parse_protocol(text)) == text
    assert parse_protocol(str(parse_protocol(text))) == parse_protocol(text)


@pytest.mark.parametrize(
    "text",
    ["", "folds", "folds:1", "folds:x", "shuffle:0:0.1", "shuffle:3:1.5", "split:a:b", "groups:2"],
)
def test_unknown_texts(text):
    with pytest.raises(ValueError, match="protocol must (be one of folds:K|have at least 2 folds)"):
        parse_protocol(text)


def test_folds_are_stratified_and_repeatable():
    data = collection(TEXT)
    splits = parse_protocol("folds:5").splits(data, seed=3)
    assert [np.bincount(data.y[test] == "a").tolist() for _, test in splits] == [[4, 2]] * 5
    assert sorted(np.concatenate([test for _, test in splits])) == list(range(30))
    again = parse_protocol("folds:5").splits(data, seed=3)
    other = parse_protocol("folds:5").splits(data, seed=4)
    assert all((a[1] == b[1]).all() for a, b in zip(splits, again, strict=True))
    assert any((a[1] != b[1]).any() for a, b in zip(splits, other, strict=True))


@pytest.mark.parametrize("text", ["folds:5", "shuffle:7:0.2", "shuffle:3:0.5", "groups"])
def test_groups_stay_together(text):
    groups = np.repeat(np.arange(10), 3)
    data = collection(np.tile(["a", "b", "b"], 10), groups=groups)
    splits = parse_protocol(text).splits(data)
    assert len(splits) == {"folds:5": 5, "shuffle:7:0.2": 7, "shuffle:3:0.5": 3}.get(text, 10)
    for train, test in splits:
        assert not set(data.groups[train]) & set(data.groups[test])
        assert len(train) + len(test) == 30
    assert splits[0][1].tolist() != splits[1][1].tolist()


@pytest.mark.parametrize("share", [0.2, 0.5])
@pytest.mark.parametrize("sizes", [[3] * 10, range(2, 12)], ids=["equal", "distinct"])
def test_random_splits_of_groups_differ(share, sizes):
    groups = np.repeat(np.arange(10), sizes)
    data = collection(np.array(["a", "b"])[groups % 2], groups=groups)
    splits = Protocol("shuffle", 10, share).splits(data)
    assert len({tuple(test) for _, test in splits}) >= 5
    for train, test in splits:
        assert abs(len(test) / len(groups) - share) < 0.1
        assert set(data.y[train]) == set(data.y[test]) == {"a", "b"}
    again = Protocol("shuffle", 10, share).splits(data)
    assert all((a[1] == b[1]).all() for a, b in zip(splits, again, strict=True))


def test_folds_of_groups_depend_on_the_seed():
    data = collection(np.tile(["a", "b", "b"], 10), groups=np.repeat(np.arange(10), 3))
    cuts = {
        tuple(tuple(test) for _, test in parse_protocol("folds:5").splits(data, seed))
        for seed in range(10)
    }
    assert len(cuts) >= 5


@pytest.mark.parametrize("share", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9])
def test_shares_of_groups_are_those_asked_for(share):
    data = collection(np.tile(["a", "b", "b"], 20), groups=np.repeat(np.arange(20), 3))
    splits = Protocol("shuffle", 4, share).splits(data)
    assert len(splits) == 4
    for train, test in splits:
        assert len(test) / 60 == pytest.approx(share)
        assert sorted([*train, *test]) == list(range(60))
        assert not set(data.groups[train]) & set(data.groups[test])


@pytest.mark.parametrize("share", [0.01, 0.02, 0.03, 0.98])
def test_small_shares_of_many_groups(share):
    data = collection(np.tile(["a", "b"], 100), groups=np.repeat(np.arange(100), 2))
    (_, test), *_ = Protocol("shuffle", 3, share).splits(data)
    assert len(test) / 200 == pytest.approx(share)


@pytest.mark.parametrize("share", [0.3, 0.35, 0.45])
def test_shares_of_groups_with_small_classes(share):
    data = collection(np.repeat(list("abcdef"), 4), groups=np.arange(24) // 2)
    for train, test in Protocol("shuffle", 3, share).splits(data):
        assert len(test) / 24 == pytest.approx(share, abs=0.09)
        assert not set(data.groups[train]) & set(data.groups[test])


def test_too_few_groups():
    data = collection(["a", "b"] * 6, groups=np.repeat(["x", "y"], 6))
    with pytest.raises(ValueError, match="have at least 5 groups for folds:5; got 2. Use"):
        parse_protocol("folds:5").splits(data)
    with pytest.raises(ValueError, match=r"have at least 10 groups for shuffle:1:0.9; got 2"):
        parse_protocol("shuffle:1:0.9").splits(data)
    with pytest.raises(ValueError, match="kind must be one of 'folds', 'shuffle'.*; got 'fold'"):
        Protocol("fold", 5)
    assert choose_protocol(data) == Protocol("folds", 2)
    one_group = collection(["a", "b"] * 6, groups=["x"] * 12)
    assert len(parse_protocol("folds:5").splits(one_group)) == 5
    chunks = collection(["a"] * 8 + ["b"] * 8, groups=np.repeat(list("wxyz"), 4))
    for train, test in choose_protocol(chunks).splits(chunks):
        assert not set(chunks.groups[train]) & set(chunks.groups[test])


def test_folds_within_are_like_the_test():
    data = collection(["a", "b"] * 6, split=np.repeat([1, 2, 3], 4))
    known = data[data.split != "3"]
    assert choose_inner_folds(known, parse_protocol("split:3")) == Protocol("split", test="each")
    assert choose_inner_folds(known, parse_protocol("folds:3")) == Protocol("folds", 4)
    train = collection(["a", "b"] * 6, split=["train"] * 12)
    assert choose_inner_folds(train, parse_protocol("split")) == Protocol("folds", 5)


def test_one_class():
    with pytest.raises(ValueError, match="two classes"):
        parse_protocol("folds:2").splits(collection(["a"] * 5))
    with pytest.raises(ValueError, match="leave as many to train on; got 1 to test of 30"):
        parse_protocol("shuffle:3:0.01").splits(collection(TEXT))


def test_shuffles():
    splits = PROTOCOLS["tactile"].splits(collection(TEXT))
    assert len(splits) == 10
    assert {len(test) for _, test in splits} == {3}
    assert PROTOCOLS["dyntexpp"] == Protocol("shuffle", 10, 0.5, ignore_groups=True)


@pytest.mark.parametrize(
    ("name", "share"), [("cambridge-halves", 0.5), ("dyntexpp", 0.5), ("tactile", 0.1)]
)
def test_random_splits_of_the_paper_ignore_groups_and_say_so(name, share):
    # Nine classes of twenty in each of five illuminations, like Cambridge.
    y, groups = np.repeat(np.arange(9), 100), np.tile(np.repeat(np.arange(5), 20), 9)
    data = collection(y, groups=groups)
    splits = parse_protocol(name).splits(data)
    assert len(splits) == 10
    for train, test in splits:
        assert np.bincount(data.y[test].astype(int)).tolist() == [round(100 * share)] * 9
        assert len(train) + len(test) == 900
        assert set(data.groups[train]) == set(data.groups[test]) == set("01234")
    assert str(parse_protocol(name)) == f"shuffle:10:{share:g}, groups ignored"
    plain = parse_protocol(f"shuffle:10:{share:g}")
    assert "ignored" not in str(plain)
    if share == 0.5:  # the plain grammar keeps groups on one side
        for train, test in plain.splits(data):
            assert not set(data.groups[train]) & set(data.groups[test])


def test_what_is_unused_is_in_neither_part():
    data = collection(
        ["a", "b"] * 6, split=["train", "train", "test", "test", "unused", "unused"] * 2
    )
    ((train, test),) = parse_protocol("split").splits(data)
    assert train.tolist() == [0, 1, 6, 7]
    assert test.tolist() == [2, 3, 8, 9]
    assert len(parse_protocol("split:each").splits(data)) == 2


@pytest.mark.parametrize("text", ["folds:3", "shuffle:4:0.5", "groups"])
@pytest.mark.parametrize("grouped", [True, False])
def test_unused_sequences_are_in_no_fold_shuffle_or_group(text, grouped):
    split = np.array(["unused", "1", "2"] * 8)
    groups = np.repeat(list("wxyz"), 6) if grouped or text == "groups" else None
    data = collection(["a", "b"] * 12, split=split, groups=groups)
    splits = parse_protocol(text).splits(data, seed=1)
    for train, test in splits:
        assert set(split[train]) == set(split[test]) == {"1", "2"}
        assert len(train) + len(test) == 16
    alone = parse_protocol(text).splits(data[split != "unused"], seed=1)  # indices of the part
    used = np.flatnonzero(split != "unused")
    for (train, test), (own_train, own_test) in zip(splits, alone, strict=True):
        assert train.tolist() == used[own_train].tolist()
        assert test.tolist() == used[own_test].tolist()


def test_automatic_folds_count_used_sequences():
    data = collection(["a", "b"] * 6, split=["1", "1", "1", "1", "unused", "unused"] * 2)
    assert choose_protocol(data) == Protocol("folds", 4)
    parse_protocol("folds:4").splits(data)
    with pytest.raises(ValueError, match="5 items for 5 folds; got 4 of class 'a'"):
        parse_protocol("folds:5").splits(data)
    nothing = collection(["a", "b"], split=["unused"] * 2)
    for text in ("folds:2", "split", "split:each"):
        with pytest.raises(ValueError, match="split must name a part .*; got 'unused' for every"):
            parse_protocol(text).splits(nothing)


def test_a_trial_trains_on_what_another_trial_does_not_use(monkeypatch):
    seen = []
    monkeypatch.setattr(
        "ldslearn.evaluate.fitting.choose_parameters",
        lambda method, data, *_, folds, **__: (
            seen.append(folds.splits(data)) or Choice(1, 1, None, [])
        ),
    )
    trials = np.array([["unused", "train"], ["train", "test"], ["test", "train"]] * 4)
    random = np.random.default_rng(0)
    data = Collection(
        list(random.standard_normal((12, 2, 9))), ["a", "b"] * 6, split=trials[:, 0], trials=trials
    )
    evaluate(data, "lds-martin", parse_protocol("trials"))
    assert sorted(np.concatenate([test for _, test in seen[1]])) == list(range(8))


def test_published_trials():
    trials = np.array(
        [["train", "test"], ["test", "train"], ["unused", "train"], ["train", "unused"]]
    )
    data = collection(["a", "b", "a", "b"], trials=trials)
    assert choose_protocol(data) == PROTOCOLS["ucsd"] == Protocol("trials")
    first, second = (
        [part.tolist() for part in split] for split in parse_protocol("ucsd").splits(data)
    )
    assert first == [[0, 3], [1]]
    assert second == [[1, 2], [0]]
    assert data[[1, 2]].trials.tolist() == trials[1:3].tolist()
    with pytest.raises(ValueError, match="have published trials, as UCSD has; got none. Use split"):
        parse_protocol("trials").splits(collection(TEXT))
    with pytest.raises(ValueError, match="trials must hold train, test and unused; got 'x'"):
        collection(["a", "b"], trials=[["train"], ["x"]])
    with pytest.raises(ValueError, match=r"one row for each of 2 sequences .* got shape \(2,\)"):
        collection(["a", "b"], trials=["train", "test"])


def test_given_splits():
    data = collection(TEXT[:12], split=np.tile([1, 2, 3], 4))
    ((train, test),) = parse_protocol("split:3").splits(data)
    assert data.split[test].tolist() == ["3"] * 4
    assert sorted(set(data.split[train])) == ["1", "2"]
    assert len(PROTOCOLS["ucla"].splits(data)) == 3
    with pytest.raises(ValueError, match=r"part to test must be one of 1, 2, 3, or each.*split:3"):
        parse_protocol("split").splits(data)
    with pytest.raises(ValueError, match="have a train/test split; got none"):
        parse_protocol("split").splits(collection(TEXT))
    with pytest.raises(ValueError, match="two values"):
        parse_protocol("split:1").splits(collection(TEXT, split=[1] * 30))


def test_groups():
    data = collection(TEXT, groups=np.tile(["x", "y", "z"], 10))
    assert [set(data.groups[test]) for _, test in parse_protocol("groups").splits(data)] == [
        {"x"}, {"y"}, {"z"},
    ]  # fmt: skip
    with pytest.raises(ValueError, match="two groups"):
        parse_protocol("groups").splits(collection(TEXT))


def test_too_few_sequences():
    with pytest.raises(ValueError, match="5 items for 5 folds; got 2 of class 'b'. Use at most 2"):
        parse_protocol("folds:5").splits(collection(["a"] * 9 + ["b"] * 2))
    with pytest.raises(ValueError, match="at least 2 items, .*; got 1 of class 'b'. Add"):
        parse_protocol("shuffle:3:0.5").splits(collection(["a"] * 9 + ["b"]))
    with pytest.raises(ValueError, match="must have labels"):
        parse_protocol("folds:5").splits(Collection([np.ones((2, 3))] * 4))


def test_automatic():
    assert choose_protocol(collection(TEXT)) == Protocol("folds", 5)
    assert choose_protocol(collection(["a"] * 9 + ["b"] * 3)) == Protocol("folds", 3)
    halves = collection(TEXT, split=["train", "test"] * 15)
    assert choose_protocol(halves) == Protocol("split")
    assert choose_protocol(collection(TEXT, split=[1, 2] * 15)) == Protocol("folds", 5)
