import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ldslearn.datasets.formats import text_lines as lines
from ldslearn.datasets.formats.csv_table import read_csv, read_table

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "log.csv"


@given(
    table=hnp.arrays(float, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6), elements=FINITE),
    delimiter=st.sampled_from([",", ";", "\t", " ", ", "]),
    header=st.booleans(),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_round_trip(tmp_path_factory, table, delimiter, header, newline):
    path = tmp_path_factory.mktemp("csv") / "log.csv"
    rows = [delimiter.join(map(repr, row)) for row in table.tolist()]
    names = [delimiter.join(f"channel{i}" for i in range(table.shape[1]))] * header
    path.write_bytes(newline.join(names + rows).encode())
    np.testing.assert_array_equal(read_csv(path), table.T)


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n3,4\n5,6\n",
        "\ufeff1,2\n3,4\n5,6",
        "# logger 7\n\na,b\n1,2\n3,4\n\n5,6\n\n",
        '"a","b"\n"1","2"\n"3","4"\n"5","6"\n',
        "a;b\n1;2\n3;4\n5;6\n",
        "a b\n1  2\n 3 4\n5 6 \n",
        "a\tb\n1\t2\n3\t4\n5\t6\n",
        "1e0,+2\n3.,4.0\n.5e1,6\n",
    ],
)
def test_rows_are_time_points(path, text):
    path.write_text(text, encoding="utf-8")
    np.testing.assert_array_equal(read_csv(path), [[1, 3, 5], [2, 4, 6]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "be a table of numbers; got no row of numbers"),
        ("a,b\n", "be a table of numbers; got no row of numbers"),
        ("1,2\n3,4,5\n", "have 2 columns in every row; got 3 columns in line 2"),
        ("a,b\n1,2,3\n", "have 2 columns in every row; got 3 columns in line 2"),
        ("1,2\n3\n", "have 2 columns in every row; got 1 columns in line 2"),
        ("1,2\n\n3,x\n", "hold numbers; got 'x' in line 3"),
        ("1,2\n3,\n", "no missing or infinite values; got an empty field in line 2"),
        ("NA,NA\n1,2\n3,4\n", "no missing or infinite values; got 'NA' in line 1"),
        ("1 2\r3 4\r5 6\r", "end lines in a line feed; got carriage returns alone in line 1"),
        ("1,2\n3,NaN\n", "no missing or infinite values; got 'NaN' in line 2"),
        ("1,2\n3,inf\n", "no missing or infinite values; got 'inf' in line 2"),
        ("1,2\n3,1e999\n", "no missing or infinite values; got '1e999' in line 2"),
        ("1,2\n3,1_0\n", "hold numbers; got '1_0' in line 2"),
        ("1,2\n3," + "x" * 99, r"hold numbers; got 'x{37}\.\.\.' in line 2"),
        ("1.0,x\n1,2\n", "got 'x' among numbers or empty fields in line 1. Give every column"),
        ("1,5;2,5\n", "have decimal points; got the decimal comma '1,5' in line 1. Replace"),
        ("a;b\n1;2\n1,5;2,5\n", "have decimal points; got the decimal comma '1,5' in line 3"),
        ("1,5\t2,5\n", "have decimal points; got the decimal comma '1,5' in line 1"),
    ],
)
def test_the_line_is_named(path, text, message):
    path.write_text(text)
    with pytest.raises(ValueError, match=rf"file .*log\.csv must .*{message}"):
        read_csv(path)


def test_other_encodings_are_named(path):
    path.write_bytes(b"1,2\n\xff\xfe,3\n")
    with pytest.raises(ValueError, match=r"be a UTF-8 text; got other bytes in line 2"):
        read_csv(path)
    path.write_bytes(b"# 20 \xb0C\n1,2\n")
    assert read_csv(path).shape == (2, 1)


def test_endless_lines_are_refused(path):
    path.write_bytes(b"1,2\n" + b"1" * 100)
    with pytest.raises(ValueError, match="more than 50 bytes without a break in line 2"):
        list(lines.read_lines(path, comment="#", limit=50))


def test_numbers_that_count_the_columns_are_names(path):
    """As data frames write columns without names, with their index and without."""
    for text in ("0,1,2\n.5,.6,.7\n.8,.9,.1\n", ",0,1,2\n0,.5,.6,.7\n1,.8,.9,.1\n"):
        path.write_text(text)
        table = read_table(path)
        np.testing.assert_array_equal(table.values, [[0.5, 0.8], [0.6, 0.9], [0.7, 0.1]])
        assert table.names == ("0", "1", "2")
    path.write_text("0,1\n2,3\n")  # may be a time and a value
    np.testing.assert_array_equal(read_csv(path), [[0, 2], [1, 3]])
