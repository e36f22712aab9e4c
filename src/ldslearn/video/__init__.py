"""Video in and out: frames to sequences and back."""

from ldslearn.video.frames import to_sequence, to_video

__all__ = ["to_sequence", "to_video"]
