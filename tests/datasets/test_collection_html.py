import numpy as np

from ldslearn.datasets import Collection

from support.markup import HOSTILE, read_card

RNG = np.random.default_rng(0)


def make_sequences(n, n_channels=2):
    return [RNG.normal(size=(n_channels, 5 + i % 7)) for i in range(n)]


def test_an_unlabelled_collection():
    data = Collection(make_sequences(1))
    card = read_card(data)
    assert card.title == "Collection: 1 sequence"
    assert card.rows == {
        "channels": "2", "time points": "5", "labels": "none", "names": "sequence 0"
    }  # fmt: skip
    assert card.svg is None
    assert repr(data) == "Collection(1 sequence, n_channels=2, n_timepoints=5, no labels)"


def test_one_class():
    card = read_card(Collection(make_sequences(3), ["a"] * 3))
    assert card.rows["labels"] == "1 class"
    assert [one.text for one in card.svg.findall("text")] == ["a", "3"]


def test_all_that_is_known():
    data = Collection(
        make_sequences(8, 4),
        y=["b", "a"] * 4,
        split=["train"] * 6 + ["test"] * 2,
        groups=list("xxyyzzuv"),
        frame_shape=(2, 2),
        channel_names=["ax", "ay", "az", "t"],
        rates=[50.0] * 8,
        names=[f"{i}.csv" for i in range(8)],
        skipped=(("bad.csv", "empty"),),
        notes=("time: column 't'",),
        trials=np.full((8, 3), "train"),
    )
    card = read_card(data)
    assert card.rows == {
        "channels": "4: ax, ay, az, t",
        "frames": "2 x 2",
        "time points": "5 to 11, median 8",
        "rate": "50 Hz",
        "labels": "2 classes",
        "split": "test 2, train 6",
        "trials": "3",
        "groups": "5: u, v, x, y and 1 more",
        "names": "0.csv, 1.csv, 2.csv and 5 more",
        "skipped": "1: bad.csv",
        "notes": "time: column &#x27;t&#x27;",
    }
    assert [one.text for one in card.svg.findall("text")] == ["a", "4", "b", "4"]
    assert repr(data) == (
        "Collection(8 sequences, n_channels=4, n_timepoints=5 to 11, 2 classes, "
        "with split, groups, frame_shape, rates, trials, 1 skipped)"
    )


def test_all_texts_are_escaped():
    data = Collection(
        make_sequences(2),
        y=[HOSTILE, "a"],
        split=[HOSTILE, "b"],
        groups=[HOSTILE, "c"],
        names=[HOSTILE, "d"],
        channel_names=[HOSTILE, "e"],
        skipped=((HOSTILE, HOSTILE),),
        notes=(HOSTILE,),
    )
    card = read_card(data)
    assert card.text.count("&lt;scr") >= 7
    assert HOSTILE in card.find_texts("title")


def test_ten_thousand_names_and_thousands_of_classes():
    n = 10_000
    long = "a very long name of a folder/" * 30
    data = Collection(
        make_sequences(n),
        y=[f"{long} {i % 4000}" for i in range(n)],
        split=[f"part {i % 3000}" for i in range(n)],
        groups=[f"{long} {i}" for i in range(n)],
        names=[f"{long} {i}.csv" for i in range(n)],
        skipped=tuple((f"{long} {i}", "bad") for i in range(n)),
        notes=(long,) * n,
    )
    card = read_card(data)
    assert card.title == "Collection: 10,000 sequences"
    assert card.rows["names"].endswith(" 2.csv and 9,997 more")
    assert card.rows["labels"] == "4,000 classes"
    assert card.find_texts("figcaption") == ["Sequences per class: the 12 largest, and 3,988 more."]
    assert len(repr(data)) < 200
