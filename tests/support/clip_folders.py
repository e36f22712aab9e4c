"""Folders of small clips, each recognised by the grey level of its first frame."""

import numpy as np
from PIL import Image

from ldslearn.datasets.labels_from_folders import list_folder
from ldslearn.video import write_video


def make_video(level, n_frames=12, size=(8, 10)):
    return np.full((n_frames, *size), float(level)) + np.arange(n_frames)[:, None, None]


def write_two_classes(folder):
    """Write clips of two classes, each with a grey level of its own."""
    for label, level in (("b", 10), ("b", 20), ("a", 30)):
        (folder / label).mkdir(exist_ok=True)
        write_video(folder / label / f"{level}.mkv", make_video(level))
    return folder


def write_images(folder, n_images=2):
    folder.mkdir(parents=True)
    for number in range(n_images):
        Image.fromarray(np.zeros((8, 10), np.uint8)).save(folder / f"{number}.png")


def list_names(path):
    return [item.name for item in list_folder(path)]


def start_levels(data):
    return [round(float(x[0, 0])) for x in data.X]
