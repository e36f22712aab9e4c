import numpy as np
import pytest

from ldslearn.datasets import make_dynamic_textures

KINDS = ("waves", "flame", "foliage", "flag", "rotating", "drifting")

# Every parameter of every kind, with a value away from its default.
OTHER_VALUES = {
    "waves": {"wavelength": 0.5, "speed": 0.05, "direction": 0.0, "spread": 5.0},
    "flame": {"speed": 0.06, "turbulence": 0.3, "height": 0.6, "width": 0.3},
    "foliage": {"leaf": 0.3, "sway": 0.5, "frequency": 0.05},
    "flag": {"wavelength": 0.3, "speed": 0.06, "amplitude": 0.1, "stripes": 4},
    "rotating": {"blades": 3, "speed": 0.03, "twist": 0.0},
    "drifting": {"wavelength": 0.6, "speed": 0.03, "direction": 90.0, "cover": 0.8},
}
PARAMETERS = [(kind, name) for kind, values in OTHER_VALUES.items() for name in values]


def one_video(kind, **options):
    options = {"jitter": 0, "noise": 0, "random_state": 0} | options
    return make_dynamic_textures([kind], 1, **options)[0][0]


def step_size(videos):
    """Root mean square difference of consecutive frames."""
    return np.sqrt(np.mean(np.diff(videos, axis=-3) ** 2))


def strongest_cycle(video):
    """Whole cycles over the video, of the strongest oscillation above the pinwheel's hub."""
    pixels = video[:, : video.shape[1] // 3]
    power = np.abs(np.fft.rfft(pixels - pixels.mean(axis=0), axis=0)) ** 2
    return int(np.argmax(power.mean(axis=(1, 2))))


def spectrum(video):
    """Log amplitude by spatial frequency, mean over frames: blind to grey level and position."""
    amplitude = np.abs(np.fft.rfft2(video - video.mean())).mean(axis=0)
    return np.log(amplitude[:, :16] + 1e-3).ravel()


# What comes out


@pytest.mark.parametrize("size", [8, 32, (8, 20), (24, 16), 256])
def test_shapes_dtypes_and_range(size):
    height, width = (size, size) if isinstance(size, int) else size
    videos, labels = make_dynamic_textures(n_per_class=1, size=size, n_frames=2, random_state=0)
    assert videos.shape == (6, 2, height, width)
    assert videos.dtype == np.float32
    assert np.isfinite(videos).all()
    assert videos.min() >= 0
    assert videos.max() <= 1
    assert labels.dtype.kind == "U"
    assert labels.tolist() == list(KINDS)


def test_labels_follow_the_order_of_kinds():
    _, labels = make_dynamic_textures(["flag", "waves"], 3, size=8, n_frames=2, random_state=0)
    assert labels.tolist() == ["flag"] * 3 + ["waves"] * 3


def test_strong_noise_is_clipped():
    videos, _ = make_dynamic_textures(n_per_class=1, size=8, noise=5.0, random_state=0)
    assert videos.min() == 0
    assert videos.max() == 1


def test_noise_has_the_given_standard_deviation():
    clean = one_video("rotating", noise=0)
    noisy = one_video("rotating", noise=0.02)
    inside = (clean > 0.15) & (clean < 0.85)
    np.testing.assert_allclose((noisy - clean)[inside].std(), 0.02, rtol=0.05)


# Randomness


def test_same_seed_same_videos_other_seed_other_videos():
    first, again, other = (
        make_dynamic_textures(n_per_class=2, size=16, random_state=seed, noise=0)[0]
        for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(first, again)
    assert (np.abs(first - other).mean(axis=(1, 2, 3)) > 0.01).all()


def test_videos_of_a_class_differ_even_without_jitter():
    videos, _ = make_dynamic_textures(n_per_class=2, size=16, jitter=0, noise=0, random_state=0)
    assert (np.abs(videos[::2] - videos[1::2]).mean(axis=(1, 2, 3)) > 0.01).all()


def test_random_state_and_generator_are_accepted():
    options = {"kinds": ["waves"], "n_per_class": 1, "size": 8}
    expected, _ = make_dynamic_textures(**options, random_state=0)
    actual, _ = make_dynamic_textures(**options, random_state=np.random.RandomState(0))
    np.testing.assert_array_equal(actual, expected)

    generator = np.random.default_rng(0)
    first, _ = make_dynamic_textures(**options, random_state=generator)
    second, _ = make_dynamic_textures(**options, random_state=generator)
    again, _ = make_dynamic_textures(**options, random_state=np.random.default_rng(0))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, second)


def test_global_random_state_is_untouched():
    before = np.random.get_state()  # noqa: NPY002
    make_dynamic_textures(n_per_class=1, size=8, random_state=0)
    # The position in the stream counts too: a single draw moves it and leaves the keys alone.
    for left, right in zip(before, np.random.get_state(), strict=True):  # noqa: NPY002
        np.testing.assert_array_equal(left, right)


def test_a_video_depends_on_seed_kind_and_index_only():
    many, labels = make_dynamic_textures(["waves", "foliage", "flame"], 3, size=16, random_state=7)
    few, _ = make_dynamic_textures(["flame"], 2, size=16, random_state=7)
    np.testing.assert_array_equal(many[labels == "flame"][:2], few)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_a_longer_video_begins_with_the_shorter(kind, seed):
    longer, shorter = (one_video(kind, n_frames=n, random_state=seed) for n in (60, 10))
    np.testing.assert_allclose(longer[:10], shorter, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_the_scene_is_the_same_at_twice_the_size(kind):
    small, large = one_video(kind, size=32), one_video(kind, size=64)
    shrunk = large.reshape(60, 32, 2, 32, 2).mean(axis=(2, 4))
    assert np.corrcoef(small.ravel(), shrunk.ravel())[0, 1] > 0.95


# What the videos look like


@pytest.mark.parametrize("kind", KINDS)
def test_motion_is_present_and_smooth(kind):
    video = one_video(kind, random_state=1)
    # Two frames far apart in time differ by sqrt(2) standard deviations.
    far_apart = np.sqrt(2 * np.mean(video.var(axis=0)))
    assert far_apart > 0.05
    assert step_size(video) < 0.5 * far_apart


@pytest.mark.parametrize("kind", KINDS)
def test_motion_is_stationary(kind):
    videos, _ = make_dynamic_textures([kind], 20, n_frames=120, noise=0, random_state=0)
    early, late = videos[:, :60], videos[:, 60:]
    np.testing.assert_allclose(step_size(late), step_size(early), rtol=0.15)
    np.testing.assert_allclose(late.mean(), early.mean(), rtol=0.05)


def test_kinds_are_distinguished_by_their_spectra():
    videos, labels = make_dynamic_textures(n_per_class=10, random_state=0)
    features = np.stack([spectrum(video) for video in videos])
    distances = np.linalg.norm(features[:, None] - features[None], axis=-1)
    np.fill_diagonal(distances, np.inf)
    nearest = labels[np.argmin(distances, axis=1)]
    assert np.mean(nearest == labels) > 0.95


# Parameters


@pytest.mark.parametrize(("kind", "name"), PARAMETERS)
def test_every_parameter_changes_the_video(kind, name):
    changed = one_video(kind, parameters={kind: {name: OTHER_VALUES[kind][name]}})
    assert np.abs(changed - one_video(kind)).mean() > 0.01


def test_parameters_of_one_kind_leave_the_others_alone():
    options = {"n_per_class": 1, "size": 16, "random_state": 0}
    plain, labels = make_dynamic_textures(**options)
    changed, _ = make_dynamic_textures(**options, parameters={"flag": {"speed": 0.06}})
    differs = np.abs(changed - plain).max(axis=(1, 2, 3)) > 0
    assert labels[differs].tolist() == ["flag"]


@pytest.mark.parametrize(("kind", "name"), [pair for pair in PARAMETERS if pair[1] == "speed"])
def test_faster_videos_change_faster(kind, name):
    slow, fast = (one_video(kind, parameters={kind: {name: speed}}) for speed in (0.005, 0.02))
    assert step_size(fast) > 1.3 * step_size(slow)


@pytest.mark.parametrize(("direction", "axis", "sign"), [(0, 2, 1), (180, 2, -1), (90, 1, 1)])
def test_clouds_drift_in_their_direction(direction, axis, sign):
    parameters = {"drifting": {"direction": direction, "speed": 2 / 64}}
    video = one_video("drifting", size=64, parameters=parameters)
    # Two pixels a frame, seen away from the border over which np.roll wraps.
    shifts = [(shift, across) for across in (1, 2) for shift in range(-4, 5)]
    errors = [
        np.abs(np.roll(video[:-1], shift, across) - video[1:])[:, 8:-8, 8:-8].mean()
        for shift, across in shifts
    ]
    assert shifts[int(np.argmin(errors))] == (2 * sign, axis)


@pytest.mark.parametrize(
    ("blades", "speed", "cycles"), [(5, 0.01, 10), (3, 0.01, 6), (4, 0.03, 24)]
)
def test_pinwheel_turns_at_its_speed(blades, speed, cycles):
    parameters = {"rotating": {"blades": blades, "speed": speed}}
    assert strongest_cycle(one_video("rotating", n_frames=200, parameters=parameters)) == cycles


def test_jitter_spreads_parameters_and_zero_keeps_them():
    same, spread = (
        make_dynamic_textures(["rotating"], 8, n_frames=200, jitter=jitter, random_state=0)[0]
        for jitter in (0, 0.5)
    )
    assert {strongest_cycle(video) for video in same} == {10}
    assert len({strongest_cycle(video) for video in spread}) >= 4


def test_jittered_counts_stay_whole():
    # Speed and twist stay 0. A wheel of 4.3 blades would show a seam left of its hub, where the
    # angle jumps from -pi to pi: between rows 101 and 102 of 256.
    wheels, _ = make_dynamic_textures(
        ["rotating"],
        8,
        size=256,
        n_frames=2,
        jitter=0.5,
        noise=0,
        parameters={"rotating": {"speed": 0, "twist": 0}},
        random_state=0,
    )
    assert np.abs(wheels[:, 0, 101, 45:85] - wheels[:, 0, 102, 45:85]).max() < 0.15


# Mistakes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"kinds": ["waves", "lava"]},
            r"^each of kinds must be one of 'waves', 'flame', 'foliage', 'flag', 'rotating', "
            r"'drifting'; got 'lava'\.$",
        ),
        (
            {"kinds": "waves"},
            r"^kinds must be a sequence of distinct names; got 'waves'\. Choose from waves, flame,",
        ),
        ({"kinds": []}, r"^kinds must be a sequence of distinct names; got \[\]\."),
        (
            {"kinds": ["flag", "flag"]},
            r"^kinds must be a sequence of distinct names; got \['flag', 'flag'\]\.",
        ),
        (
            {"parameters": {"lava": {}}},
            r"^each key of parameters must be one of 'waves', .*; got 'lava'\.",
        ),
        (
            {"parameters": {"rotating": {"sped": 1}}},
            r"^each key of parameters\['rotating'\] must be one of 'blades', 'speed', 'twist'; "
            r"got 'sped'\. Did you mean 'speed'\?$",
        ),
        (
            {"parameters": {"waves": {"speed": 7}}},
            r"^parameters\['waves'\]\['speed'\] must be a number from -1 to 1; got 7\. "
            r"The default is 0\.015\.$",
        ),
        (
            {"parameters": {"rotating": {"blades": 2.5}}},
            r"^parameters\['rotating'\]\['blades'\] must be a whole number from 1 to 16; "
            r"got 2\.5\. The default is 5\.$",
        ),
        (
            {"size": (8, 8, 8)},
            r"^size must be a whole number or a pair \(height, width\); got \(8, 8, 8\)\. "
            r"Pass for instance size=\(24, 32\)\.$",
        ),
        ({"size": 7}, r"^size must be a whole number 8 or more; got 7\. The default is 32\.$"),
        ({"size": (8, 7)}, r"^size must be a whole number 8 or more; got 7\."),
        ({"n_frames": 1}, r"^n_frames must be a whole number 2 or more; got 1\."),
        ({"n_frames": 9.5}, r"^n_frames must be a whole number 2 or more; got 9\.5\."),
        ({"n_per_class": 0}, r"^n_per_class must be a whole number 1 or more; got 0\."),
        ({"jitter": 1.5}, r"^jitter must be a number from 0 to 1; got 1\.5\."),
        ({"noise": -0.1}, r"^noise must be a number 0 or more; got -0\.1\."),
        ({"noise": float("nan")}, r"^noise must be a number 0 or more; got nan\."),
        ({"noise": float("inf")}, r"^noise must be a number 0 or more; got inf\."),
    ],
)
def test_mistakes_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        make_dynamic_textures(**options)
