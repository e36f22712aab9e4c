"""Open a file with PyAV, of any version from 14 on, so that nothing but the file is read."""

from typing import Any, BinaryIO

import av

from ldslearn._files import DAMAGE

DAMAGE_ERRORS = (av.error.FFmpegError, *DAMAGE)  # what PyAV and FFmpeg raise for damaged bytes


def open_container(file: BinaryIO) -> Any:
    """Return the container in a file, to be closed by a ``with``.

    It gets a file object and no protocols, so that a playlist cannot open anything else.
    """
    settings: dict[str, Any] = {"options": {"protocol_whitelist": "none"}}
    if int(av.__version__.split(".")[0]) < 19:  # later versions decode metadata without errors
        settings["metadata_errors"] = "ignore"
    return av.open(file, "r", **settings)
