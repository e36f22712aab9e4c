import numpy as np
import pytest

from ldslearn.datasets import load_japanese_vowels
from ldslearn.datasets.formats.arff import load_arff
from ldslearn.datasets.formats.ts import load_ts

HEADER = "#A set\n@problemName some\n@timeStamps false\n@missing false\n"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "some.ts"


def channels(sequence, separator):
    return separator.join(",".join(map(repr, channel)) for channel in sequence.tolist())


def test_japanese_vowels(path):
    X, y, _, _ = load_japanese_vowels()
    rows = [f"{channels(x, ':')}:{label}" for x, label in zip(X, y, strict=True)]
    header = (
        HEADER + "@univariate false\n@dimensions 12\n@equalLength false\n"
        "@classLabel true 1 2 3 4 5 6 7 8 9\n@data\n"
    )
    path.write_text(header + "\n".join(rows))
    read = load_ts(path)
    np.testing.assert_array_equal(read.y, y)
    for x, expected in zip(read.X, X, strict=True):
        np.testing.assert_array_equal(x, expected)


def test_japanese_vowels_in_arff_are_padded(path):
    X, y, _, _ = load_japanese_vowels()
    padding = [",?" * (29 - x.shape[1]) for x in X]
    rows = [
        "'" + channels(x, pad + "\\n") + pad + f"',{label}"
        for x, pad, label in zip(X, padding, y, strict=True)
    ]
    attributes = "".join(f"\t@attribute t{i} numeric\n" for i in range(29))
    path.write_text(
        "@relation JapaneseVowels\n\n@attribute JapaneseVowels relational\n"
        + attributes
        + "@end JapaneseVowels\n@attribute class {1,2,3,4,5,6,7,8,9}\n\n@data\n"
        + "\n".join(rows)
    )
    read = load_arff(path)
    np.testing.assert_array_equal(read.y, y)
    for x, expected in zip(read.X, X, strict=True):
        np.testing.assert_array_equal(x, expected)


def test_univariate(path):
    path.write_text(
        HEADER + "@univariate true\n@equalLength true\n@seriesLength 3\n@classLabel true a b\n"
        "@data\n1,2,3:a\n# half\n4, 5.5,6e0:b\n"
    )
    read = load_ts(path)
    np.testing.assert_array_equal(np.stack(read.X), [[[1, 2, 3]], [[4, 5.5, 6]]])
    assert list(read.y) == ["a", "b"]


def test_targets_and_none(path):
    path.write_text(HEADER + "@targetLabel true\n@data\n1,2:3,4:0.5\n5:6:-1\n")
    read = load_ts(path)
    assert [x.tolist() for x in read.X] == [[[1, 2], [3, 4]], [[5], [6]]]
    assert list(read.y) == ["0.5", "-1"]
    path.write_text(HEADER + "@classLabel false\n@data\n1,2:3,4\n")
    assert load_ts(path).y is None
    assert load_ts(path).X[0].tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "be a .ts file; got no row of values"),
        ("@data\n", "be a .ts file; got no row of values"),
        ("1,2:a\n", "be a .ts file; got '1,2:a' before @data in line 1"),
        ("@timestamps TRUE\n@data\n(0,1),2\n", r"hold pairs \(time,value\); got '\(0,1\),2' in l"),
        ("@timestamps TRUE\n@data\n(0,1),(0,2)\n", "have time stamps that rise; got one that"),
        ("@timestamps TRUE\n@data\n(0,1):(1,2)\n", "same times in all channels .* Resample"),
        ("@timestamps TRUE\n@data\n(0,x)\n", "hold numbers; got 'x' in line 3"),
        (
            "@data\n1,?,3\n",
            "no missing .* got '\\?' in line 2, channel 1, time point 2. To read",
        ),
        (
            "@data\n1,NaN,3\n",
            "no missing .* got 'NaN' in line 2, channel 1, time point 2. To read",
        ),
        ("@data\n1,2\n\n1,b\n", "hold numbers; got 'b' in line 4"),
        ("@data\n1,2:1\n", "give all channels of a sequence one length; got 1 to 2 in line 2"),
        ("@data\n1:2\n1\n", "have 2 channels, as in its first row; got 1 channels in line 3"),
        ("@dimensions 2\n@data\n1,2\n", "have '2' channels, as its header says; got 1 in line 3"),
        ("@univariate true\n@data\n1:2\n", "have 1 channel, as @univariate says; got 2 in line 3"),
        (
            "@equalLength true\n@seriesLength 3\n@data\n1,2\n",
            "have '3' time points, as its header says; got 2 in line 4",
        ),
        ("@classLabel true a b\n@data\n1,2:c\n", "use the labels of @classLabel; got 'c' in line"),
        ("@classLabel true\n@data\n1,2\n", "end every row in a label; got no ':' before one"),
    ],
)
def test_the_line_is_named(path, text, message):
    path.write_text(text)
    with pytest.raises(ValueError, match=rf"file .*some\.ts must .*{message}"):
        load_ts(path)


UNIVARIATE = "% UCR\n@relation r\n@attribute 'a 1' real\n@ATTRIBUTE a2 numeric\n"


def test_univariate_arff(path):
    path.write_text(UNIVARIATE + "@attribute target {1,-1}\n@data\n1,2,1\n3,4,'-1'\n5,?,1\n")
    read = load_arff(path)
    assert [x.tolist() for x in read.X] == [[[1, 2]], [[3, 4]], [[5]]]
    assert list(read.y) == ["1", "-1", "1"]
    path.write_text(UNIVARIATE + "@data\n1,2\n")
    assert load_arff(path).y is None


RELATIONAL = (
    "@relation r\n@attribute bag relational\n@attribute a numeric\n@attribute b numeric\n"
    "@end bag\n@attribute class {x,'y z'}\n@data\n"
)


def test_relational_arff(path):
    path.write_text(RELATIONAL + "'1,2\\n3,4',x\n\"5,6\\n7,8\",'y z'\n")
    read = load_arff(path)
    np.testing.assert_array_equal(np.stack(read.X), [[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
    assert list(read.y) == ["x", "y z"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "got no row of values"),
        ("hello\n", "got 'hello' in its header in line 1"),
        (RELATIONAL, "got no row of values"),
        (RELATIONAL + "1,2,x\n", "got '1,2,x', not in quotes in line 8"),
        (RELATIONAL + "'1,2\n", "not in quotes in line 8"),
        (RELATIONAL + "'1,2'\n", "got '' for a label in line 8"),
        (RELATIONAL + "'1,2',?\n", "label every row; got a row without in line 8"),
        (RELATIONAL + "'1,2,3',x\n", "have 2 values in a row, as its header says; got 3 in line 8"),
        (RELATIONAL + "'?,2',x\n", "no missing or infinite values; got '\\?' in line 8"),
        (RELATIONAL + "'1,?\\n1,2',x\n", "no missing or infinite values; got '\\?' in line 8"),
        (RELATIONAL + "'?,?',x\n", "no missing or infinite values; got '\\?' in line 8"),
        (RELATIONAL + "'1,q',x\n", "hold numbers; got 'q' in line 8"),
        (RELATIONAL + "'1,2\\n1,2',x\n'1,2',x\n", "sequence 1 must have 2 channels"),
        (UNIVARIATE + "@data\n{0 1, 1 2}\n", "hold numbers; got '{0 1' in line 6"),
        (
            "@attribute class {1,2}\n@attribute a numeric\n@attribute b real\n@data\n1,2,3\n",
            "numbers in all attributes but the last, the label; got nominal, numeric, real in",
        ),
    ],
)
def test_the_line_of_an_arff_is_named(path, text, message):
    path.write_text(text)
    with pytest.raises(ValueError, match=rf"file .*some\.ts must .*{message}"):
        load_arff(path)


def test_time_stamps_give_the_rate(path):
    header = "@timestamps true\n@classLabel true a b\n@data\n"
    dates = [f"2024-05-01 10:00:{k / 10:04.1f}" for k in range(3)]
    rows = [
        "(0.00,1),(0.02,2),(0.04,3):(0.00,4),(0.02,5),(0.04,6):a",
        ",".join(f"({t}, {v})" for t, v in zip(dates, (1, 2, 3), strict=True))
        + ":" + ",".join(f"({t},{v})" for t, v in zip(dates, (4, 5, 6), strict=True)) + ":b",
        "(0,1),(1,2),(2,3):(0,4),(1,5),(2,6):a",
    ]  # fmt: skip
    path.write_text(header + "\n".join(rows))
    data = load_ts(path)
    for sequence in data.X:
        np.testing.assert_array_equal(sequence, [[1, 2, 3], [4, 5, 6]])
    assert data.y.tolist() == ["a", "b", "a"]
    np.testing.assert_allclose(data.rates, [50, 10, np.nan])
    path.write_text(header + "(0.0,1),(0.1,2),(0.9,3),(1.0,4):a")
    with pytest.warns(UserWarning, match="time stamps of 1 sequences of .* the first in line 4"):
        load_ts(path)
