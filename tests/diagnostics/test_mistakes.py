import numpy as np
import pytest

from ldslearn.datasets import Collection, make_dynamic_textures
from ldslearn.diagnostics.mistakes import choose_mistakes, extract_mistakes
from ldslearn.drawing.sampling import space_evenly
from ldslearn.sequences.moments import pooled_deviations
from ldslearn.video import to_sequence


def test_mistakes_of_long_and_wide_sequences_are_thinned():
    sequence = np.random.default_rng(0).normal(size=(50, 5000))
    data = Collection([sequence, -sequence])
    chosen = [{"index": 0, "name": "x", "label": "a", "predicted": "b", "probability": None,
               "margin": 0.5}]  # fmt: skip
    (one,) = extract_mistakes(data, chosen)
    assert one.lines.shape == (6, 200)
    assert one.n_channels == 50
    scaled = (sequence - sequence.mean(axis=1, keepdims=True)) / pooled_deviations(data.X)[:, None]
    assert one.lines.max() == pytest.approx(scaled[space_evenly(50, 6)].max())
    assert one.lines.min() == pytest.approx(scaled[space_evenly(50, 6)].min())
    assert (np.diff(one.times) > 0).all()
    assert one.times[-1] < 5000


def test_mistakes_of_videos_are_their_frames():
    videos, kinds = make_dynamic_textures(n_per_class=1, size=12, n_frames=30, random_state=0)
    textures = Collection([to_sequence(v) for v in videos], kinds, frame_shape=(12, 12))
    entries = [
        {"index": k, "name": f"n{k}", "label": "a", "predicted": "b", "probability": 0.5,
         "margin": None} for k in (3, 5)
    ]  # fmt: skip
    found = extract_mistakes(textures, entries)
    for one, k in zip(found, (3, 5), strict=True):
        video = textures.X[k].T.reshape(-1, 12, 12)[:16]
        assert one.frames.shape == (16, 12, 12)
        assert np.corrcoef(one.frames.ravel(), video.ravel())[0, 1] > 0.98
        assert one.lines is None


def test_different_mistakes_are_chosen_first():
    pairs = [("a", "b")] * 30 + [("b", "a"), ("a", "c")]
    entries = [
        {"index": k, "label": label, "predicted": predicted}
        for k, (label, predicted) in enumerate(pairs)
    ]
    chosen = [one["index"] for one in choose_mistakes([*entries, *entries])]
    assert len(chosen) == len(set(chosen)) == 12
    assert chosen[:3] == [0, 30, 31]
