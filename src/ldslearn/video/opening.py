"""Open a file with PyAV, of any version from 14 on, so that nothing but the file is read."""

from typing import Any, BinaryIO

from ldslearn._files import DAMAGE


def open_container(file: BinaryIO) -> Any:
    """Return the container in a file, to be closed by a ``with``.

    It is a file object, and no protocols are allowed: a playlist cannot make us open anything else.
    """
    import av  # takes its time

    settings: dict[str, Any] = {"options": {"protocol_whitelist": "none"}}
    if int(av.__version__.split(".")[0]) < 19:  # from there on texts never fail
        settings["metadata_errors"] = "ignore"
    return av.open(file, "r", **settings)


def damage_errors() -> tuple[type[Exception], ...]:
    """Return what PyAV and FFmpeg raise for damaged bytes."""
    import av

    return (av.error.FFmpegError, *DAMAGE)
