"""Kinds of files by their first bytes, and advice about kinds that are not read."""

import os
from pathlib import Path

_BEGINNINGS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"GIF8", "a GIF video"),
    (b"\x1aE\xdf\xa3", "a video (MKV or WebM)"),
    (b"\x93NUMPY", "an array (.npy)"),
    (b"PK\x03\x04", "a zip archive, as .npz and .xlsx files are"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"MATLAB 5.0", "a MATLAB file (.mat)"),
    (b"%PDF", "a PDF"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\xd0\xcf\x11\xe0", "an old Office file, as .xls"),
    (b"PAR1", "a Parquet table"),
    (b"ID3", "sound (MP3)"),
    (b"OggS", "an Ogg file"),
    (b"fLaC", "sound (FLAC)"),
)
_RIFF = {b"AVI ": "a video (AVI)", b"WAVE": "sound (WAV)", b"WEBP": "a WebP image"}
_ARRAYS = "Save the numbers as CSV, one file per sequence and one row per time point, or as .npy."
_ARCHIVE = "Unpack it, and name the folder."
_SOUND = (
    "Sound is not read. Save the samples, or features of them, as CSV, one row per time point, "
    "or as .npy."
)
_ADVICE = {
    **dict.fromkeys((".xlsx", ".xls", ".ods", ".numbers"), "In the spreadsheet, save each sheet as "
                    "CSV: one file per sequence, one row per time point."),
    **dict.fromkeys((".wav", ".mp3", ".flac", ".ogg", ".m4a", ".aac"), _SOUND),
    **dict.fromkeys((".json", ".xml", ".yaml", ".h5", ".hdf5", ".edf", ".bdf", ".c3d", ".bvh",
                     ".dat", ".bin"), _ARRAYS),
    **dict.fromkeys((".parquet", ".feather", ".arrow"), f"{_ARRAYS} With pandas: "
                    "pandas.read_parquet(path).to_csv('name.csv', index=False)."),
    **dict.fromkeys((".pkl", ".pickle", ".joblib", ".pt", ".pth"), "Such files can run programs "
                    f"when they are opened, and are not read. {_ARRAYS}"),
    **dict.fromkeys((".zip", ".gz", ".tar", ".tgz", ".7z", ".rar", ".bz2", ".xz"), _ARCHIVE),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".pgm"), "One image is no "
                    "sequence. Put the images of each sequence in a folder of their own."),
    ".lds": "It seems to be a model or dictionary, not data: `ldslearn predict MODEL DATA` uses a "
            "model.",
    ".txt": "A table in a .txt file is read when it is named itself or in a manifest; or rename it "
            "to .csv.",
}  # fmt: skip


def recognize(path: str | os.PathLike[str]) -> str | None:
    """Return the kind of a file by its first bytes, in words; None if it is unknown."""
    if not os.path.isfile(path):  # reading a pipe may block
        return None
    try:
        with open(path, "rb") as file:
            start = file.read(4096)
    except OSError:
        return None
    if not start:
        return "an empty file (0 bytes)"
    if start[:4] == b"RIFF":
        return _RIFF.get(start[8:12])
    if start[4:8] == b"ftyp":
        return "a video (MP4 or MOV)"
    for beginning, kind in _BEGINNINGS:
        if start.startswith(beginning):
            return kind
    try:
        start[: start.rfind(b"\n") + 1 or None].decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if b"\0" in start else "a text"


def advise(suffix: str) -> str:
    """Return advice about files of a suffix that is not read; empty if there is none."""
    return _ADVICE.get(suffix.lower(), "")


def is_system_file(path: Path) -> bool:
    """Whether a file or folder is hidden, or written by an operating system."""
    return path.name.startswith(".") or path.name.lower() in _SYSTEM


_SYSTEM = frozenset({
    "thumbs.db", "desktop.ini", "__macosx", "system volume information", "$recycle.bin", "@eadir",
    "icon\r", "__pycache__",
})  # fmt: skip
