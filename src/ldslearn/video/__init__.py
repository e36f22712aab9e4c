"""Video in and out: files to frames, frames to sequences and back, texture descriptors."""

from ldslearn.video.frames import to_sequence, to_video
from ldslearn.video.lbp import lbp_top
from ldslearn.video.motion import crop_to_motion
from ldslearn.video.reading import read_frames, read_video
from ldslearn.video.writing import write_video

__all__ = [
    "crop_to_motion",
    "lbp_top",
    "read_frames",
    "read_video",
    "to_sequence",
    "to_video",
    "write_video",
]
