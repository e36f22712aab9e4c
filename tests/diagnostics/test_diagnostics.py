from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from ldslearn.datasets import Collection, load_basic_motions, make_dynamic_textures
from ldslearn.diagnostics import clips as clips_module
from ldslearn.diagnostics import diagnostics as diagnostics_module
from ldslearn.diagnostics import similarity as similarity_module
from ldslearn.diagnostics.atom_use import measure_atom_use
from ldslearn.diagnostics.code_examples import choose_code_examples
from ldslearn.diagnostics.diagnostics import compute_diagnostics
from ldslearn.drawing.sampling import space_evenly
from ldslearn.evaluate import Settings, evaluate, parse_protocol
from ldslearn.geometry import (
    finite_projection_kernel,
    martin_distance,
    martin_kernel,
    pairwise_kernel,
    projection_kernel,
    symmetric_kernel,
    twofold_kernel,
)
from ldslearn.geometry.fitted_kernels import sum_terms
from ldslearn.models import LDSEncoder
from ldslearn.report.diagnostic_sections import format_diagnostics
from ldslearn.video import to_sequence

X, Y, Z, W = load_basic_motions()
MOTIONS = Collection(
    [*X, *Z], [*Y, *W], split=["train"] * 40 + ["test"] * 40, names=[f"m{i}" for i in range(80)]
)


def diagnose(data, method, protocol="folds:2", **options):
    first = []
    settings = Settings(atoms=4, time_budget=1.0)
    outer = parse_protocol(protocol)
    record = evaluate(
        data, method, outer, settings=settings, on_first=first.append, **options
    )  # fmt: skip
    assert len(first) == 1
    return record, first[0], compute_diagnostics(data, first[0], settings, record["misclassified"])


@pytest.fixture(scope="module")
def coded():
    return diagnose(MOTIONS, "lds-sc-grass", "split", n_states=3, sparsity=0.1, delays=2)


@pytest.fixture(scope="module")
def textures():
    videos, kinds = make_dynamic_textures(n_per_class=4, size=12, n_frames=30, random_state=0)
    return Collection([to_sequence(video) for video in videos], kinds, frame_shape=(12, 12))


def test_similarity_is_the_kernel_of_the_method(coded):
    found = coded[2].similarity
    K = projection_kernel(LDSEncoder(3, delays=2).fit_transform(MOTIONS.X))
    order = np.argsort(MOTIONS.y, kind="stable")
    np.testing.assert_allclose(found.kernel, K[np.ix_(order, order)], atol=1e-10)
    assert found.kernel_labels == tuple(sorted(MOTIONS.y))
    assert found.labels == tuple(MOTIONS.y)
    assert found.kernel_name == "projection kernel"
    assert found.n_sequences == 80
    # Classical scaling: no other plane keeps more of the centred kernel.
    J = np.eye(80) - 1 / 80
    values = np.linalg.eigvalsh(J @ K @ J)[::-1]
    np.testing.assert_allclose((found.points**2).sum(axis=0), values[:2], rtol=1e-8)
    kept = np.linalg.norm(J @ K @ J - found.points @ found.points.T)
    assert kept == pytest.approx(np.linalg.norm(values[2:]), rel=1e-8)


def _martin_similarity(systems):
    squares = martin_distance(systems) ** 2
    return np.exp(-squares / np.median(squares[~np.eye(len(squares), dtype=bool)]))


def _covariance_mixture(systems):
    weights = {"symmetric": 0.25, "skew": 0.25, "covariance": 0.5}
    return pairwise_kernel(systems, kernel=weights)


@pytest.mark.filterwarnings("ignore:the kernel matrix is indefinite")
@pytest.mark.parametrize(
    ("method", "name", "kernel"),
    [
        ("lds-martin", "exp(\N{MINUS SIGN}d²/m) of the Martin distance d, m the median of d²",
         _martin_similarity),
        ("lds-sc-martin", "Martin kernel, bandwidth 200",
         lambda systems: martin_kernel(systems, psd="ignore")),
        (
            "lds-svm",
            "Martin kernel, bandwidth 200",
            lambda systems: martin_kernel(systems, psd="ignore"),
        ),
        ("glds-sc", "finite kernel, order 5",
         lambda systems: finite_projection_kernel(systems, order=5)),
        ("glds-dl", "finite kernel, order 5",
         lambda systems: finite_projection_kernel(systems, order=5)),
        ("lds-dl", "mixture of kernels with weights: symmetric 0.5, skew 0.5", twofold_kernel),
        ("ldsst-dl", "symmetric kernel", symmetric_kernel),
        ("covlds-dl", "mixture of kernels with weights: symmetric 0.25, covariance 0.5, skew 0.25",
         _covariance_mixture),
    ],
)  # fmt: skip
def test_the_kernel_is_that_of_the_method(method, name, kernel):
    found = diagnose(MOTIONS, method, "split", n_states=3, sparsity=0.1)[2].similarity
    systems = LDSEncoder(3, delays=2).fit_transform(MOTIONS.X)
    order = np.argsort(MOTIONS.y, kind="stable")
    np.testing.assert_allclose(found.kernel, kernel(systems)[np.ix_(order, order)], atol=1e-8)
    assert found.kernel_name == name


def test_random_systems_have_a_map_and_no_eigenvalues():
    _, first, found = diagnose(MOTIONS, "random-systems", "split")
    features = first.fit.estimator.compute_features(MOTIONS.X)
    order = np.argsort(MOTIONS.y, kind="stable")
    kernel = features @ features.T / features.shape[1]
    np.testing.assert_allclose(found.similarity.kernel, kernel[np.ix_(order, order)], atol=1e-9)
    assert found.similarity.kernel_name == "inner product of the scaled features of random systems"
    assert found.eigenvalues == {}
    titles = [section.heading for section in format_diagnostics(found)]
    assert titles[0] == "Similarity"
    assert "Eigenvalues" not in titles


def test_the_kernel_of_auto_is_its_mixture(monkeypatch):
    _, first, found = diagnose(MOTIONS, "auto", "split")
    pipeline = first.fit.pipeline
    kernel = (
        pipeline[-1].kernel_ if hasattr(pipeline[-1], "kernel_") else pipeline[-1].coder_.kernel_
    )
    order = np.argsort(MOTIONS.y, kind="stable")
    # Rows of training sequences, as the classifier has them.
    training = np.flatnonzero(MOTIONS.split[order] == "train")
    own = np.argsort(first.known.y, kind="stable")
    part = found.similarity.kernel[np.ix_(training, training)]
    systems = pipeline[:-1].transform(first.known.X)
    gram = sum_terms(kernel.parts, systems, systems, None)
    np.testing.assert_allclose(part, gram[np.ix_(own, own)], rtol=1e-6, atol=1e-8)
    weights = first.fit.report["chosen"]["weights"]
    name = found.similarity.kernel_name
    assert all(part in name for part in weights)
    assert ("mixture" in name) == (len(weights) > 1)


def test_systems_too_large_for_a_map_are_thinned(monkeypatch):
    monkeypatch.setattr(diagnostics_module, "_MOST_NUMBERS", 1)
    monkeypatch.setattr(diagnostics_module, "MOST_POINTS", 60)
    found = diagnose(MOTIONS, "lds-sc-grass", "split", n_states=3, sparsity=0.1)[2].similarity
    assert len(found.labels) == 60
    assert found.n_sequences == 80


def test_mistakes_of_sensors_are_their_channels(coded):
    record, _, found = coded
    assert len(found.mistakes) == min(12, len(record["misclassified"])) > 0
    deviations = np.concatenate(MOTIONS.X, axis=1).std(axis=1)
    for one in found.mistakes:
        (entry,) = (e for e in record["misclassified"] if e["name"] == one.name)
        assert (one.label, one.predicted) == (entry["label"], entry["predicted"])
        assert one.probability == entry["probability"]
        sequence = MOTIONS.X[entry["index"]]
        expected = (sequence - sequence.mean(axis=1, keepdims=True)) / deviations[:, None]
        np.testing.assert_allclose(one.lines, expected)
        assert one.times.tolist() == list(range(100))
        assert one.frames is None


def test_large_matrices_are_thinned_evenly(monkeypatch):
    monkeypatch.setattr(similarity_module, "_MOST_ROWS", 20)
    found = diagnose(MOTIONS, "lds-martin", "split", n_states=3)[2].similarity
    assert found.kernel.shape == (20, 20)
    assert [found.kernel_labels.count(label) for label in MOTIONS.classes] == [5] * 4
    assert len(found.points) == 80


@pytest.mark.parametrize(("n", "most"), [(3, 5), (5, 5), (1000, 7), (6, 5)])
def test_indices_are_spaced_evenly(n, most):
    found = space_evenly(n, most)
    assert len(np.unique(found)) == len(found) == min(n, most)
    assert found[0] == 0
    assert found[-1] == n - 1
    assert np.ptp(np.diff(found)) <= 1


def test_eigenvalues_before_and_after(coded):
    before, after = coded[2].eigenvalues.values()
    assert list(coded[2].eigenvalues) == ["as fitted", "stabilized (soft)"]
    raw = LDSEncoder(3, delays=2, stabilizer="none").fit_transform(MOTIONS.X)
    np.testing.assert_allclose(
        np.sort_complex(before), np.sort_complex(np.linalg.eigvals(raw.A).ravel())
    )
    assert len(after) == len(before) == 240
    assert np.abs(after).max() < 1
    plain = diagnose(MOTIONS, "lds-martin", "split", n_states=3, encoder={"stabilizer": "none"})[2]
    assert list(plain.eigenvalues) == ["as fitted"]


def test_eigenvalues_outside_the_circle_are_included(textures):
    found = diagnose(textures, "lds-martin", n_states=6)[2]
    before, after = found.eigenvalues.values()
    raw = LDSEncoder(6, stabilizer="none").fit_transform(textures.X)
    assert np.abs(before).max() == pytest.approx(raw.spectral_radius.max())
    assert np.abs(before).max() > 1 > np.abs(after).max()


def test_atom_use_counts_both_signs():
    codes = np.array([[3.0, 0.0, 0.0], [-3.0, 1.0, 0.0], [1.0, -4.0, 0.0]])

    class Steps:
        dictionary_ = SimpleNamespace(transform=lambda _: codes)

        def __getitem__(self, index):
            return self if index == -1 else SimpleNamespace(transform=lambda X: X)

    known = Collection(list(X[:3]), ["a", "a", "b"])
    use = measure_atom_use(Steps(), known)
    assert use.users == ("a", "b", "a")
    np.testing.assert_allclose(use.sizes, [4, 4.5, 0])
    np.testing.assert_allclose(use.shares, [3 / 4, 4 / 4.5, 0])


def test_codes_are_those_of_the_classifier(coded):
    record, first, diagnostics = coded
    n_wrong = round((1 - record["accuracy"]) * 40)
    wrong = [one for one in diagnostics.codes if one.label != one.predicted]
    assert len(diagnostics.codes) == 6
    assert len(wrong) == min(3, n_wrong) > 0
    codes = first.fit.pipeline[-1].codes_for(first.fit.pipeline[0].transform(first.unknown.X))
    for one in diagnostics.codes:
        index = first.unknown.names.index(one.name)
        assert one.label == first.unknown.y[index]
        assert one.predicted == first.predicted[index]
        assert one.n_nonzero == np.count_nonzero(codes[index])
        sizes = np.abs(one.coefficients)
        assert (np.diff(sizes) <= 0).all()
        assert sizes.sum() == pytest.approx(np.sort(np.abs(codes[index]))[::-1][:8].sum())
        for value, atom in zip(one.coefficients, one.atoms, strict=True):
            training = first.known.names.index(atom.name)
            assert codes[index, training] == pytest.approx(value)
            assert atom.label == first.known.y[training]


@pytest.mark.filterwarnings("ignore:.* sequences are shorter than")
def test_sequences_too_short_to_encode_are_omitted():
    # The automatic method labels them nevertheless.
    y = [*Y, *W]
    short = [z[:, :1] if k in (3, 7) else z for k, z in enumerate(Z)]  # for any encoding
    data = Collection([*X, *short], y, split=["train"] * 40 + ["test"] * 40)
    record, _, found = diagnose(data, "auto", "split")
    assert sum(map(sum, record["confusion"])) == 40
    assert len(found.similarity.labels) == 78


def test_codes_of_sequences_long_enough(coded):
    _, first, _ = coded
    unknown = replace(first.unknown, X=[x[:, :4] for x in first.unknown.X[:39]] + [X[0]])
    found = choose_code_examples(first.fit.pipeline, first.known, unknown, first.predicted)
    assert [one.name for one in found] == [unknown.names[39]]


def test_methods_without_codes_or_frames_have_none():
    found = diagnose(MOTIONS, "lds-martin", "split", n_states=3)[2]
    assert found.codes == found.clips == found.atoms == ()


@pytest.mark.parametrize("method", ["lds-dl", "covlds-dl", "ldsst-dl"])
def test_clips_and_atoms(textures, method):
    _, first, found = diagnose(textures, method, n_states=3, sparsity=0.1)
    assert [clip.label for clip in found.clips] == textures.classes
    for clip in found.clips:
        video = textures.X[textures.names.index(clip.name)].T.reshape(-1, 12, 12)[:16]
        assert clip.frames.shape == clip.simulated.shape == (16, 12, 12)
        shares = clip.frames / 255
        low, high = np.percentile(video, [0.5, 99.5])
        np.testing.assert_allclose(shares, np.clip((video - low) / (high - low), 0, 1), atol=0.03)
        assert np.ptp(clip.simulated) > 50
        # New sequences start at random, not where the recorded one does.
        still = video.mean(axis=0).ravel()
        starts = (clip.simulated[0].ravel() / 255, shares[0].ravel())
        apart = [start - (still - low) / (high - low) for start in starts]
        assert np.corrcoef(*apart)[0, 1] < 0.9
    dictionary = first.fit.pipeline[-1].dictionary_
    codes = np.abs(dictionary.transform(first.fit.pipeline[0].transform(first.known.X)))
    assert len(found.atoms) == codes.shape[1]
    for atom in found.atoms:
        means = {c: codes[first.known.y == c, atom.number - 1].mean() for c in textures.classes}
        assert means[atom.used_by] == max(means.values())
        assert atom.share == pytest.approx(max(means.values()) / (sum(means.values()) or 1))
        assert atom.simulated.shape == (16, 12, 12)
    names = {one.name for example in found.codes for one in example.atoms}
    assert names <= {f"atom {k + 1}" for k in range(codes.shape[1])}


def test_subspaces_have_codes_but_no_clips(textures):
    found = diagnose(textures, "glds-dl", n_states=3, sparsity=0.1)[2]
    assert found.codes
    assert found.clips
    assert found.atoms == ()


def test_large_and_coloured_frames_shrink(textures, monkeypatch):
    # Twenty-four films, and up to twelve of misclassified sequences.
    monkeypatch.setattr(clips_module, "_PIXELS", 16 * 36 * 12 * 12 // 4)
    found = diagnose(textures, "lds-martin", n_states=3)[2]
    video = textures.X[0].T.reshape(-1, 6, 2, 6, 2).mean(axis=(2, 4))[:16]
    assert found.clips[0].frames.shape == (16, 6, 6)
    first = next(clip for clip in found.clips if clip.name == textures.names[0])
    assert np.corrcoef(first.frames.ravel(), video.ravel())[0, 1] > 0.99
    coloured = Collection(
        [np.repeat(x, 3, axis=0) for x in textures.X], textures.y, frame_shape=(12, 12, 3)
    )
    again = diagnose(coloured, "lds-martin", n_states=3)[2]
    assert again.clips[0].frames.shape[1:] == (6, 6)


def test_the_automatic_method_has_diagnostics():
    found = diagnose(MOTIONS, "auto", "split")[2]
    assert len(found.similarity.points) == 80
    assert found.eigenvalues
