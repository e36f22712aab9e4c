import numpy as np
import pytest

from ldslearn import LDSEncoder
from ldslearn.sequences import as_collection

pd = pytest.importorskip("pandas")

SEQUENCES = [
    np.random.default_rng(seed).standard_normal((3, length))
    for seed, length in enumerate((20, 25, 30))
]
NAMES = ["ax", "ay", "az"]


def nested():
    rows = [{n: pd.Series(c) for n, c in zip(NAMES, x, strict=True)} for x in SEQUENCES]
    return pd.DataFrame(rows, columns=NAMES)


def two_levels():
    frames = [pd.DataFrame(x.T, columns=NAMES) for x in SEQUENCES]
    return pd.concat(frames, keys=["c", "a", "b"])


def with_ids(time="time", shuffled=False):
    parts = []
    for name, x in zip("cab", SEQUENCES, strict=True):
        part = pd.DataFrame(x.T, columns=NAMES)
        part.insert(0, "id", name)
        part.insert(1, time, np.arange(len(part)) / 50)
        parts.append(part)
    frame = pd.concat(parts, ignore_index=True)
    if not shuffled:
        return frame
    order = np.concatenate([[0, 20, 45], np.random.default_rng(0).permutation(75)])
    return frame.iloc[order].drop_duplicates(["id", time])


def list_of_frames():
    return [
        pd.DataFrame(x.T, columns=NAMES).assign(timestamp=np.arange(x.shape[1]) + 1.7e9)
        for x in SEQUENCES
    ]


@pytest.mark.filterwarnings("ignore:sequences of a data frame are in the order")
@pytest.mark.parametrize(
    "frame",
    [
        nested(),
        nested().map(np.asarray),
        two_levels(),
        with_ids(),
        with_ids("Timestamp [s]"),
        with_ids(shuffled=True),
        list_of_frames(),
        [pd.DataFrame(x.T) for x in SEQUENCES],
    ],
    ids=["nested", "arrays", "levels", "id", "unit", "shuffled", "list", "unnamed"],
)
def test_frames_hold_the_sequences(frame):
    found = as_collection(frame)
    assert len(found) == 3
    for got, expected in zip(found, SEQUENCES, strict=True):
        np.testing.assert_array_equal(got, expected)
    assert len(LDSEncoder(n_states=2).fit_transform(frame)) == 3


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        (["case_id", "dim_id", "reading_id", "value"], "'case_id', 'reading_id'"),
        (["id", "kind", "time", "value"], "'id', 'time'"),
    ],
)
def test_the_advice_for_one_value_per_row_works(columns, names):
    owner, channel, time, value = columns[0], columns[1], columns[2], columns[3]
    rows = [
        {owner: i, channel: n, time: t, value: x[c, t]}
        for i, x in enumerate(SEQUENCES)
        for c, n in enumerate(NAMES)
        for t in range(x.shape[1])
    ]
    X = pd.DataFrame(rows, columns=columns)
    with pytest.raises(TypeError, match="got a data frame with one value per row") as raised:
        as_collection(X)
    advice = str(raised.value).rpartition("Pass ")[2].rstrip(".")
    assert names in advice
    found = as_collection(eval(advice, {"X": X}))
    for got, expected in zip(found, SEQUENCES, strict=True):
        np.testing.assert_array_equal(got, expected)


def test_the_advice_for_other_frames_works():
    X = pd.DataFrame(SEQUENCES[0].T, columns=NAMES)
    message = (
        r"X must be a list .*; got a data frame of shape \(20, 3\) with the columns ax, ay, az\. "
        r".*For one sequence with a row per time point pass \[X\]; for single-channel sequences "
        r"in rows pass X\.to_numpy\(\)\[:, None, :\]"
    )
    with pytest.raises(TypeError, match=message):
        as_collection(X)
    np.testing.assert_array_equal(as_collection([X])[0], SEQUENCES[0])
    rows = as_collection(X.to_numpy()[:, None, :])
    assert [x.shape for x in rows] == [(1, 3)] * 20


def test_channels_of_a_nested_row_have_one_length():
    X = nested()
    X.iat[1, 2] = X.iat[1, 2][:-4]
    with pytest.raises(ValueError, match="sequence 1 must have as many time points.*21 to 25"):
        as_collection(X)


def test_texts_in_a_frame_are_named():
    X = with_ids().assign(label="walk")
    with pytest.raises(TypeError, match="column 'label' holds no numbers. Drop it: X.drop"):
        as_collection(X)


def test_dates_beside_numbers_are_times():
    frames = list_of_frames()
    for frame in frames:
        frame["date"] = pd.date_range("2024-05-01", periods=len(frame), freq="s")
    found = as_collection(frames)
    for got, expected in zip(found, as_collection(list_of_frames()), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_sequences_in_another_order_than_sorted_cause_a_warning():
    frame = pd.DataFrame({"id": [2, 2, 1, 1], "a": [1.0, 2.0, 3.0, 4.0]})
    with pytest.warns(UserWarning, match="order in which their column 'id' first appears"):
        sequences = as_collection(frame)
    np.testing.assert_array_equal(sequences, [[[1.0, 2.0]], [[3.0, 4.0]]])
    as_collection(frame.sort_values("id", kind="stable"))  # no warning, which would be an error
