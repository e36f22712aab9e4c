"""Small JSON files: what is no record of ours is refused, without a hang or much memory."""

import json
import os
import tracemalloc

import pytest

from ldslearn._records import check_seal, read_json, seal


def test_a_value_is_read(tmp_path):
    (tmp_path / "a").write_text('{"x": [1, null, "y"]}')
    assert read_json(tmp_path / "a") == {"x": [1, None, "y"]}


def test_memory_is_taken_for_what_is_there(tmp_path):
    (tmp_path / "a").write_text("[1]")
    tracemalloc.start()
    assert read_json(tmp_path / "a", 2**30) == [1]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24


def test_what_is_no_record_is_refused(tmp_path):
    path = tmp_path / "a"
    for content, message in ((b"[" * 10**6, "nested too deeply"), (b"1" * 99, "more than 50 byt")):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=message):
            read_json(path, 50 if b"1" in content else 2**26)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ValueError, match="a pipe instead of a regular file"):
        read_json(path)


@pytest.mark.parametrize("pair", ["[]", ['{"x":', "}"]])
def test_values_are_nested_so_deeply_that_they_can_be_written(tmp_path, pair):
    """Whatever Python could read, or its caller left of the stack."""
    path = tmp_path / "a"
    for depth in (1, 50, 199):
        path.write_text(pair[0] * depth + "1" + pair[1] * depth)
        check_seal(seal({"x": read_json(path)}))
    for depth in (201, 900, 975, 990, 10**5):
        path.write_text(pair[0] * depth + "1" + pair[1] * depth)
        with pytest.raises(ValueError, match="values nested too deeply"):
            read_json(path)


def test_a_record_is_sealed():
    record = json.loads(json.dumps(seal({10: "a", 9: 0.1, "x": {"y": None}})))
    check_seal(record)
    check_seal(dict(reversed(record.items())))
    for changed in (
        {**record, "10": "b"},
        {**record, "more": 1},
        {**record, "sha256": 1},
        [],
        None,
    ):
        with pytest.raises(ValueError, match="do not match their checksum"):
            check_seal(changed)
