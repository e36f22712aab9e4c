import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from ldslearn.datasets.formats.mat import load_mat, read_mat

from support.matlab import cell, save_mat73

random = np.random.default_rng(0)
X = [random.standard_normal((3, n)) for n in (8, 5, 12)]
VIDEOS = [random.integers(0, 256, (4, 5, n)).astype(np.uint8) for n in (6, 7)]

# What is written to a file, and what is read back.
VALUES = {
    "matrix": np.arange(6.0).reshape(2, 3),
    "cube": np.arange(24, dtype=np.int16).reshape(2, 3, 4),
    "single": np.float32([[0.5, np.nan]]),
    "big": np.uint64([[2**64 - 1]]),
    "truth": np.array([[True, False]]),
    "text": "grüße 人",
    "nested": {"a": np.array([[1.0]]), "b": {"c": "deep"}},
    "entries": [{"n": np.array([[1.0]]), "t": "one"}, {"n": np.array([[2.0]]), "t": "two"}],
    "mixed": [np.array([[1.0, 2.0]]), "text", [np.array([[3.0]]), "inner"]],
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "some.mat"


def for_scipy(value):
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        records = np.empty((1, len(value)), dtype=[(name, object) for name in value[0]])
        for i, item in enumerate(value):
            records[0, i] = tuple(map(for_scipy, item.values()))
        return records
    if isinstance(value, list):
        return cell(*map(for_scipy, value))
    if isinstance(value, dict):
        return {name: for_scipy(item) for name, item in value.items()}
    return value


def assert_same(got, expected):
    assert type(got) is type(expected)
    if isinstance(expected, dict):
        assert list(got) == list(expected)
        for name in expected:
            assert_same(got[name], expected[name])
    elif isinstance(expected, list):
        assert len(got) == len(expected)
        for mine, theirs in zip(got, expected, strict=True):
            assert_same(mine, theirs)
    elif isinstance(expected, str):
        assert got == expected
    else:
        np.testing.assert_array_equal(got, expected)
        assert got.dtype == expected.dtype


@pytest.mark.parametrize("compressed", [False, True])
def test_version_5_round_trip(path, compressed):
    values = {name: for_scipy(value) for name, value in VALUES.items()}
    scipy.io.savemat(path, values, do_compression=compressed)
    assert_same(read_mat(path), VALUES)


def test_version_73_round_trip(path):
    save_mat73(pytest.importorskip("h5py"), path, VALUES)
    assert_same(read_mat(path), dict(sorted(VALUES.items())))


@pytest.mark.parametrize("compressed", [False, True])
def test_sparse_and_complex_matrices(path, compressed):
    dense = random.standard_normal((5, 7)) * (random.random((5, 7)) < 0.3)
    values = {
        "s": scipy.sparse.csc_matrix(dense),
        "z": scipy.sparse.csc_matrix(dense + 2j * dense),
        "o": scipy.sparse.csc_matrix((3, 2)),
        "c": dense + 1j,
    }
    scipy.io.savemat(path, values, do_compression=compressed)
    read = read_mat(path)
    np.testing.assert_array_equal(read["s"], dense)
    np.testing.assert_array_equal(read["z"], dense + 2j * dense)
    np.testing.assert_array_equal(read["o"], np.zeros((3, 2)))
    np.testing.assert_array_equal(read["c"], dense + 1j)


def test_empty_things(path):
    scipy.io.savemat(path, {"a": np.empty((0, 3)), "c": np.empty((0, 0), object), "t": ""})
    read = read_mat(path)
    assert read["a"].shape == (0, 3)
    assert read["c"] == []
    assert read["t"] == ""


SAMPLES = Path(scipy.io.matlab.__file__).parent / "tests" / "data"  # files by MATLAB itself


def numeric(contents):
    for name, value in contents.items():
        if scipy.sparse.issparse(value):
            yield name, value.toarray()
        elif not name.startswith("__") and value.dtype.kind in "biufc":
            yield name, value


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="SciPy came without its tests")
@pytest.mark.filterwarnings("ignore:The default value for .spmatrix. is changing")
def test_files_by_matlab_are_read_as_scipy_reads_them():
    compared = 0
    for path in [*SAMPLES.glob("test*_[67].*.mat"), *SAMPLES.glob("*_endian.mat")]:
        if "hdf5" in path.name:
            continue
        contents = scipy.io.loadmat(path)
        read = read_mat(path)
        for name, value in numeric(contents):
            np.testing.assert_array_equal(read[name], value)
            compared += 1
    assert compared > 20
    assert read_mat(SAMPLES / "teststringarray_7.4_GLNX86.mat")["teststringarray"] == [
        "one  ", "two  ", "three"
    ]  # fmt: skip
    assert read_mat(SAMPLES / "testfunc_7.4_GLNX86.mat") == {}
    assert read_mat(SAMPLES / "testobject_7.4_GLNX86.mat") == {}


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="SciPy came without its tests")
def test_a_file_of_version_73_by_matlab():
    pytest.importorskip("h5py")
    read = read_mat(SAMPLES / "testhdf5_7.4_GLNX86.mat")
    np.testing.assert_allclose(read["testdouble"], np.linspace(0, 2 * np.pi, 9)[None])


# Sequences


@pytest.mark.parametrize("name", ["X", "data", "sequences", "videos", "whatever"])
@pytest.mark.parametrize(
    "labels", [np.array([[3.0, 1, 2]]), cell("3", "1", "2"), cell(3.0, 1.0, 2.0)]
)
def test_sequences_and_labels(path, name, labels):
    scipy.io.savemat(path, {"names": cell("a", "b", "c"), name: cell(*X), "y": labels})
    read = load_mat(path)
    for x, expected in zip(read.X, X, strict=True):
        np.testing.assert_array_equal(x, expected)
    assert list(read.y) == ["3", "1", "2"]
    assert read.frame_shape is None


def test_labels_in_a_matrix_of_letters(path):
    scipy.io.savemat(path, {"X": cell(*X), "y": np.array(["walk", "run ", "sit "])})
    assert list(load_mat(path).y) == ["walk", "run", "sit"]


def test_cells_in_rows_and_columns_of_version_73(path):
    h5py = pytest.importorskip("h5py")
    save_mat73(h5py, path, {"grid": [np.array([[float(i)]]) for i in range(6)]})
    with h5py.File(path, "r+") as file:
        references = file["grid"][:].reshape(3, 2)  # as MATLAB stores a cell of two rows
        marks = dict(file["grid"].attrs)
        del file["grid"]
        file.create_dataset("grid", data=references, dtype=h5py.ref_dtype).attrs.update(marks)
    assert [cell.item() for cell in read_mat(path)["grid"]] == [0, 1, 2, 3, 4, 5]


def test_videos(path):
    scipy.io.savemat(path, {"videos": cell(*VIDEOS)})
    read = load_mat(path)
    assert read.frame_shape == (4, 5)
    assert read.y is None
    for x, video in zip(read.X, VIDEOS, strict=True):
        assert x.dtype == np.uint8
        np.testing.assert_array_equal(x[:, 2].reshape(4, 5), video[:, :, 2])


def test_sequences_of_version_73(path):
    save_mat73(pytest.importorskip("h5py"), path, {"X": VIDEOS, "gt": ["a", "b"]})
    read = load_mat(path)
    assert read.frame_shape == (4, 5)
    assert list(read.y) == ["a", "b"]
    np.testing.assert_array_equal(read.X[1][:, 3].reshape(4, 5), VIDEOS[1][:, :, 3])


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        (
            {"A": np.ones((2, 3))},
            r"one cell array of numeric matrices; got the variables A \(2 x 3",
        ),
        ({"A": cell(*X), "B": cell(*X)}, r"A \(cell or struct array of 3\), B \(cell"),
        ({"X": cell(*X), "y": [1, 2]}, "1 x 2 int64 in y for the labels of 3 sequences"),
        ({"X": cell(np.ones((2, 3)), np.ones((3, 3)))}, "sequence 1 must have 2 channels"),
        ({"X": cell(np.ones((2, 3)), np.full((2, 3), np.nan))}, "sequence 1 must be finite"),
        ({"X": cell(VIDEOS[0], VIDEOS[0][1:])}, "videos of several frame sizes"),
        ({"X": cell(VIDEOS[0], X[0])}, "videos of several frame sizes"),
        ({"X": cell(X[0] + 1j)}, "real numbers"),
    ],
)
def test_what_is_not_sequences_is_named(path, variables, message):
    scipy.io.savemat(path, variables)
    with pytest.raises(ValueError, match=rf"file .*some\.mat must hold .*{message}"):
        load_mat(path)


# Damage


def element(kind, content):
    return struct.pack("<II", kind, len(content)) + content + bytes(-len(content) % 8)


def matrix(kind, shape, *parts, name=b"a"):
    flags = element(6, struct.pack("<II", kind, 0))
    dimensions = element(5, struct.pack(f"<{len(shape)}i", *shape))
    return element(14, flags + dimensions + element(1, name) + b"".join(parts))


def write(path, *elements):
    path.write_bytes(b"MATLAB 5.0".ljust(124) + b"\x00\x01IM" + b"".join(elements))


def compressed(content):
    packed = zlib.compress(content)
    return struct.pack("<II", 15, len(packed)) + packed


def sparse(shape, rows, starts):
    indices = [element(5, struct.pack(f"<{len(part)}i", *part)) for part in (rows, starts)]
    return matrix(5, shape, *indices, element(9, bytes(8 * len(rows))))


def nested(depth):
    inner = matrix(6, (1, 1), element(9, bytes(8)))
    for _ in range(depth):
        inner = matrix(1, (1, 1), inner)
    return inner


def test_the_elements_of_these_tests_are_sound(path):
    write(
        path,
        matrix(6, (1, 2), element(2, b"\1\2")),
        compressed(matrix(4, (1, 1), element(16, b"x"), name=b"b")),
    )
    assert_same(read_mat(path), {"a": np.array([[1.0, 2.0]]), "b": "x"})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (matrix(6, (2**30, 2**30), element(9, bytes(8))), "1 numbers for an array of"),
        (matrix(6, (-1, -1), element(9, bytes(8))), "an array of shape"),
        (matrix(6, (1,), element(9, bytes(8))), "an array of shape"),
        (matrix(8, (1, 1), element(9, bytes(8))), "floats for integers"),
        (matrix(99, (1, 1), element(9, bytes(8))), "an array of class 99"),
        (matrix(1, (2**30, 2**30)), "bytes too many"),
        (matrix(2, (2**30, 2**30), element(5, b"\1\0\0\0"), element(1, b"")), "bytes too many"),
        (matrix(1, (1, 1)), "cut short"),
        (matrix(2, (1, 1), element(5, bytes(4)), element(1, b"abc")), "names of fields"),
        (matrix(4, (1, 1), element(4, b"\1\0\1\0\1\0"), name=b"b"), None),
        (matrix(4, (3, 1), element(4, b"\1\0")), "1 characters for 3"),
        (matrix(4, (1, 1), element(16, b"\xff")), "codec can't decode"),
        (sparse((2, 1), rows=(5,), starts=(0, 1)), "wrong rows"),
        (sparse((2, 1), rows=(0,), starts=(1, 0)), "wrong columns"),
        (sparse((2**30, 1), rows=(0,), starts=(0, 1)), "bytes too many"),
        (nested(100), "nested more than 32 deep"),
        (compressed(nested(10))[:-9], "where"),
        (struct.pack("<II", 15, 8) + bytes(8), "unknown compression method"),
        (compressed(struct.pack("<II", 14, 2**32 - 1)), "false size"),
        (compressed(struct.pack("<II", 14, 10) + bytes(20)), "longer than it says"),
        (compressed(struct.pack("<II", 14, 10) + bytes(5)), "cut short"),
        (matrix(6, (1, 1), element(9, bytes(8))) * 2, "two variables 'a'"),
        (struct.pack("<II", 14, 2**31), "an element of 2147483648 bytes where 0 are"),
    ],
)
def test_damage_is_named(path, content, message):
    write(path, content)
    if message is None:
        read_mat(path)
        return
    with pytest.raises(
        ValueError, match=rf"file .*some\.mat must be a complete MATLAB .*{message}"
    ):
        read_mat(path, limit=2**30)


def test_a_bomb_is_refused(path):
    write(path, compressed(matrix(6, (1, 2**24), element(2, bytes(2**24)))))
    assert path.stat().st_size < 20_000
    with pytest.raises(ValueError, match="bytes too many"):
        read_mat(path, limit=2**26)


@pytest.mark.parametrize("content", [b"", b"hello", bytes(200), b"MATLAB 5.0"])
def test_foreign_files_are_named(path, content):
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"file .*some\.mat must be a "):
        read_mat(path)


def test_version_4_is_named(path):
    scipy.io.savemat(path, {"a": np.arange(100.0)}, format="4")
    with pytest.raises(ValueError, match="version 5 or later; got another header. If it is of ver"):
        read_mat(path)


def test_h5py_is_required(path):
    path.write_bytes(bytes(512) + b"\x89HDF\r\n\x1a\n" + bytes(500))
    program = (
        "import sys; sys.modules['h5py'] = None\n"
        "from ldslearn.datasets.formats.mat import read_mat\n"
        "try: read_mat(sys.argv[1])\n"
        "except ValueError as error: print(error)"
    )
    run = [sys.executable, "-c", program, os.fspath(path)]
    printed = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert "some.mat must have version 7 or earlier when h5py is missing" in printed
    assert "Run pip install 'ldslearn[hdf5]'" in printed


def test_links_to_other_files_are_refused(path, tmp_path):
    h5py = pytest.importorskip("h5py")
    save_mat73(h5py, path, {"a": np.ones((2, 2))})
    other = tmp_path / "other.mat"
    with h5py.File(other, "w", userblock_size=512) as file:
        file["a"] = h5py.ExternalLink(str(path), "/a")
    with pytest.raises(ValueError, match=r"other\.mat must be .*a link to elsewhere in 'a'"):
        read_mat(other)
    (tmp_path / "secret").write_bytes(bytes(80))
    with h5py.File(other, "w", userblock_size=512) as file:
        outside = [(str(tmp_path / "secret"), 0, 80)]
        file.create_dataset("a", (10,), dtype="f8", external=outside)
    with pytest.raises(ValueError, match=r"other\.mat must be .*values outside the file"):
        read_mat(other)


def test_a_lying_size_of_version_73_is_refused(path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w", userblock_size=512) as file:
        file.create_dataset("a", (2**20, 2**20), dtype="f8", chunks=(64, 64))
    with pytest.raises(ValueError, match=r"some\.mat must be .*more than the file holds"):
        read_mat(path)


def test_references_in_a_circle_are_refused(path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w", userblock_size=512) as file:
        circle = file.create_dataset("a", (1, 1), dtype=h5py.ref_dtype)
        circle[0, 0] = circle.ref
    with pytest.raises(ValueError, match=r"some\.mat must be .*nested more than 32 deep"):
        read_mat(path)


def test_shared_references_do_not_multiply(path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w", userblock_size=512) as file:
        below = file.create_dataset("#0", data=np.ones((1, 1)))
        for level in range(1, 30):
            above = file.create_dataset(f"#{level}" if level < 29 else "a", (9, 1), h5py.ref_dtype)
            above[:, 0] = below.ref
            below = above
    with pytest.raises(ValueError, match="bytes too many; LDSLEARN_MAX_BYTES allows more"):
        read_mat(path)  # 9^29 numbers, if all were read


def write_references(h5py, path, shape, count):
    """A cell array of many references to one array."""
    with h5py.File(path, "w", userblock_size=512) as file:
        target = file.create_dataset("#refs#/r", data=np.ones(shape))
        target.attrs["MATLAB_class"] = np.bytes_(b"double")
        references = np.full((count, 1), target.ref, h5py.ref_dtype)
        cells = file.create_dataset("X", data=references, dtype=h5py.ref_dtype)
        cells.attrs["MATLAB_class"] = np.bytes_(b"cell")


def test_references_count_as_often_as_they_are_used(path, monkeypatch):
    h5py = pytest.importorskip("h5py")
    write_references(h5py, path, (500, 60), 10_000)
    assert path.stat().st_size < 10**6
    with pytest.raises(ValueError, match="bytes too many; LDSLEARN_MAX_BYTES allows more"):
        read_mat(path)
    monkeypatch.setenv("LDSLEARN_MAX_BYTES", str(10**11))
    found = read_mat(path)["X"]
    assert len(found) == 10_000
    assert found[0] is found[-1]


def test_an_object_is_opened_once(path, monkeypatch):
    h5py = pytest.importorskip("h5py")
    write_references(h5py, path, (2, 3), 1000)
    opened, original = [], h5py.File.__getitem__
    noted = lambda self, name: opened.append(name) or original(self, name)  # noqa: E731
    monkeypatch.setattr(h5py.File, "__getitem__", noted)
    assert len(read_mat(path)["X"]) == 1000
    assert len(opened) < 5
