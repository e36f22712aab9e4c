import numpy as np
import pytest

from ldslearn.datasets import Collection
from ldslearn.evaluate.protocols import PROTOCOLS, Protocol, automatic_protocol, parse


def collection(y, **known):
    return Collection([np.arange(8.0).reshape(2, 4)] * len(y), y, **known)


TEXT = ["a"] * 10 + ["b"] * 20


@pytest.mark.parametrize(
    "text", ["folds:5", "shuffle:10:0.1", "split", "split:3", "split:each", "groups"]
)
def test_texts_round_trip(text):
    assert str(parse(text)) == text
    assert parse(str(parse(text))) == parse(text)


@pytest.mark.parametrize(
    "text",
    ["", "folds", "folds:1", "folds:x", "shuffle:0:0.1", "shuffle:3:1.5", "split:a:b", "groups:2"],
)
def test_unknown_texts(text):
    with pytest.raises(ValueError, match="protocol must be one of folds:K"):
        parse(text)


def test_folds_are_stratified_and_repeatable():
    data = collection(TEXT)
    splits = parse("folds:5").splits(data, seed=3)
    assert [np.bincount(data.y[test] == "a").tolist() for _, test in splits] == [[4, 2]] * 5
    assert sorted(np.concatenate([test for _, test in splits])) == list(range(30))
    again = parse("folds:5").splits(data, seed=3)
    other = parse("folds:5").splits(data, seed=4)
    assert all((a[1] == b[1]).all() for a, b in zip(splits, again, strict=True))
    assert any((a[1] != b[1]).any() for a, b in zip(splits, other, strict=True))


def test_folds_keep_groups_together():
    groups = np.repeat(np.arange(10), 3)
    data = collection(np.tile(["a", "b", "b"], 10), groups=groups)
    for train, test in parse("folds:5").splits(data):
        assert not set(data.groups[train]) & set(data.groups[test])


def test_shuffles():
    splits = PROTOCOLS["tactile"].splits(collection(TEXT))
    assert len(splits) == 10
    assert {len(test) for _, test in splits} == {3}
    assert PROTOCOLS["dyntexpp"] == Protocol("shuffle", 10, 0.5)


def test_given_splits():
    data = collection(TEXT[:12], split=np.tile([1, 2, 3], 4))
    ((train, test),) = parse("split:3").splits(data)
    assert data.split[test].tolist() == ["3"] * 4
    assert sorted(set(data.split[train])) == ["1", "2"]
    assert len(PROTOCOLS["ucla"].splits(data)) == 3
    with pytest.raises(ValueError, match="part to test must be one of '1', '2', '3', 'each'"):
        parse("split").splits(data)
    with pytest.raises(ValueError, match="say what is trained on"):
        parse("split").splits(collection(TEXT))
    with pytest.raises(ValueError, match="two values"):
        parse("split:1").splits(collection(TEXT, split=[1] * 30))


def test_groups():
    data = collection(TEXT, groups=np.tile(["x", "y", "z"], 10))
    assert [set(data.groups[test]) for _, test in parse("groups").splits(data)] == [
        {"x"}, {"y"}, {"z"},
    ]  # fmt: skip
    with pytest.raises(ValueError, match="two groups"):
        parse("groups").splits(collection(TEXT))


def test_too_few_sequences():
    with pytest.raises(ValueError, match="class 'b' must have 5 sequences, one a fold; got 2"):
        parse("folds:5").splits(collection(["a"] * 9 + ["b"] * 2))
    with pytest.raises(ValueError, match="class 'b' must have two sequences"):
        parse("shuffle:3:0.5").splits(collection(["a"] * 9 + ["b"]))
    with pytest.raises(ValueError, match="must have labels"):
        parse("folds:5").splits(Collection([np.ones((2, 3))] * 4))


def test_automatic():
    assert automatic_protocol(collection(TEXT)) == Protocol("folds", 5)
    assert automatic_protocol(collection(["a"] * 9 + ["b"] * 3)) == Protocol("folds", 3)
    halves = collection(TEXT, split=["train", "test"] * 15)
    assert automatic_protocol(halves) == Protocol("split")
    assert automatic_protocol(collection(TEXT, split=[1, 2] * 15)) == Protocol("folds", 5)
