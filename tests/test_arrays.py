import io
import os
import pickle
import struct
import zipfile
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ldslearn import _files
from ldslearn._arrays import read_npy, read_npz

DTYPES = st.one_of(
    hnp.floating_dtypes(endianness="?"),
    hnp.integer_dtypes(endianness="?"),
    hnp.unsigned_integer_dtypes(),
    hnp.complex_number_dtypes(),
    hnp.boolean_dtypes(),
    hnp.unicode_string_dtypes(max_len=5),
    hnp.byte_string_dtypes(max_len=5),
)
ARRAYS = DTYPES.flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, min_side=0, max_side=4))
)


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def header(text, version=1):
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text


def write_zip(path, members, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "some.npz"


@given(array=ARRAYS, fortran=st.booleans(), compressed=st.booleans())
def test_arrays_are_read_as_numpy_reads_them(tmp_path_factory, array, fortran, compressed):
    path = tmp_path_factory.mktemp("npz") / "some.npz"
    array = np.asarray(array, order="F" if fortran else "C")
    (np.savez_compressed if compressed else np.savez)(path, a=array, b=np.arange(3))
    read = read_npz(path)
    assert list(read) == ["a", "b"]
    np.testing.assert_array_equal(read["a"], array)
    assert read["a"].dtype == array.dtype
    assert read["a"].flags.writeable
    path.with_suffix(".npy").write_bytes(npy(array))
    np.testing.assert_array_equal(read_npy(path.with_suffix(".npy")), array)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_all_versions_of_the_header_are_read(path, version):
    with path.open("wb") as file:
        np.lib.format.write_array(file, np.arange(5.0), version=(version, 0))
    np.testing.assert_array_equal(read_npy(path), np.arange(5.0))


class Bomb:
    def __reduce__(self):
        return os.abort, ()


def test_objects_are_refused_and_not_executed(path):
    bomb = np.array([Bomb()], dtype=object)
    path.write_bytes(npy(bomb))
    with pytest.raises(ValueError, match=r"some\.npz must be a complete npy .* dtype \|O, which"):
        read_npy(path)
    np.savez(path, a=bomb)
    with pytest.raises(ValueError, match=r"some\.npz must be a complete npz .* dtype \|O, which"):
        read_npz(path)
    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(ValueError, match="must be a complete npz"):
        read_npz(path)


LIES = {
    "a huge shape": b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 9), }",
    "an overflowing shape": b"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296,"
    b" 4294967296), }",
    "endless digits": b"{'descr': '<f8', 'fortran_order': False, 'shape': (" + b"9" * 5000 + b",)}",
    "many dimensions": b"{'descr': '<f8', 'fortran_order': False, 'shape': (" + b"1," * 999 + b")}",
    "a record": b"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }",
    "an empty text": b"{'descr': '<U0', 'fortran_order': False, 'shape': (99999999999,), }",
    "an unknown dtype": b"{'descr': '<f3', 'fortran_order': False, 'shape': (1,), }",
    "deep nesting": b"(" * 9000,
    "code": b"__import__('os').abort()",
    "a date": b"{'descr': '<M8[s]', 'fortran_order': False, 'shape': (1,), }",
}


@pytest.mark.parametrize("name", LIES)
def test_a_lying_header_is_refused(path, name):
    content = header(LIES[name]) + bytes(8)
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"some\.npz must be a complete npy"):
        read_npy(path)
    write_zip(path, {"a.npy": content})
    with pytest.raises(ValueError, match=r"some\.npz must be a complete npz"):
        read_npz(path)


def test_a_header_of_four_gigabytes_is_refused(path):
    path.write_bytes(b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + bytes(100))
    with pytest.raises(ValueError, match="npy header of 4294967295 bytes"):
        read_npy(path)


def test_a_zip_bomb_is_refused_before_it_goes_off(path):
    write_zip(path, {"a.npy": npy(np.zeros(2**20))})
    assert path.stat().st_size < 20_000
    assert read_npz(path)["a"].size == 2**20
    with pytest.raises(ValueError, match=r"file .*some\.npz must take at most 0.0 GiB; got"):
        read_npz(path, limit=2**20)


def test_a_member_that_a_damaged_length_swallows_is_missed(path):
    """The comment of the first member, by its length, holds the entry of the second."""
    write_zip(path, {"a.npy": npy(np.zeros(2)), "b.npy": npy(np.ones(2))})
    content = bytearray(path.read_bytes())
    first = content.index(b"PK\x01\x02")
    second = content.index(b"PK\x01\x02", first + 1)
    end = content.rindex(b"PK\x05\x06")
    content[first + 32 : first + 34] = (end - second).to_bytes(2, "little")
    path.write_bytes(content)
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == ["a.npy"]
    with pytest.raises(ValueError, match="got fewer or more members than it says"):
        read_npz(path)


def test_what_a_file_may_take_follows_from_its_size(path, monkeypatch):
    """A bomb is refused by the sizes it tells; whoever trusts a file may allow more."""
    write_zip(path, {"a.npy": npy(np.zeros(2**20))})
    monkeypatch.setattr(_files, "ALWAYS", 2**20)
    message = "must take at most 0.0 GiB; got 0.0 GiB. .*or set LDSLEARN_MAX_BYTES=8388736 if you"
    with pytest.raises(ValueError, match=message):
        read_npz(path)
    monkeypatch.setenv("LDSLEARN_MAX_BYTES", "8388736")
    assert read_npz(path)["a"].size == 2**20
    monkeypatch.setenv("LDSLEARN_MAX_BYTES", "8 GB")
    with pytest.raises(ValueError, match="LDSLEARN_MAX_BYTES must be a whole number of bytes; got"):
        read_npz(path)


def test_the_limit_follows_the_memory_of_the_machine(tmp_path, monkeypatch):
    monkeypatch.delenv("LDSLEARN_MAX_BYTES", raising=False)
    assert _files.ALWAYS <= _files.memory_limit() < 2**50
    monkeypatch.setattr(_files, "_available_memory", lambda: 2**32)
    assert _files.memory_limit() == 2**31
    assert _files.inflated_limit(2**20) == _files.ALWAYS
    assert _files.inflated_limit(2**23) == 100 * 2**23
    assert _files.inflated_limit(2**30) == 2**31
    monkeypatch.setattr(_files, "_available_memory", lambda: None)
    assert _files.memory_limit() == 2**33
    monkeypatch.undo()
    monkeypatch.setattr(_files, "_GROUP", tmp_path)
    stat = "anon 5\nactive_file 100\ninactive_file 23\n"
    for name, text in (("max", "2000"), ("current", "1000"), ("stat", stat)):
        (tmp_path / f"memory.{name}").write_text(text)
    assert _files._available_memory() == 1123


@pytest.mark.parametrize("size", [1, 200, 10**6, 2**32 - 2])
def test_a_false_size_in_the_directory_is_refused(path, size):
    write_zip(path, {"a.npy": npy(np.zeros(100))})
    content = bytearray(path.read_bytes())
    entry = content.find(b"PK\x01\x02")
    content[entry + 24 : entry + 28] = struct.pack("<I", size)
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"some\.npz must be a complete npz"):
        read_npz(path)


def test_members_may_not_overlap(path):
    write_zip(path, {"a.npy": npy(np.zeros(9)), "b.npy": npy(np.ones(9))}, zipfile.ZIP_STORED)
    content = bytearray(path.read_bytes())
    for entry in (content.find(b"PK\x01\x02"), content.rfind(b"PK\x01\x02")):
        content[entry + 20 : entry + 24] = struct.pack("<I", len(content) - 20)
    path.write_bytes(content)
    with pytest.raises(ValueError, match="overlap"):
        read_npz(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions_are_refused(path, method):
    write_zip(path, {"a.npy": npy(np.zeros(9))}, method)
    with pytest.raises(ValueError, match="compression method"):
        read_npz(path)


def test_foreign_members_are_refused(path):
    write_zip(path, {"a.npy": npy(np.zeros(9)), "b.txt": b"hello"})
    with pytest.raises(ValueError, match=r"the member 'b\.txt', which is no array"):
        read_npz(path)


@pytest.mark.parametrize("extra", [b"\0", b""])
def test_bytes_too_many_and_too_few_are_noticed(path, extra):
    content = npy(np.zeros(9)) + extra
    path.write_bytes(content if extra else content[:-1])
    with pytest.raises(ValueError, match=r"bytes for an array of shape \(9,\) and dtype <f8"):
        read_npy(path)


def test_texts_and_booleans_that_cannot_be_are_refused(path):
    path.write_bytes(npy(np.array(["a"])).replace(b"a\0\0\0", b"\xff\xff\xff\x7f"))
    with pytest.raises(ValueError, match="characters that do not exist"):
        read_npy(path)
    path.write_bytes(npy(np.array([True]))[:-1] + b"\x02")
    with pytest.raises(ValueError, match="booleans other than 0 and 1"):
        read_npy(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_refused_rather_than_waited_for(path):
    os.mkfifo(path)
    with pytest.raises(ValueError, match="must be a regular file; got a pipe"):
        read_npz(path)


def test_missing_files_and_folders_say_so(path, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"some\.npz"):
        read_npz(path)
    with pytest.raises(OSError, match=tmp_path.name):
        read_npz(tmp_path)


def test_a_mistake_of_ours_is_no_broken_file(tmp_path, monkeypatch):
    np.savez(tmp_path / "a.npz", x=np.arange(3.0))
    for mistake in (TypeError, KeyError, AttributeError, NameError, AssertionError):
        monkeypatch.setattr("ldslearn._arrays._check_values", raising(mistake))
        with pytest.raises(mistake, match="a mistake"):
            read_npz(tmp_path / "a.npz")


def raising(error):
    def wrong(*_):
        raise error("a mistake")

    return wrong


def test_a_dtype_that_does_not_exist(tmp_path):
    data = npy(np.arange(3.0)).replace(b"<f8", b"<f9")
    (tmp_path / "a.npy").write_bytes(data)
    with pytest.raises(ValueError, match="a.npy must .* got dtype <f9, which does not exist"):
        read_npy(tmp_path / "a.npy")


@pytest.fixture
def bomb(path):
    """7.7 MB that inflate to an array of 7.9 GB: one compressed MiB of zeros, repeated."""
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -15)
    start = header(b"{'descr': '<f8', 'fortran_order': False, 'shape': (987496438,), }\n")
    first = squeezer.compress(start + bytes(-len(start) % 8)) + squeezer.flush(zlib.Z_FULL_FLUSH)
    block = squeezer.compress(bytes(2**20)) + squeezer.flush(zlib.Z_FULL_FLUSH)
    member = zipfile.ZipInfo("a.npy")
    member.compress_type, member.header_offset, member.CRC = zipfile.ZIP_DEFLATED, 0, 0
    member.file_size = len(start) + 8 * 987496437
    with zipfile.ZipFile(path, "w") as archive:
        archive.fp.write(member.FileHeader(zip64=True))
        begin = archive.fp.tell()
        archive.fp.write(first + block * (member.file_size // 2**20) + squeezer.flush())
        archive.start_dir = archive.fp.tell()
        member.compress_size = archive.start_dir - begin
        archive.filelist.append(member)
        archive.NameToInfo["a.npy"] = member
        archive._didModify = True
    assert 7e6 < path.stat().st_size < 8e6
    return path


@pytest.mark.parametrize("limit", [None, 2**40])
def test_a_bomb_of_gigabytes_takes_no_memory(bomb, limit):
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    message = "take at most" if limit is None else "bytes for an array of shape"
    with pytest.raises(ValueError, match=rf"some\.npz must .*{message}"):
        read_npz(bomb, limit)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 2**17  # KiB


def test_headers_of_other_programs_are_read(path):
    for text in (
        b"{'descr': '<f8', 'fortran_order': True, 'shape': (3,2,), }",
        b"{'shape':(3,2),'fortran_order':False,'descr':'<f8'}",
        b'{"descr": "<f8", "fortran_order": False, "shape": (3, 2)}',
    ):
        path.write_bytes(header(text) + np.arange(6.0).tobytes())
        assert read_npy(path).shape == (3, 2)
        np.testing.assert_array_equal(read_npy(path), np.load(path))
