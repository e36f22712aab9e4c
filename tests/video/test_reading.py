import io
import os
import re
import shlex
from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps

from ldslearn.video import read_frames, read_video, write_video
from ldslearn.video.converting import (
    DEFAULT_FRAME,
    FrameConverter,
    shrink_shape,
    tabulate_grey,
)
from ldslearn.video.frame_options import FrameOptions
from ldslearn.video.reading import natural_key, read_clips
from ldslearn.video.resizing import resize

SMOOTH = np.add.outer(np.arange(12) * 5.0, np.add.outer(np.arange(18.0), np.arange(25.0) * 3))


def literal_resize(frame, size):
    """Mean of what each new pixel covers, weights falling off linearly with the distance."""
    out = np.zeros(size)
    scale = [old / new for old, new in zip(frame.shape, size, strict=True)]
    for i in range(size[0]):
        for j in range(size[1]):
            total = 0.0
            for a in range(frame.shape[0]):
                for b in range(frame.shape[1]):
                    far = (
                        abs(a + 0.5 - (i + 0.5) * scale[0]) / max(scale[0], 1),
                        abs(b + 0.5 - (j + 0.5) * scale[1]) / max(scale[1], 1),
                    )
                    weight = max(0, 1 - far[0]) * max(0, 1 - far[1])
                    out[i, j] += weight * frame[a, b]
                    total += weight
            out[i, j] /= total
    return out


@given(
    shape=st.tuples(st.integers(1, 7), st.integers(1, 7)),
    size=st.tuples(st.integers(1, 7), st.integers(1, 7)),
)
def test_resizing_is_the_literal_mean(shape, size):
    frame = np.random.default_rng(0).random(shape) * 255
    np.testing.assert_allclose(resize(frame, size), literal_resize(frame, size), atol=1e-3)


def test_resizing_keeps_constants_and_own_size():
    frame = np.random.default_rng(0).random((9, 7, 3)).astype(np.float32)
    np.testing.assert_array_equal(resize(frame, (9, 7)), frame)
    np.testing.assert_allclose(resize(np.full((31, 17), 7.0), (5, 40)), 7.0, rtol=1e-6)


def test_large_frames_are_resized_like_small_ones(monkeypatch):
    frame = np.random.default_rng(0).integers(0, 256, (300, 400, 3)).astype(np.uint8)
    found = resize(frame, (30, 50))
    monkeypatch.setattr("ldslearn.video.resizing._LARGE", frame.size)
    np.testing.assert_allclose(found, resize(frame, (30, 50)), rtol=1e-5)


def test_frames_stay_bytes_until_a_clip_is_whole(tmp_path):
    options = FrameOptions()
    frames = list(options.apply(iter([np.full((4, 5), 200, dtype=np.uint8)] * 3), tmp_path))
    assert [frame.dtype for frame in frames] == [np.uint8] * 3
    clip = options.finish(frames, tmp_path)
    assert (clip.shape, clip.dtype) == ((3, 4, 5), np.float32)
    assert (clip == 200).all()


def test_shrinking_has_no_aliases():
    stripes = np.tile([0.0, 255.0], 24)[None].repeat(48, axis=0)
    assert np.ptp(resize(stripes, (12, 12))[:, 1:-1]) < 3


@pytest.mark.parametrize(("suffix", "error"), [(".avi", 5), (".mkv", 0.51), (".mp4", 12)])
@pytest.mark.parametrize("colour", [False, True])
def test_what_is_written_is_read(tmp_path, suffix, error, colour):
    video = SMOOTH if not colour else np.stack([SMOOTH, 255 - SMOOTH, SMOOTH / 2], axis=-1)
    write_video(tmp_path / f"a{suffix}", video)
    found = read_video(tmp_path / f"a{suffix}", colour=colour)
    assert found.dtype == np.float32
    assert found.shape == video.shape
    np.testing.assert_allclose(found, video, atol=error)


def test_gif(tmp_path):
    write_video(tmp_path / "a.gif", SMOOTH)
    np.testing.assert_allclose(read_video(tmp_path / "a.gif"), SMOOTH, atol=0.51)


def test_values_are_clipped(tmp_path):
    write_video(tmp_path / "a.mkv", np.stack([np.full((4, 4), -9.0), np.full((4, 4), 300.0)]))
    assert read_video(tmp_path / "a.mkv").mean(axis=(1, 2)).tolist() == [0, 255]


def test_crop_stride_length_size(tmp_path):
    write_video(tmp_path / "a.mkv", SMOOTH)
    whole = read_video(tmp_path / "a.mkv")
    found = read_video(tmp_path / "a.mkv", crop=(2, 3, 8, 10), stride=3, length=2)
    np.testing.assert_array_equal(found, whole[:4:3, 2:10, 3:13])
    small = read_video(tmp_path / "a.mkv", size=(6, 5))
    np.testing.assert_allclose(small, [resize(frame, (6, 5)) for frame in whole])
    with pytest.raises(ValueError, match=r"a.mkv must have frames that hold crop=\(2, 3, 80, 10\)"):
        read_video(tmp_path / "a.mkv", crop=(2, 3, 80, 10))


@pytest.mark.parametrize(
    ("n_frames", "lengths"), [(12, [5, 5]), (13, [5, 5, 3]), (10, [5, 5]), (2, [2])]
)
def test_chunks(tmp_path, n_frames, lengths):
    video = np.arange(n_frames)[:, None, None] * np.ones((4, 4)) * 10
    write_video(tmp_path / "a.mkv", video)
    clips = list(read_clips(tmp_path / "a.mkv", FrameOptions(length=5), chunk=True))
    assert [len(clip) for clip in clips] == lengths
    np.testing.assert_allclose(np.concatenate(clips), video[: sum(lengths)], atol=0.6)


@pytest.mark.parametrize("suffix", ["png", "jpg", "bmp", "pgm", "tif"])
def test_folders_of_images_in_natural_order(tmp_path, suffix):
    for number in (10, 2, 1):
        Image.fromarray(np.full((8, 8), number * 9, np.uint8)).save(
            tmp_path / f"frame{number}.{suffix}"
        )
    (tmp_path / "notes.md").write_text("no picture")
    (tmp_path / f"._frame1.{suffix}").write_text("what one system leaves behind")
    found = read_frames(tmp_path)
    np.testing.assert_allclose(found.mean(axis=(1, 2)), [9, 18, 90], atol=2)


def test_images_of_two_sizes_need_size(tmp_path):
    for number in (4, 8):
        Image.fromarray(np.zeros((number, number), np.uint8)).save(tmp_path / f"{number}.png")
    with pytest.raises(ValueError, match=r"frames of one size; got \(4, 4\) and \(8, 8\)"):
        read_frames(tmp_path)
    assert read_frames(tmp_path, size=(3, 3)).shape == (2, 3, 3)


def test_natural_order():
    names = ["f10", "f9", "f09b", "a", "10", "9"]
    assert sorted(names, key=natural_key) == ["9", "10", "a", "f9", "f09b", "f10"]
    assert sorted(["٣", "3", "²"], key=natural_key)[0] == "3"  # other digits are letters here


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello" * 100,
        b"#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:9,\nother.avi\n#EXT-X-ENDLIST\n",
        b"ffconcat version 1.0\nfile 'other.avi'\n",
    ],
)
def test_no_video_and_no_playlist(tmp_path, content):
    write_video(tmp_path / "other.avi", SMOOTH)
    (tmp_path / "a.avi").write_bytes(content)
    with pytest.raises(
        ValueError, match="a.avi must be a video or image; got (a text|an empty file)"
    ):
        read_video(tmp_path / "a.avi")


@pytest.mark.parametrize("share", [0.5, 0.8])
def test_truncated_video_without_a_count_of_frames(tmp_path, share):
    write_video(tmp_path / "a.mkv", np.random.default_rng(0).integers(0, 255, (40, 16, 16)))
    content = (tmp_path / "a.mkv").read_bytes()
    (tmp_path / "a.mkv").write_bytes(content[: int(share * len(content))])
    with pytest.warns(UserWarning, match=r"a.mkv is at .* of the 1.60 seconds that it promises"):
        assert len(read_video(tmp_path / "a.mkv")) < 40


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_images_stand_upright(tmp_path, orientation):
    mark = Image.Exif()
    mark[0x0112] = orientation
    values = np.linspace(0, 250, 800).astype(np.uint8).reshape(20, 40)
    Image.fromarray(values).save(tmp_path / "0.jpg", exif=mark, quality=95)
    upright = np.asarray(ImageOps.exif_transpose(Image.open(tmp_path / "0.jpg")))
    np.testing.assert_allclose(read_frames(tmp_path)[0], upright, atol=2)


@pytest.mark.parametrize("colour", [False, True])
def test_pixels_of_sixteen_bits_keep_their_digits(tmp_path, colour):
    values = np.arange(800, dtype=np.uint16).reshape(20, 40) * 5
    Image.fromarray(values).save(tmp_path / "0.png")
    read = read_frames(tmp_path, colour=colour)[0]
    expected = np.repeat(values[..., None] / 257, 3, axis=2) if colour else values / 257
    np.testing.assert_allclose(read, expected, atol=1e-4)


@pytest.mark.parametrize("suffix", [".png", ".mkv"])
def test_grey_of_colours(tmp_path, suffix):
    colours = np.zeros((1, 16, 48, 3), np.uint8)
    for part in range(3):
        colours[:, :, 16 * part : 16 * part + 16, part] = 255
    if suffix == ".png":
        Image.fromarray(colours[0]).save(tmp_path / "0.png")
        grey = read_frames(tmp_path)[0]
    else:
        write_video(tmp_path / "a.mkv", colours.repeat(3, axis=0))
        grey = read_video(tmp_path / "a.mkv")[0]
    np.testing.assert_allclose(grey[8, [8, 24, 40]], [76, 150, 29], atol=2)  # ITU-R 601


def test_values_are_rounded_not_cut(tmp_path):
    write_video(tmp_path / "a.mkv", np.full((3, 16, 16), 99.7))
    np.testing.assert_array_equal(read_video(tmp_path / "a.mkv"), 100)


def test_truncated_video(tmp_path):
    write_video(tmp_path / "a.avi", np.random.default_rng(0).random((30, 32, 32)) * 255)
    data = (tmp_path / "a.avi").read_bytes()
    (tmp_path / "a.avi").write_bytes(data[: len(data) // 2])
    with pytest.raises(ValueError, match="a.avi must be a whole video"):
        read_video(tmp_path / "a.avi")
    assert len(read_video(tmp_path / "a.avi", length=5)) == 5


def test_the_command_in_the_message_works_where_the_user_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = Path("my clips", "first one.mp4")
    path.parent.mkdir()
    write_video(path, SMOOTH)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ValueError, match="must be a whole video or image") as caught:
        read_video(path)
    (command,) = re.findall("`(.*)`", str(caught.value))
    _, _, source, _ = shlex.split(command)
    assert command.startswith("ffmpeg -i ")
    assert Path(source) == path


def promise(path, n_frames):
    """Make an AVI file say that it has so many frames."""
    data = bytearray(path.read_bytes())
    for place in (data.index(b"avih") + 24, data.index(b"strh") + 40):
        data[place : place + 4] = n_frames.to_bytes(4, "little")
    path.write_bytes(data)


@pytest.mark.parametrize("promised", [14, 100])
def test_fewer_frames_than_promised(tmp_path, promised):
    write_video(tmp_path / "a.avi", SMOOTH)
    promise(tmp_path / "a.avi", promised)
    message = rf"a.avi must be a whole video; got 12 of the {promised} frames it promises\.$"
    with pytest.raises(ValueError, match=message):
        read_video(tmp_path / "a.avi")


def test_containers_may_be_off_by_a_frame(tmp_path):
    write_video(tmp_path / "a.avi", SMOOTH)
    promise(tmp_path / "a.avi", 13)
    assert len(read_video(tmp_path / "a.avi")) == 12


def jpeg(**options):
    pixels = np.random.default_rng(0).integers(0, 255, (64, 64, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", **options)
    return file.getvalue()


def with_thumbnail(data):
    """The same JPEG with a small one, start, end and all, in a segment of its own."""
    small = jpeg(quality=1)
    return data[:2] + b"\xff\xe1" + (len(small) + 2).to_bytes(2, "big") + small + data[2:]


JPEGS = {
    "plain": jpeg(),
    "progressive": jpeg(progressive=True),
    "with restarts": jpeg(restart_marker_blocks=2),
    "with thumbnail": with_thumbnail(jpeg()),
}


@pytest.mark.parametrize("kind", JPEGS)
@pytest.mark.parametrize("share", [0.5, 0.99])
def test_cut_off_jpegs(tmp_path, kind, share):
    data = JPEGS[kind]
    (tmp_path / "0.jpg").write_bytes(data)
    (tmp_path / "1.jpg").write_bytes(data + b"what some cameras append")
    assert read_frames(tmp_path).shape == (2, 64, 64)
    (tmp_path / "2.jpg").write_bytes(data[: int(share * len(data))])
    with pytest.raises(ValueError, match="2.jpg must be a whole image; got a JPEG without its end"):
        read_frames(tmp_path)


def test_an_image_without_a_picture(tmp_path, monkeypatch):
    Image.fromarray(np.zeros((8, 8), np.uint8)).save(tmp_path / "0.png")
    monkeypatch.setattr("ldslearn.video.reading._decode", lambda path, options: iter(()))
    with pytest.raises(ValueError, match=r"0.png must be a whole image; got no picture in it"):
        read_frames(tmp_path)


@pytest.mark.parametrize("name", ["a.avi", "0.png"])
def test_pipes_are_refused(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(ValueError, match=f"{name} must be a regular file; got a pipe or device"):
        read_video(tmp_path / name) if name == "a.avi" else read_frames(tmp_path)


def test_frames_are_not_made_far_larger_than_they_are(tmp_path):
    """As a forged model would ask for."""
    write_video(tmp_path / "a.mkv", SMOOTH)
    with pytest.raises(ValueError, match=r"of the pixels of size=\(10000, 10000\); got frames of"):
        read_video(tmp_path / "a.mkv", size=(10_000, 10_000))
    assert read_video(tmp_path / "a.mkv", size=(512, 512), length=1).shape == (1, 512, 512)


def test_sizes_are_refused_before_memory_is_allocated(tmp_path, monkeypatch):
    write_video(tmp_path / "a.mkv", SMOOTH)
    monkeypatch.setenv("LDSLEARN_MAX_BYTES", str(5000))
    with pytest.raises(
        ValueError,
        match=r"take at most .* --size 48x64 .*\(stride or length",
    ):
        read_video(tmp_path / "a.mkv")
    monkeypatch.setenv("LDSLEARN_MAX_BYTES", str(5 * SMOOTH[0].size * 4))
    assert len(read_video(tmp_path / "a.mkv", length=5)) == 5
    clips = read_clips(tmp_path / "a.mkv", FrameOptions(length=2), chunk=True)
    assert [len(next(clips)), len(next(clips))] == [2, 2]
    with pytest.raises(ValueError, match=r"fewer of them \(stride\); LDSLEARN_MAX_BYTES allows"):
        next(clips)
    monkeypatch.setattr("ldslearn.video.reading._LARGEST_FRAME", 100)
    with pytest.raises(ValueError, match="got frames of 25 x 18 pixels"):
        read_video(tmp_path / "a.mkv", length=1)


def test_bad_arguments(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_video(tmp_path / "nothing.avi")
    with pytest.raises(ValueError, match="must be a folder of images"):
        read_frames(tmp_path / "nothing")
    with pytest.raises(ValueError, match="must hold at least one frame; got none"):
        read_frames(tmp_path)
    for options, message in (
        ({"size": (0, 3)}, "each number of size must be an integer of at least 1"),
        ({"size": (48, 10_001)}, "each number of size must be at most 10000; got 10001"),
        ({"crop": (0, 10**9, 1, 1)}, "each number of crop must be at most 10000"),
        ({"size": 48}, r"size must be \(height, width\)"),
        ({"crop": (1, 2)}, r"crop must be \(top, left, height, width\)"),
        ({"stride": 0}, "stride must"),
        ({"length": 0}, "length must"),
    ):
        with pytest.raises(ValueError, match=message):
            read_video(tmp_path / "nothing.avi", **options)
    assert FrameOptions(size=(1, 10_000)).size == (1, 10_000)
    with pytest.raises(ValueError, match="suffix of a video must be one of '.avi'"):
        write_video(tmp_path / "a.txt", SMOOTH)
    with pytest.raises(ValueError, match="video must have shape"):
        write_video(tmp_path / "a.avi", SMOOTH[0])
    assert not list(tmp_path.iterdir())


def test_a_mistake_of_ours_is_no_broken_file(tmp_path, monkeypatch):
    write_video(tmp_path / "a.mkv", SMOOTH)
    monkeypatch.setattr(FrameConverter, "convert", lambda self, frame: frame + self.colour)
    with pytest.raises(TypeError, match="unsupported operand"):
        read_video(tmp_path / "a.mkv")


def test_arguments_that_pyav_does_not_know_are_no_broken_file(tmp_path, monkeypatch):
    import av

    write_video(tmp_path / "a.mkv", SMOOTH)
    monkeypatch.setattr(av, "open", lambda file, mode: None)  # of a version to come
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        read_video(tmp_path / "a.mkv")


def test_texts_in_another_encoding_are_skipped(tmp_path):
    write_video(tmp_path / "a.mkv", SMOOTH)
    data = (tmp_path / "a.mkv").read_bytes()
    (tmp_path / "a.mkv").write_bytes(data.replace(b"Lavf", b"\xe9\xe8\xff\xfe"))
    assert len(read_video(tmp_path / "a.mkv")) == len(SMOOTH)


def test_large_frames_are_scaled_while_they_are_decoded(tmp_path):
    large = np.broadcast_to(np.linspace(0, 250, 1920), (3, 1080, 1920))
    write_video(tmp_path / "a.mkv", large)
    with pytest.warns(UserWarning, match="1080 x 1920 pixels are scaled to 360 x 640, as no size"):
        video = read_video(tmp_path / "a.mkv")
    assert video.shape == (3, 360, 640)
    expected = resize(large[0], (360, 640))
    np.testing.assert_allclose(video[0, :, 5:-5], expected[:, 5:-5], atol=2)
    whole = read_video(tmp_path / "a.mkv", size=(1080, 1920), length=1)  # asked for: no warning
    np.testing.assert_allclose(whole[0], large[0], atol=2)
    assert read_video(tmp_path / "a.mkv", crop=(0, 0, 1080, 1900), length=1).shape[2] == 1900


@given(height=st.integers(1, 10_000), width=st.integers(1, 10_000))
def test_large_frames_keep_their_proportions(height, width):
    short, long = sorted(shrink_shape(height, width))
    assert short * long <= DEFAULT_FRAME
    assert min(short, long) >= 1
    if max(height, width) < 20 * min(height, width) and height * width > 2**20:
        assert long / short == pytest.approx(max(height, width) / min(height, width), rel=0.02)
        assert short * long > 0.95 * DEFAULT_FRAME


def test_one_conversion_context_serves_frames_of_a_file(tmp_path, monkeypatch):
    made = []
    original = FrameConverter.__init__

    def count(self, *settings):
        made.append(self)
        original(self, *settings)

    monkeypatch.setattr(FrameConverter, "__init__", count)
    write_video(tmp_path / "a.mkv", SMOOTH)
    assert len(read_video(tmp_path / "a.mkv")) == 12
    assert len(made) == 1


@pytest.mark.parametrize("color_range", [0, 1, 2])
@pytest.mark.parametrize("colorspace", [1, 2, 5])  # BT.709, in which grey depends on chroma, others
@pytest.mark.parametrize(
    "name", ["gray", "nv12", "yuv420p", "yuv444p", "yuvj422p", "pal8", "rgb24"]
)
def test_grey_of_small_frames_is_that_of_ffmpeg(name, colorspace, color_range):
    frame = av.VideoFrame(38, 22, name)  # rows are padded
    random = np.random.default_rng(0)
    for plane in frame.planes:
        plane.update(random.bytes(plane.buffer_size))
    frame.color_range, frame.colorspace = color_range, colorspace
    expected = frame.to_ndarray(format="gray")
    assert np.ptp(expected) > 100
    found = FrameConverter(colour=False, may_shrink=True).convert(frame)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("name", "colorspace", "expected"),
    [("yuv420p", 2, True), ("nv12", 5, True), ("yuv420p", 1, False), ("pal8", 2, False)],
)
def test_grey_has_a_table_where_it_depends_on_luma_alone(name, colorspace, expected):
    assert (tabulate_grey(name, 2, colorspace) is not None) == expected


def test_frames_from_the_bottom_up(tmp_path):
    """Decoders turn Motion JPEG upside down if a comment says that an old library wrote it."""
    picture = np.zeros((48, 64), dtype=np.uint8)
    picture[:20, 30:] = 200
    comment = b"Intel(R) JPEG Library, version 1.51\0"
    segment = b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment
    path = tmp_path / "old.avi"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mjpeg", rate=25)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuvj420p"
        frame = av.VideoFrame.from_ndarray(picture, format="gray").reformat(format="yuvj420p")
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            data = bytes(packet)
            changed = av.Packet(data[:2] + segment + data[2:])
            changed.stream, changed.time_base = stream, packet.time_base
            changed.pts, changed.dts, changed.is_keyframe = packet.pts, packet.dts, True
            container.mux(changed)
    with av.open(str(path)) as container:
        (frame,) = container.decode(video=0)
        assert frame.planes[0].line_size < 0
        expected = frame.to_ndarray(format="gray")
    np.testing.assert_array_equal(read_video(path), expected[None])


def test_writing_values_from_zero_to_one_warns(tmp_path):
    """They are almost black; black frames and integers are meant as they are."""
    with pytest.warns(UserWarning, match=r"a\.mkv is almost black: .* Multiply them by 255"):
        write_video(tmp_path / "a.mkv", np.full((3, 8, 8), 0.5))
    with pytest.warns(UserWarning, match=r"a\.mkv is almost black: its values are from 0 to 1 of"):
        write_video(tmp_path / "a.mkv", np.eye(8, dtype=bool)[None])
    write_video(tmp_path / "b.mkv", np.zeros((3, 8, 8)))
    write_video(tmp_path / "c.mkv", np.ones((3, 8, 8), dtype=np.uint8))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_videos_of_missing_values_are_not_written(tmp_path, value):
    frames = np.full((3, 8, 8), 100.0)
    frames[1, 2, 3] = value
    with pytest.raises(ValueError, match="video must have finite values from 0 to 255; got NaN or"):
        write_video(tmp_path / "a.avi", frames)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("size", [None, (4, 4)])
def test_cropped_frames_do_not_keep_the_whole_ones(size):
    options = FrameOptions(size, crop=(2, 3, 8, 8))
    frame = np.zeros((100, 100), dtype=np.uint8)
    (cropped,) = options.apply([frame], "0.mkv")
    assert not np.shares_memory(cropped, frame)
