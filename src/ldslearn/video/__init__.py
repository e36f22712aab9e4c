"""Videos: read and write files, turn frames into sequences and back, LBP-TOP histograms.

Files are decoded in `reading` by the settings in `frame_options`.
"""

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
