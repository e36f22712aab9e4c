"""Columns of time of one table: which they are, what they say, and what is wrong with them."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from ldslearn.datasets.formats.csv_table import read_table
from ldslearn.datasets.formats.time_faults import find_time_faults, sampling_rate
from ldslearn.datasets.recording import read_timed_table

START = datetime(2024, 5, 31, 23, 59, 59, tzinfo=UTC)
NOISE = np.random.default_rng(0).standard_normal((30, 2)).round(3)
MOMENTS = [START + timedelta(seconds=k / 50) for k in range(30)]


def write(path, stamps, header="time,ax,ay", delimiter=","):
    rows = [delimiter.join([str(s), *map(str, x)]) for s, x in zip(stamps, NOISE, strict=True)]
    path.write_text("\n".join([*([header] if header else []), *rows]) + "\n")
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / "log.csv"


SECONDS = [f"{k / 50:.3f}" for k in range(30)]
STAMPS = {
    "seconds": (SECONDS, 50),
    "iso": ([m.isoformat() for m in MOMENTS], 50),
    "zulu": ([f"{m:%Y-%m-%dT%H:%M:%S.%f}Z" for m in MOMENTS], 50),
    "space": ([f"{m:%Y-%m-%d %H:%M:%S.%f}000" for m in MOMENTS], 50),
    "slashes": ([f"{m:%Y/%m/%d %H:%M:%S.%f}" for m in MOMENTS], 50),
    "epoch": ([f"{m.timestamp():.3f}" for m in MOMENTS], 50),
    "milliseconds": ([f"{1000 * m.timestamp():.0f}" for m in MOMENTS], 50),
    "nanoseconds": ([f"{1000 * m.timestamp():.0f}000000" for m in MOMENTS], 50),
    "counter": (range(30), None),
    "days": ([f"{START + timedelta(days=k):%Y-%m-%d}" for k in range(30)], 1 / 86400),
}


@pytest.mark.parametrize("header", ["time,ax,ay", "when,ax,ay", None])
@pytest.mark.parametrize("kind", STAMPS)
def test_times_are_recognised_with_and_without_a_name(path, kind, header):
    stamps, rate = STAMPS[kind]
    table = read_table(write(path, stamps, header))
    np.testing.assert_array_equal(table.values, NOISE.T)
    assert table.names == (("ax", "ay") if header else None)
    assert table.clock.reference == (header.split(",")[0] if header else "1")
    found = sampling_rate(table.clock)
    assert found is None if rate is None else found == pytest.approx(rate, rel=1e-4)


@pytest.mark.parametrize(
    ("header", "stamps", "rate"),
    [
        ("Time [ms],ax,ay", [20 * k for k in range(30)], 50),
        ("t_us,ax,ay", [20000 * k for k in range(30)], 50),
        ("elapsed (min),ax,ay", range(30), 1 / 60),
        ("time,ax,ay", [20 * k for k in range(30)], None),  # of what unit?
        (",ax,ay", range(30), None),  # as data frames write their index
        ("frame,ax,ay", [10 * k for k in range(30)], None),
        ("time,ax,ay", [f"12:00:{k / 50:06.3f}" for k in range(30)], 50),
    ],
)
def test_units(path, header, stamps, rate):
    table = read_table(write(path, stamps, header))
    assert table.names == ("ax", "ay")
    found = sampling_rate(table.clock)
    assert found is None if rate is None else found == pytest.approx(rate)


def test_a_date_and_a_time_of_day_are_one_time(path):
    stamps = [f"{m:%Y-%m-%d},{m:%H:%M:%S.%f}" for m in MOMENTS]  # over midnight
    for header in ("Date,Time,ax,ay", None):
        table = read_table(write(path, stamps, header))
        assert table.clock.reference == ("Date,Time" if header else "1,2")
        assert sampling_rate(table.clock) == pytest.approx(50)
        again = read_table(path, table.clock.reference)
        np.testing.assert_array_equal(again.values, NOISE.T)
    spaces = [f"{m:%Y-%m-%d %H:%M:%S.%f}" for m in MOMENTS]
    table = read_table(write(path, spaces, None, " "))
    np.testing.assert_array_equal(table.values, NOISE.T)
    assert sampling_rate(table.clock) == pytest.approx(50)


def test_further_columns_of_time_are_no_channels(path):
    stamps = [f"{k},{m.timestamp():.3f},20240531" for k, m in enumerate(MOMENTS)]
    table = read_table(write(path, stamps, "index,timestamp,date,ax,ay"))
    assert table.names == ("ax", "ay")
    assert table.clock.reference == "timestamp"
    assert table.unused_times == ("column 'index'", "column 'date'")


@pytest.mark.parametrize(
    ("header", "column", "doubt"),
    [
        ("t,ax,ay", NOISE[::-1, 0], "'t' has a name of time, but does not rise"),
        ("t,ax,ay", 20 + np.arange(30) ** 1.2, "'t' has a name of time, but does not rise"),
        ("time,ax,ay", NOISE[::-1, 0], "'time' has a name of time, but does not rise"),
        (None, np.arange(30) ** 1.2, "column 1 rises throughout, but not evenly"),
        ("distance,ax,ay", np.arange(30) ** 1.2, "'distance' rises throughout, but not evenly"),
        (None, NOISE[::-1, 0], None),
        (None, np.round(np.arange(30) / 3), None),
    ],
)
def test_what_does_not_rise_like_a_clock_is_a_channel(path, header, column, doubt):
    table = read_table(write(path, column, header))
    np.testing.assert_allclose(table.values, np.column_stack([column, NOISE]).T)
    assert table.clock is None
    assert table.doubt is None if doubt is None else doubt in table.doubt


def test_few_rows_may_rise_by_chance(path):
    path.write_text("1,2\n3,4\n5,6\n")
    assert read_table(path).values.shape == (2, 3)


def test_columns_and_time_are_chosen_by_name_or_number(path):
    write(path, [f"{s},x{k}" for k, s in enumerate(SECONDS)], "time,note,AX,ay")
    for columns in (["AX", "ay"], ["ax", "AY"], ["3", "4"]):
        table = read_table(path, columns=columns)
        np.testing.assert_array_equal(table.values, NOISE.T)
        assert table.names == ("AX", "ay")
        assert table.clock.reference == "time"
    turned = read_table(path, "none", ["ay", "time"])
    np.testing.assert_array_equal(turned.values, [NOISE[:, 1], np.array(SECONDS, float)])
    assert turned.clock is None
    assert read_table(path, "1", ["ay"]).clock.reference == "time"


@pytest.mark.parametrize(
    ("time", "columns", "message"),
    [
        ("clock", None, r"have a column 'clock'; got the columns 'time', 'ax', 'ay'. Give one of"),
        (None, ["4"], r"have a column '4'; got the columns 'time', 'ax', 'ay'"),
        ("time", ["time"], "columns must be others than the time column; got time"),
        ("ax", None, None),
    ],
)
def test_columns_that_are_not_there(path, time, columns, message):
    write(path, SECONDS)
    if message is None:
        assert read_table(path, time, columns).names == ("time", "ay")
        return
    with pytest.raises(ValueError, match=message):
        read_table(path, time, columns)


def test_columns_of_text_are_named_with_a_remedy_that_works(path):
    write(path, [f"{s},walk" for s in SECONDS], "time,label,ax,ay")
    message = "hold numbers; got 'walk' in line 2, column 'label'. Put a number .* --columns"
    with pytest.raises(ValueError, match=message):
        read_table(path)
    assert read_table(path, columns=["ax", "ay"]).values.shape == (2, 30)


def test_two_columns_of_one_name_are_distinguished_by_number(path):
    write(path, SECONDS, "time,a,a")
    with pytest.raises(ValueError, match="have one column 'a'; got 2 of them. Give its number, one "
                       "of 2, 3"):  # fmt: skip
        read_table(path, columns=["a"])
    np.testing.assert_array_equal(read_table(path, columns=["3"]).values, [NOISE[:, 1]])


def test_times_that_cannot_be_read_name_the_line_and_the_remedy_works(path):
    write(path, [f"31.5.2024 {k}" for k in range(30)])
    message = (
        r"hold numbers or ISO dates .* in column 'time'; got '31.5.2024 0' in line 2\. .*--col"
    )
    with pytest.raises(ValueError, match=message):
        read_table(path)
    np.testing.assert_array_equal(read_table(path, columns=["ax", "ay"]).values, NOISE.T)


def test_a_table_of_time_alone_has_no_channel(path):
    path.write_text("time\n" + "\n".join(SECONDS))
    with pytest.raises(ValueError, match=r"a channel beside its time columns.*--time none"):
        read_table(path)
    assert read_table(path, "none").values.shape == (1, 30)
    path.write_text("\n".join(SECONDS))
    assert read_table(path).values.shape == (1, 30)


def find_faults(path, seconds, **options):
    table = read_table(write(path, [f"{s:.3f}" for s in seconds]), **options)
    return {t.kind: t for t in find_time_faults(table.clock, table.lines)}, sampling_rate(
        table.clock
    )


EVEN = np.arange(30) / 50


def test_time_faults_name_the_line(path):
    gap, back, same = EVEN.copy(), EVEN.copy(), EVEN.copy()
    gap[20:] += 1
    back[20:] -= 0.1
    same[20] = same[19]
    assert find_faults(path, EVEN) == ({}, pytest.approx(50))
    found, rate = find_faults(path, gap)
    assert "1.02 s between lines 21 and 22, where the usual step is 0.02 s" in found["gap"].text
    assert rate == pytest.approx(50)
    assert "backwards in line 22" in find_faults(path, back)[0]["backwards"].text
    assert set(find_faults(path, back)[0]) == {"backwards"}
    assert "same in line 22" in find_faults(path, same)[0]["repeats"].text
    uneven = np.cumsum(np.tile([0.01, 0.03], 15))
    found, rate = find_faults(path, uneven)
    assert found["uneven"].text == "has steps from 0.01 s to 0.03 s"
    assert rate == pytest.approx(50, rel=0.03)
    coarse, rate = find_faults(path, np.floor(np.arange(30) / 10))
    assert coarse["repeats"].count == 27
    assert rate == pytest.approx(14.5)


def test_other_rates(path):
    write(path, SECONDS)
    recording = read_timed_table(path, None, None, 25)
    assert recording.parts[0].shape == (2, 15)
    assert recording.rate == pytest.approx(50)
    for stamps, message in (
        (range(30), r"say when its samples were taken for rate=25; got no times in seconds"),
        ([*SECONDS[:10], *SECONDS[8:28]], "have times that rise for rate=25; .* in line 12. Sort"),
        (["0.1", "0.1", "0.2"] * 0 + [f"{k // 3}.5" for k in range(30)], "in 69% of its rows"),
    ):
        with pytest.raises(ValueError, match=message):
            read_timed_table(write(path, stamps), None, None, 25)
    with pytest.raises(ValueError, match="say when its samples were taken for rate=25"):
        read_timed_table(path, "none", None, 25)
    once = [*SECONDS[:10], SECONDS[9], *SECONDS[11:]]
    assert read_timed_table(write(path, once), None, None, 50).parts[0].shape == (2, 30)
