"""Small copies of the paper's data sets in the layouts in which they are distributed.

Every clip carries its identity in its pixels, so that a test can tell whether the right pixels
reached the right sequence.
"""

import numpy as np
from PIL import Image
from scipy.io import savemat

from ldslearn.video import write_video

TRAFFIC = ["light", "medium", "heavy"]


def quadrants(*values, n_frames=2):
    """(n_frames, 16, 16) video: three numbers from 0 to 23 and the frame in its four quarters.

    Quarters are JPEG blocks of one grey each: they survive compression but for a grey or two.
    """
    frames = np.empty((n_frames, 16, 16), np.uint8)
    frames[:, :8, :8], frames[:, :8, 8:], frames[:, 8:, :8] = (10 * value + 5 for value in values)
    frames[:, 8:, 8:] = (10 * np.arange(n_frames) + 5)[:, None, None]
    return frames


def identity(sequence):
    """The three numbers and the frames of a sequence made by :func:`quadrants`."""
    video = sequence.T.reshape(-1, 16, 16)[:, 4::8, 4::8].reshape(-1, 4)
    numbers = ((video - 5) / 10).round().astype(int)
    assert np.abs(video - (10 * numbers + 5)).max() <= 3
    assert (numbers[:, :3] == numbers[0, :3]).all()
    return tuple(numbers[0, :3].tolist()), numbers[:, 3].tolist()


def coded(index, shape=(4, 4), n_frames=5):
    """(height, width, n_frames) array as MATLAB has it, every entry different, index in all."""
    return index * 1000.0 + np.arange(np.prod(shape) * n_frames).reshape(*shape, n_frames)


def cells(values):
    """A 1 x N cell array for savemat."""
    array = np.empty((1, len(values)), object)
    for index, value in enumerate(values):
        array[0, index] = value
    return array


def write_frames(folder, video, suffix=".jpg"):
    folder.mkdir(parents=True)
    for number, frame in enumerate(video):
        Image.fromarray(frame).save(folder / f"frame-{number:04d}{suffix}", quality=95)


def write_cambridge(root, per_set=2):
    """Set1/0000/0000/frame-0000.jpg, ...; quadrants (set - 1, class, sequence)."""
    for part in range(5):
        for label in range(9):
            for number in range(per_set):
                home = root / f"Set{part + 1}" / f"{label:04d}" / f"{number:04d}"
                write_frames(home, quadrants(part, label, number))
    return root


def clip_name(index):
    return f"cctv052x2004080516x{1637 + index:05d}"


def write_trafficdb(root, n_clips=254, video=False, unused=()):
    """ImageMaster and EvalSet_*, 1-based; clip i is of class i % 3, in the test part of i % 4.

    Clips `unused` are in no trial.
    """
    root.mkdir(exist_ok=True)
    indices = range(1, n_clips + 1)
    lines = [f"{i}\t{clip_name(i)}\t{TRAFFIC[i % 3]}" for i in indices]
    (root / "ImageMaster").write_text("\n".join(["#index\troot\tclass", *lines, ""]))
    used = [i for i in indices if i not in unused]
    trains = [[i for i in used if i % 4 != trial % 4] for trial in range(1, 5)]
    tests = [[i for i in used if i % 4 == trial % 4] for trial in range(1, 5)]
    for part, rows in (("train", trains), ("test", tests)):
        text = "".join(",".join(map(str, row)) + "\n" for row in rows)
        (root / f"EvalSet_{part}").write_text(text)
    if video:
        (root / "video").mkdir()
        for i in indices:
            frames = quadrants(i % 24, i % 3, i % 4, n_frames=3)
            write_video(root / "video" / f"{clip_name(i)}.avi", frames)
    else:
        savemat(root / "traffic_patches.mat", {"imgdb": cells([coded(i) for i in indices])})
    return root


def write_trafficdb_mat(root, n_clips=254):
    """Replace the text files of trafficdb by their .mat twins."""
    write_trafficdb(root, n_clips)
    parts = {}
    for part in ("train", "test"):
        path = root / f"EvalSet_{part}"
        rows = [[int(i) for i in line.split(",")] for line in path.read_text().split()]
        parts[f"{part}ind"] = cells([np.array([row]) for row in rows])
        path.unlink()
    savemat(root / "EvalSet.mat", parts)
    entries = [{"root": clip_name(i), "class": TRAFFIC[i % 3]} for i in range(1, n_clips + 1)]
    savemat(root / "ImageMaster.mat", {"imagemaster": cells(entries)})
    (root / "ImageMaster").unlink()
    return root


def write_ucla_patches(root, n_clips=200, labels=None):
    root.mkdir(exist_ok=True)
    contents = {"imgdb": cells([coded(i) for i in range(n_clips)])}
    if labels is not None:
        contents["imagemaster"] = cells([{"class": label} for label in labels])
    savemat(root / "ucla_patches.mat", contents)
    return root


def write_dyntexpp_info(root, n_classes, per_class, label="class"):
    """dyntex++_info.mat beside files/0001.mat, ..., classes "texture 1", ... mixed in order."""
    (root / "files").mkdir(parents=True)
    entries = []
    for number in range(n_classes * per_class):
        filepath = f"files/{number + 1:04d}.mat"
        savemat(root / filepath, {"subv": coded(number, (6, 6), 12)})
        entries.append({"filepath": filepath, label: f"texture {number % n_classes + 1}"})
    savemat(root / "dyntex++_info.mat", {"imagemaster": cells(entries)})
    return root
