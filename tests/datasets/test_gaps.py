"""Missing values in files: gaps when asked for, and else errors that name file, row and column."""

import re

import numpy as np
import pytest
from scipy.io import savemat

from ldslearn.datasets import Collection, load_arff, load_folder, load_mat, load_npz, load_ts
from ldslearn.datasets.formats.csv_table import read_csv
from ldslearn.datasets.formats.npz import save_npz
from ldslearn.datasets.reading_settings import ReadingSettings

VALUES = np.random.default_rng(0).standard_normal((2, 30)).round(3)
GAPS = VALUES.copy()
GAPS[1, 3] = GAPS[0, 7] = np.nan


def write_table(path, values, times=None, mark="", header="ax,ay"):
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [[mark if np.isnan(v) else f"{v}" for v in column] for column in values.T]
    if times is not None:
        header = f"time,{header}"
        rows = [[f"{t:.4f}", *row] for t, row in zip(times, rows, strict=True)]
    path.write_text("\n".join([header, *map(",".join, rows)]) + "\n")
    return path


@pytest.mark.parametrize("mark", ["", "NaN", "nan", "NA", "n/a", "?", "null"])
def test_tables(tmp_path, mark):
    path = write_table(tmp_path / "a" / "1.csv", GAPS, mark=mark)
    got = repr(mark) if mark else "an empty field"
    message = f"file {path} must have no missing or infinite values; got {got} in line 5, column "
    with pytest.raises(
        ValueError, match=re.escape(message) + "'ay'. To read it as a gap give gaps"
    ):
        load_folder(tmp_path)
    np.testing.assert_array_equal(read_csv(path, gaps=True), GAPS)
    data = load_folder(tmp_path, gaps=True)
    assert data.gaps
    np.testing.assert_array_equal(data.X[0], GAPS)
    np.testing.assert_array_equal(data[[0]].X[0], GAPS)
    assert ReadingSettings.from_dict(data.preprocessing).gaps


def test_infinite_values_are_errors_always(tmp_path):
    path = write_table(tmp_path / "1.csv", GAPS, mark="inf")
    for gaps in (False, True):
        with pytest.raises(ValueError, match="'inf' in line 5, column 'ay'. Correct it, or drop"):
            read_csv(path, gaps=gaps)


def test_npy_arrays(tmp_path):
    (tmp_path / "a").mkdir()
    np.save(tmp_path / "a" / "1.npy", GAPS)
    with pytest.raises(ValueError, match="file a/1.npy must hold finite numbers; got NaN, the firs"
                                         "t in row 0, column 7. To read NaN as gaps"):  # fmt: skip
        load_folder(tmp_path)
    np.testing.assert_array_equal(load_folder(tmp_path, gaps=True).X[0], GAPS)
    GAPS_AND_MORE = np.where(np.isnan(GAPS), np.inf, GAPS)
    np.save(tmp_path / "a" / "1.npy", GAPS_AND_MORE)
    with pytest.raises(ValueError, match="got NaN or infinity, the first in row 0, column 7. Corr"):
        load_folder(tmp_path, gaps=True)


def test_npz_files(tmp_path):
    path = tmp_path / "two.npz"
    save_npz(path, Collection([VALUES, GAPS], ["a", "b"], gaps=True))
    with pytest.raises(ValueError, match="two.npz .*sequence 1 must be finite; got 2 NaN and 0 "):
        load_npz(path)
    np.testing.assert_array_equal(load_npz(path, gaps=True).X[1], GAPS)


def test_mat_files(tmp_path):
    cells = np.empty(2, dtype=object)
    cells[:] = [VALUES, GAPS]
    savemat(tmp_path / "two.mat", {"X": cells, "y": [1, 2]})
    with pytest.raises(ValueError, match="two.mat .*must be finite; got 2 NaN"):
        load_mat(tmp_path / "two.mat")
    np.testing.assert_array_equal(load_mat(tmp_path / "two.mat", gaps=True).X[1], GAPS)


def write_ts(path, rows, header="@classLabel true a b"):
    path.write_text("\n".join([header, "@data", *rows]))
    return path


def test_ts_and_arff_files(tmp_path):
    path = write_ts(tmp_path / "two.ts", ["1,2,3:4,5,6:a", "1,?,3:4,5,NaN:b"])
    with pytest.raises(ValueError, match=r"got '\?' in line 4, channel 1, time point 2. To read"):
        load_ts(path)
    data = load_ts(path, gaps=True)
    np.testing.assert_array_equal(data.X[1], [[1, np.nan, 3], [4, 5, np.nan]])
    lines = ["@relation r", "@attribute a numeric", "@attribute b numeric"]
    lines += ["@attribute c numeric", "@attribute y {u,v}", "@data", "1,?,3,u", "1,2,3,v"]
    (tmp_path / "two.arff").write_text("\n".join(lines))
    with pytest.raises(ValueError, match=r"got '\?' in line 7, channel 1, time point 2"):
        load_arff(tmp_path / "two.arff")
    np.testing.assert_array_equal(
        load_arff(tmp_path / "two.arff", gaps=True).X[0], [[1, np.nan, 3]]
    )


def test_time_stamps_of_ts_files_meet_on_one_grid(tmp_path):
    rows = ["(0,1),(1,2),(2,3),(4,5):a", "(0,1),(1,2),(2,3),(3,4):b"]
    path = write_ts(tmp_path / "two.ts", rows, "@timestamps true\n@classLabel true a b")
    with pytest.warns(UserWarning, match="uneven"):
        load_ts(path)
    data = load_ts(path, gaps=True)
    np.testing.assert_array_equal(data.X[0], [[1, 2, 3, np.nan, 5]])
    assert data.notes[0].endswith("0 samples merged, 1 time points missing")


def test_times_place_samples_on_a_grid(tmp_path):
    """Rows that lack are gaps, and the note counts them."""
    kept = np.delete(np.arange(30), [4, 5, 11])
    write_table(tmp_path / "a" / "1.csv", VALUES[:, kept], kept / 50)
    write_table(tmp_path / "a" / "2.csv", GAPS, np.arange(30) / 50)
    data = load_folder(tmp_path, gaps=True)
    expected = np.full((2, 30), np.nan)
    expected[:, kept] = VALUES[:, kept]
    np.testing.assert_array_equal(data.X[0], expected)
    np.testing.assert_array_equal(data.X[1], GAPS)
    assert "grid: steps of 0.02 s; 0 samples merged, 3 time points missing" in data.notes
    np.testing.assert_allclose(data.rates, 50)


def test_files_of_several_rates_meet_on_one_grid(tmp_path):
    write_table(tmp_path / "a" / "1.csv", VALUES, np.arange(30) / 50)
    write_table(tmp_path / "a" / "2.csv", VALUES, np.arange(30) / 50)
    write_table(tmp_path / "a" / "3.csv", VALUES, np.arange(30) / 25)
    data = load_folder(tmp_path, gaps=True)
    assert [x.shape[1] for x in data.X] == [30, 30, 59]
    np.testing.assert_array_equal(data.X[2][:, ::2], VALUES)
    assert np.isnan(data.X[2][:, 1::2]).all()
    assert data.preprocessing["rate"] == pytest.approx(50)
    half = load_folder(tmp_path, gaps=True, rate=25)
    assert [x.shape[1] for x in half.X] == [16, 16, 30]
    assert "15 samples merged" not in half.notes[-1]
    assert "samples merged" in half.notes[-1]


@pytest.mark.parametrize(
    ("times", "message"),
    [
        (np.r_[0:10, 5:25] / 50, "must have times that rise, to find gaps; got an earlier time in"),
        (np.zeros(30), "must have times that rise, to find gaps; got one time in all lines"),
        (4e9 + np.arange(30), "must have times that do not lie in the future; got 2096"),
        (np.r_[0:29, 90000] / 50, "must have at most 100 steps of 0.02 per sample; got 90001"),
    ],
)
def test_wrong_times(tmp_path, times, message):
    write_table(tmp_path / "a" / "1.csv", VALUES, times)
    with pytest.raises(ValueError, match=message):
        load_folder(tmp_path, gaps=True, time="time")


def test_repeated_times_are_merged(tmp_path):
    times = np.arange(30) / 50
    times[8] = times[7]
    write_table(tmp_path / "a" / "1.csv", VALUES, times)
    data = load_folder(tmp_path, gaps=True)
    np.testing.assert_allclose(data.X[0][:, 7], VALUES[:, 7:9].mean(axis=1))
    assert np.isnan(data.X[0][:, 8]).all()
    assert "1 samples merged, 1 time points missing" in data.notes[-1]


def test_settings_of_earlier_releases_have_no_gaps():
    settings = ReadingSettings()
    assert "gaps" not in settings.as_dict()
    assert not ReadingSettings.from_dict(settings.as_dict()).gaps
