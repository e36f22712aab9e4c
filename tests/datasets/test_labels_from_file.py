"""Labels from a CSV file of labels."""

import numpy as np
import pytest

from ldslearn.datasets import load_folder


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "data"
    for name in ("a_1.npy", "a_2.npy", "b_1.npy"):
        root.mkdir(exist_ok=True)
        np.save(root / name, np.random.default_rng(0).standard_normal((2, 9)))
    return root


def load_labelled(folder, text, name="labels.csv", **options):
    path = folder.parent / name
    path.write_text(text)
    return load_folder(folder, labels=path, **options)


@pytest.mark.parametrize(
    "text",
    [
        "item,label\na_1.npy,a\na_2.npy,a\nb_1.npy,b\n",
        "item,label\na_1,a\na_2,a\nb_1,b\n",
        "item;label\r\na_1;a\r\n./a_2;a\r\nb_1;b\r\n",
        "\ufefflabel,note,item\na,x,a_1\na,,a_2\nb,,b_1\n",
    ],
)
def test_items_are_named_by_file_or_stem(folder, text):
    data = load_labelled(folder, text)
    assert data.names == ("a_1.npy", "a_2.npy", "b_1.npy")
    assert data.y.tolist() == ["a", "a", "b"]
    assert data.groups is None


def test_groups_and_splits(folder):
    rows = "a_1,a,anna,train\na_2,a,ben,test\nb_1,b,anna,train\n"
    data = load_labelled(folder, "item,label,group,split\n" + rows)
    assert data.groups.tolist() == ["anna", "ben", "anna"]
    assert data.split.tolist() == ["train", "test", "train"]


def test_a_file_of_labels_among_the_items_is_no_item(folder):
    (folder / "labels.csv").write_text("item,label\na_1,a\na_2,a\nb_1,b\n")
    assert len(load_folder(folder)) == 3
    assert load_folder(folder, labels=folder / "labels.csv").classes == ["a", "b"]


def test_items_further_down_are_named_by_path(people):
    text = "item,label\nanna/run/1.npy,r\nanna\\walk\\1.npy,w\nben/run/1,r\nben/walk/1.npy,w\n"
    assert load_labelled(people, text).y.tolist() == ["r", "w", "r", "w"]
    with pytest.raises(ValueError, match=r"line 2 must name one item; got '1', which are anna/run"):
        load_labelled(people, "item,label\n1,r\n")


def test_labels_stand_before_class_folders(people):
    data = load_labelled(people / "anna", "item,label\nrun/1.npy,fast\nwalk/1.npy,slow\n")
    assert data.y.tolist() == ["fast", "slow"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,label\na_1,a\na_1.npy,b\n", "list each item once; got a_1.npy in lines 2 and 3"),
        ("item,label\na_1,a\na_2,\nb_1,b\n", "give a label in every line; got line 3 without one"),
        ("item\na_1\n", "columns 'item' and 'label' .*; got the columns 'item'"),
        ("item,Label\na_1,x\n", "column must be 'label'; got 'Label'"),
        ("item,label\n", "list at least one item; got none"),
        ("", r"got an empty file \(0 bytes\)"),
        ("item,label\na_1,a\n", "none for 2 of 3 items: a_2.npy, b_1.npy. Add a line for each"),
        ("item,label\nx,a\n", "none for 3 of 3 items: .* It names x, which are not there"),
    ],
)
def test_bad_labels(folder, text, message):
    with pytest.raises(ValueError, match=message):
        load_labelled(folder, text)


def test_items_without_a_label_can_be_skipped(folder):
    with pytest.warns(
        UserWarning, match="skipped 1 row of .*labels.csv without a matching item: ghost"
    ):
        data = load_labelled(folder, "item,label\na_1,a\nghost,a\nb_1,b\n", on_error="skip")
    assert data.y.tolist() == ["a", "b"]
    assert data.skipped[0][0] == "a_2.npy"
    assert "has no label in" in data.skipped[0][1]
