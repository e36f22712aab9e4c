"""Files by their first bytes, and names that are nearly right."""

import os

import numpy as np
import pytest

from ldslearn._errors import suggest_name
from ldslearn._kinds import advise, recognize


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (b"", "an empty file (0 bytes)"),
        (b"a,b\n1,2\n", "a text"),
        ("Größe,x\n1,2\n".encode() * 500, "a text"),
        (b"\xff\xfe1\x00,\x00", None),
        (b"\x00" * 9, None),
        (b"RIFF\x00\x00\x00\x00AVI LIST", "a video (AVI)"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "sound (WAV)"),
        (b"\x00\x00\x00\x20ftypisom", "a video (MP4 or MOV)"),
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"PK\x03\x04", "a zip archive, as .npz and .xlsx files are"),
    ],
)
def test_kinds(tmp_path, start, kind):
    (tmp_path / "file").write_bytes(start)
    assert recognize(tmp_path / "file") == kind


def test_arrays_and_nothing(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros(3))
    assert recognize(tmp_path / "a.npy") == "an array (.npy)"
    assert recognize(tmp_path / "nothing") is None
    assert recognize(tmp_path) is None
    os.mkfifo(tmp_path / "pipe")
    assert recognize(tmp_path / "pipe") is None


def test_advice():
    assert "save each sheet as CSV" in advise(".XLSX")
    assert advise(".xyz") == ""


def test_nearest():
    assert suggest_name("sofft", ["soft", "clip"]) == " Did you mean 'soft'?"
    assert suggest_name("AUTO", ["auto"]) == " Did you mean 'auto'?"
    assert suggest_name("zzz", ["soft", "clip"]) == ""
    assert suggest_name(["soft"], ["clip"]) == ""
