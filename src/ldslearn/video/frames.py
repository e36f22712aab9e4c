"""Turn videos into sequences and back: each pixel is a channel."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldslearn import _errors
from ldslearn._checks import check_unmasked


def to_sequence(video: ArrayLike) -> NDArray[Any]:
    """Return a video as a sequence, one channel per pixel.

    Parameters
    ----------
    video : (n_frames, height, width) or (n_frames, height, width, n_colours) array

    Returns
    -------
    (height * width [* n_colours], n_frames) array
        Of the same dtype; a view where possible.

    Examples
    --------
    >>> from ldslearn.datasets import make_dynamic_textures
    >>> from ldslearn.video import to_sequence, to_video
    >>> videos, _ = make_dynamic_textures(["waves"], 1, size=(16, 24), n_frames=30, random_state=0)
    >>> sequence = to_sequence(videos[0])
    >>> sequence.shape
    (384, 30)
    >>> bool((to_video(sequence, (16, 24)) == videos[0]).all())
    True
    """
    check_unmasked("video", video)
    frames = np.asarray(video)
    if frames.ndim not in (3, 4) or (frames.ndim == 4 and frames.shape[3] > 4) or not frames.size:
        raise _errors.invalid(
            "video",
            "have shape (n_frames, height, width) or (n_frames, height, width, 1 to 4 colours)",
            f"shape {frames.shape}",
            "For several videos call to_sequence on each.",
        )
    return frames.reshape(len(frames), -1).T


def to_video(sequence: ArrayLike, frame_shape: tuple[int, ...]) -> NDArray[Any]:
    """Return a sequence as a video, the inverse of :func:`~ldslearn.video.to_sequence`.

    Parameters
    ----------
    sequence : (n_channels, n_timepoints) array
    frame_shape : (height, width) or (height, width, n_colours)
        With height * width [* n_colours] = n_channels.

    Returns
    -------
    (n_timepoints, height, width[, n_colours]) array

    Examples
    --------
    >>> import numpy as np
    >>> from ldslearn.video import to_video
    >>> to_video(np.arange(8).reshape(4, 2), (2, 2)).tolist()
    [[[0, 2], [4, 6]], [[1, 3], [5, 7]]]
    """
    values = np.asarray(sequence)
    if values.ndim != 2 or values.shape[0] != np.prod(frame_shape):
        raise _errors.invalid(
            "sequence",
            f"have shape ({np.prod(frame_shape)}, n_timepoints) for frames of shape {frame_shape}",
            f"shape {values.shape}",
            "Pass one sequence, and the shape of one frame.",
        )
    return values.T.reshape(-1, *frame_shape)
