"""Times, names of channels and rates of whole collections."""

import struct
import warnings

import numpy as np
import pytest

from ldslearn import LDSEncoder
from ldslearn.datasets import Collection, load_folder, load_npz, save_npz
from ldslearn.datasets.channels_and_rate import (
    choose_channels,
    choose_channels_and_rate,
    order_channels,
)
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.evaluate import train
from ldslearn.persist import Model
from ldslearn.scale import encode_folder
from ldslearn.video import write_video

RANDOM = np.random.default_rng(0)


def write(path, rate=50, names=("ax", "ay", "az"), header=True, n=60, seconds=None):
    """A table whose channels hold 1, 2, 3, ... by name, and a little noise."""
    path.parent.mkdir(parents=True, exist_ok=True)
    level = {name: i for i, name in enumerate(("ax", "ay", "az", "gz"))}
    seconds = np.arange(n) / rate if seconds is None else seconds
    noise = 0.1 * RANDOM.standard_normal((len(seconds), len(names)))
    values = noise + [level[name] for name in names]
    rows = [",".join(f"{v:.4f}" for v in (t, *x)) for t, x in zip(seconds, values, strict=True)]
    path.write_text("\n".join(([",".join(["time", *names])] if header else []) + rows))


@pytest.fixture
def folder(tmp_path):
    for label in "ab":
        for number in range(4):
            write(tmp_path / "logs" / label / f"{number}.csv")
    return tmp_path / "logs"


def levels(data):
    return [np.round(x.mean(axis=1)).tolist() for x in data.X]


def test_times_become_rates_and_columns_names(folder, tmp_path):
    data = load_folder(folder)
    assert data.channel_names == ("ax", "ay", "az")
    np.testing.assert_allclose(data.rates, np.full(8, 50))
    assert data.notes == ("time: column 'time' of 8 files, 50 Hz; channels ax, ay, az",)
    assert ReadingSettings.from_dict(data.preprocessing).time == "time"
    save_npz(tmp_path / "data.npz", data)
    again = load_npz(tmp_path / "data.npz")
    assert again.channel_names == data.channel_names
    np.testing.assert_array_equal(again.rates, data.rates)
    assert again.preprocessing == data.preprocessing
    np.testing.assert_array_equal(data[2:4].rates, data.rates[2:4])


def test_all_time_columns_are_omitted(folder):
    for label in "ab":
        for number in range(4):
            path = folder / label / f"{number}.csv"
            lines = path.read_text().splitlines()
            rows = [f"{k},{line}" for k, line in enumerate(lines[1:])]
            path.write_text("\n".join([f"index,{lines[0]}", *rows]))
    data = load_folder(folder)
    assert levels(data) == [[0, 1, 2]] * 8
    assert data.notes == (
        "time: column 'time' of 8 files, 50 Hz (column 'index' omitted); channels ax, ay, az",
    )


def test_a_column_in_half_of_the_tables_or_more_is_time(folder):
    for label in "ab":
        for number in range(4):
            write(folder / label / f"{number}.csv", header=False)
    uneven = np.sort(RANDOM.uniform(0, 59 / 50, 60))
    uneven[[0, -1]] = 0, 59 / 50
    write(folder / "a" / "0.csv", header=False, seconds=uneven)
    with pytest.warns(UserWarning, match=r"time of a/0.csv has steps .*--rate 50"):
        data = load_folder(folder)
    assert data.notes == ("time: column 1 of 8 files, 50 Hz; 3 channels",)
    assert levels(data) == [[0, 1, 2]] * 8
    for label in "ab":
        for number in range(4):
            write(folder / label / f"{number}.csv", header=False, seconds=uneven)
    message = "column 1 rises throughout, but not evenly in a/0.csv: it is read as a channel. If it"
    with pytest.warns(UserWarning, match=message):
        assert len(load_folder(folder).X[0]) == 4
    assert len(load_folder(folder, time="none").X[0]) == 4
    with pytest.warns(UserWarning, match="steps from"):
        assert len(load_folder(folder, time="1").X[0]) == 3


def test_a_column_that_seems_time_in_some_tables_only_is_a_channel(folder):
    for label in "ab":
        for number in range(4):
            noise = RANDOM.standard_normal(60)
            write(folder / label / f"{number}.csv", header=False, seconds=noise)
    write(folder / "a" / "0.csv", header=False)
    message = "column 1 of a/0.csv looks like time, and that of a/2.csv does not: it is read as a"
    with pytest.warns(UserWarning, match=message):
        assert len(load_folder(folder).X[0]) == 4


def test_channels_are_put_in_the_order_of_the_first_file(folder):
    write(folder / "b" / "1.csv", names=("az", "ax", "ay"))
    data = load_folder(folder)
    assert levels(data) == [[0, 1, 2]] * 8
    turned = load_folder(folder, columns=["az", "ax"])
    assert turned.channel_names == ("az", "ax")
    assert levels(turned) == [[2, 0]] * 8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"names": ("ax", "ay", "gz")},
            r"b/1.csv must have the channels ax, ay, az like a/0.csv; got ax, ay, gz \(missing: "
            r"az; new: gz\)\. Rename its columns, or choose .*--columns",
        ),
        ({"names": ("ax", "ay")}, r"got ax, ay \(missing: az\)"),
        ({"names": ("ax", "ay", "az", "gz")}, r"got ax, ay, az, gz \(new: gz\)"),
        ({"header": False}, r"the channels time, ax, ay, az like a/0.csv; got no line of names"),
    ],
)
def test_files_with_other_names_are_refused(folder, options, message):
    write(folder / "b" / "1.csv", **options)
    with pytest.raises(ValueError, match=message):
        load_folder(folder)
    with pytest.warns(UserWarning, match="1 item was skipped"):
        assert len(load_folder(folder, on_error="skip")) == 7


def test_a_file_needs_no_time_without_a_rate(folder):
    text = (folder / "b" / "1.csv").read_text()
    rows = [line.partition(",")[2] for line in text.splitlines()]
    (folder / "b" / "1.csv").write_text("\n".join(rows))
    data = load_folder(folder)
    assert levels(data) == [[0, 1, 2]] * 8
    assert np.isnan(data.rates).tolist() == [False] * 5 + [True] + [False] * 2
    with pytest.raises(ValueError, match=r"1.csv must have a column 'time'"):
        load_folder(folder, rate=25)


def test_mixed_rates_cause_one_warning_and_can_be_resampled(folder, tmp_path):
    for number in range(4):
        write(folder / "b" / f"{number}.csv", rate=25, n=30)
    message = (
        r"must have one rate to be compared; got 25 Hz \(b/0.csv and 3 more\), 50 Hz \(a/0.csv and "
        r"3 more\)\. To resample them, pass rate=25 \(Python\) or --rate 25 \(command line\)"
    )
    with pytest.warns(UserWarning, match=message) as caught:
        data = load_folder(folder)
    assert len(caught) == 1
    even = load_folder(folder, rate=25)
    np.testing.assert_array_equal(even.rates, np.full(8, 25))
    assert {x.shape for x in even.X} == {(3, 30)}
    later = choose_channels_and_rate(data, rate=25)
    np.testing.assert_allclose(later.X[0], even.X[0], atol=1e-3)
    with pytest.warns(UserWarning, match=message):
        encode_folder(folder, tmp_path / "store", LDSEncoder(2))
    store = encode_folder(folder, tmp_path / "even", LDSEncoder(2), rate=25)
    assert store.read_texts("rates") == ["25.0"] * 8
    halved = load_folder(folder, rate=25, stride=5)
    np.testing.assert_array_equal(halved.rates, np.full(8, 5))


def test_a_rate_needs_times(tmp_path):
    (tmp_path / "a").mkdir()
    np.save(tmp_path / "a" / "0.npy", np.ones((2, 9)))
    with pytest.raises(ValueError, match="0.npy must say when its samples were taken for rate=5"):
        load_folder(tmp_path, rate=5)
    with pytest.raises(ValueError, match="sequence 0 must have a known rate for rate=5; got none"):
        choose_channels_and_rate(Collection([np.ones((2, 9))]), rate=5)
    with pytest.raises(ValueError, match="rate must be positive"):
        load_folder(tmp_path, rate=0)


def test_time_faults_of_several_files_are_one_warning(folder):
    seconds = np.arange(60) / 50
    seconds[30:] += 1
    for number in range(3):
        write(folder / "b" / f"{number}.csv", seconds=seconds)
    message = (
        r"time of b/0.csv leaps by 1.02 s between lines 31 and 32, where the usual step is 0.02 s, "
        r"and 2 files like it\. .*rate=50, --rate 50"
    )
    with pytest.warns(UserWarning, match=message) as caught:
        load_folder(folder)
    assert len(caught) == 1
    with pytest.warns(UserWarning, match="Gaps are filled by linear interpolation"):
        assert load_folder(folder, rate=50).X[4].shape == (3, 110)


def test_a_video_without_a_frame_rate_is_not_resampled(tmp_path):
    (tmp_path / "a").mkdir()
    path = tmp_path / "a" / "0.avi"
    write_video(path, np.arange(20)[:, None, None] * np.ones((20, 8, 8)))
    content = bytearray(path.read_bytes())
    clock = content.index(b"strh") + 8 + 20  # scale and rate in the header of the stream
    content[clock : clock + 8] = struct.pack("<II", 1, 10**6)
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"state its frame rate for rate=10; got none\. Leave out"):
        load_folder(tmp_path, rate=10)
    data = load_folder(tmp_path)
    assert data.rates is None
    assert data.X[0].shape == (64, 20)
    path.write_bytes(content[:300])  # a damaged file is called damaged
    with pytest.raises(ValueError, match="be a whole video"):
        load_folder(tmp_path, rate=10)


def test_arrays_without_times_are_not_resampled(tmp_path):
    (tmp_path / "a").mkdir()
    np.save(tmp_path / "a" / "0.npy", np.random.default_rng(0).normal(size=(3, 40)))
    message = (
        r"say when its samples were taken for rate=10; got no times in seconds\. Leave out rate"
    )
    with pytest.raises(ValueError, match=message):
        load_folder(tmp_path, rate=10)


def test_videos_have_rates(tmp_path):
    for name, rate in (("a", 10), ("b", 20)):
        (tmp_path / name).mkdir()
        frames = np.arange(20)[:, None, None] * np.ones((20, 8, 8))
        write_video(tmp_path / name / "0.mkv", frames, frame_rate=rate)
    with pytest.warns(UserWarning, match=r"got 10 Hz \(a/0.mkv\), 20 Hz \(b/0.mkv\)"):
        data = load_folder(tmp_path)
    np.testing.assert_allclose(data.rates, [10, 20])
    even = load_folder(tmp_path, rate=10)
    np.testing.assert_array_equal(even.X[0].mean(axis=0).round(), np.arange(20))
    np.testing.assert_array_equal(even.X[1].mean(axis=0).round(), np.arange(0, 20, 2))
    with pytest.warns(UserWarning, match="one rate"):
        np.testing.assert_allclose(load_folder(tmp_path, stride=2).rates, [5, 10])
    later = choose_channels_and_rate(data, rate=10)
    np.testing.assert_array_equal(later.X[1], data.X[1][:, ::2])


def test_rows_of_arrays_may_be_time_points(tmp_path):
    (tmp_path / "a").mkdir()
    for number in range(3):
        np.save(tmp_path / "a" / f"{number}.npy", np.ones((100 + number, 6)))
    message = (
        r"a/1.npy must have 100 channels like a/0.npy; got 101 channels. All have 6 time points: "
        r".*give transpose=True, --transpose"
    )
    with pytest.raises(ValueError, match=message):
        load_folder(tmp_path)
    assert [x.shape for x in load_folder(tmp_path, transpose=True).X] == [
        (6, 100), (6, 101), (6, 102)
    ]  # fmt: skip
    for number in range(3):
        np.save(tmp_path / "a" / f"{number}.npy", np.ones((100, 6)))
    with pytest.warns(UserWarning, match="all 3 sequences have 100 channels and 6 time points"):
        load_folder(tmp_path)
    for number in range(3):
        np.savetxt(tmp_path / "a" / f"{number}.csv", np.ones((6, 100)), delimiter=",")
        (tmp_path / "a" / f"{number}.npy").unlink()
    assert load_folder(tmp_path, transpose=True).X[0].shape == (6, 100)


def test_a_stack_of_sequences_is_no_folder_and_the_advice_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("all.npy", RANDOM.standard_normal((4, 3, 20)))
    with pytest.raises(ValueError, match=r"got one array of shape \(4, 3, 20\)") as raised:
        load_folder("all.npy")
    advice = str(raised.value).partition("labels, ")[2].partition(", and name")[0]
    exec(f"import numpy; {advice}", {"labels": list("abab")})
    data = load_npz("all.npz")
    assert [x.shape for x in data.X] == [(3, 20)] * 4
    assert data.y.tolist() == list("abab")


def test_models_read_and_order_new_files_like_training_files(folder, tmp_path):
    data = load_folder(folder, rate=25)
    train(data, "lds-martin", n_states=2).save(tmp_path / "model.lds")
    model = Model.load(tmp_path / "model.lds")
    assert model.reading.time == "time"
    assert model.reading.rate == 25
    assert model.reading.channels == ("ax", "ay", "az")
    write(tmp_path / "new.csv", rate=100, names=("az", "ay", "ax"), n=120)
    (new,) = model.reading.read(tmp_path / "new.csv")
    assert new.shape == (3, 30)
    assert new.mean(axis=1).round().tolist() == [0, 1, 2]
    write(tmp_path / "other.csv", names=("ax", "ay", "gz"))
    message = r"like the training data; got ax, ay, gz .* Rename its columns, or train on"
    with pytest.raises(ValueError, match=message):
        model.reading.read(tmp_path / "other.csv")


def test_new_sequences_of_another_rate_cause_a_warning(folder):
    data = load_folder(folder)
    model = train(data, "lds-martin", n_states=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.check_data(data)
    other = Collection(data.X[:2], names=("new", "more"), rates=[100, 100])
    message = r"new \(and 1 more\) must have the rate of the training data, 50 Hz; got 100 Hz"
    with pytest.warns(UserWarning, match=message):
        model.check_data(other)


def test_collections_are_ordered_and_chosen_by_name():
    data = Collection([np.arange(6).reshape(3, 2)], channel_names=("x", "y", "z"))
    ordered = order_channels(data, ("z", "x", "y"), "the training data")
    assert ordered.X[0].tolist() == [[4, 5], [0, 1], [2, 3]]
    assert choose_channels(data, ["z", "1"]).channel_names == ("z", "x")
    assert order_channels(data, None, "") is data
    with pytest.raises(ValueError, match="the collection must have the channels x, y like"):
        order_channels(data, ("x", "y"), "the training data")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("channel_names", ("x",), "channel_names must name 3 channels; got 1 names"),
        ("rates", [1.0, 2.0], r"rates must have one entry for each of 1 sequences; got shape \(2,"),
        ("rates", [-1.0], "rates must be positive, or NaN where not known; got -1.0"),
    ],
)
def test_names_and_rates_are_checked(field, value, message):
    with pytest.raises(ValueError, match=message):
        Collection([np.zeros((3, 4))], **{field: value})


def test_one_rate_for_all_in_an_npz_file(tmp_path):
    np.savez(tmp_path / "x.npz", X=np.ones((4, 2, 5)), rates=np.array(50.0))
    np.testing.assert_array_equal(load_npz(tmp_path / "x.npz").rates, np.full(4, 50))
    np.savez(tmp_path / "y.npz", X=np.ones((4, 2, 5)), rates=np.array(["fast"] * 4))
    with pytest.raises(ValueError, match="rates of dtype"):
        load_npz(tmp_path / "y.npz")


def test_columns_of_time_may_have_several_names(folder):
    called = ["time", "timestamp", "elapsed", "clock"]
    for number, path in enumerate(sorted(folder.rglob("*.csv"))):
        path.write_text(path.read_text().replace("time,", f"{called[number % 4]},", 1))
    data = load_folder(folder, rate=25)
    np.testing.assert_allclose(data.rates, np.full(8, 25))
    assert levels(data) == [[0, 1, 2]] * 8
    assert {x.shape for x in data.X} == {(3, 30)}


def test_a_name_of_time_may_hold_a_comma(folder):
    for path in folder.rglob("*.csv"):
        text = path.read_text().replace(",", ";").replace("time;", "time, s;", 1)
        path.write_text(text)
    for options in ({}, {"time": "time, s"}):
        data = load_folder(folder, rate=25, **options)
        np.testing.assert_allclose(data.rates, np.full(8, 25))
        assert data.channel_names == ("ax", "ay", "az")


def test_rows_that_are_channels_have_no_rate(folder):
    with pytest.raises(ValueError, match=r"a/0.csv must .* rate=25"):
        load_folder(folder, transpose=True, rate=25)


@pytest.mark.parametrize("option", [{"time": "1"}, {"columns": ["2", "3"]}])
def test_columns_are_refused_where_there_are_no_tables(tmp_path, option):
    np.save(tmp_path / "0.npy", RANDOM.standard_normal((3, 40)))
    name = next(iter(option))
    with pytest.raises(ValueError, match=f"{name} must be given for tables, .csv, .tsv or .txt"):
        load_folder(tmp_path, **option)


def test_an_array_without_time_points_is_named_when_cut(tmp_path):
    np.save(tmp_path / "0.npy", np.empty((3, 0)))
    with pytest.raises(ValueError, match=r"0.npy must hold numbers; got shape \(3, 0\)"):
        load_folder(tmp_path, chunk=True, length=5)
