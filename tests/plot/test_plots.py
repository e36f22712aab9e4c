import numpy as np
import pytest
from matplotlib.figure import Figure

from ldslearn import LDS
from ldslearn.coding import sparse_path
from ldslearn.plot import (
    plot_code,
    plot_columns,
    plot_eigenvalues,
    plot_forecast,
    plot_frames,
    plot_lines,
    plot_matrix,
    plot_objective,
    plot_path,
    plot_residuals,
    plot_soft_normalisation,
)


@pytest.fixture
def ax():
    return Figure().subplots()


def rotate(modulus):
    return modulus * np.array([[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]])


def test_eigenvalues_are_drawn_where_they_are(ax):
    A = np.stack([rotate(0.5), rotate(1.5)])
    assert plot_eigenvalues(LDS(A, np.broadcast_to(np.eye(3, 2), (2, 3, 2))), ax) is ax
    points, outside = (np.asarray(collection.get_offsets()) for collection in ax.collections)
    expected = np.linalg.eigvals(A).ravel()
    np.testing.assert_allclose(points, np.stack([expected.real, expected.imag], axis=1))
    np.testing.assert_allclose(np.hypot(*outside.T), 1.5)
    assert ax.get_legend_handles_labels()[1] == ["2 do not decay"]


def test_stable_eigenvalues_have_no_marks(ax):
    plot_eigenvalues(LDS(rotate(0.5), np.eye(3, 2)), ax, color="tab:green")
    assert len(ax.collections) == 1


def test_two_batches_of_eigenvalues_in_one_axes(ax):
    for radius, label in ((1.5, "before"), (0.5, "after")):
        plot_eigenvalues(LDS(rotate(radius), np.eye(3, 2)), ax, label=label)
    assert min(max(ax.get_xlim()), max(ax.get_ylim())) > 1.5
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["before", "2 do not decay", "after"]


def test_soft_normalisation_curves(ax):
    assert plot_soft_normalisation(ax, scales=(3.0,), values=np.array([0.5, 4.0])) is ax
    s, after = ax.lines[0].get_data()
    np.testing.assert_allclose(after, 2 / (1 + np.exp(-3 * s)) - 1)
    assert s.max() > 4


def test_forecast_continues_the_past(ax):
    random = np.random.default_rng(0)
    past, ahead = random.standard_normal((3, 20)), random.standard_normal((3, 5))
    assert plot_forecast(past, ahead, ax, actual=ahead, channels=[2, 0]) is ax
    assert ax.get_legend_handles_labels()[1] == ["past", "actual", "forecast"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["channel 2", "channel 0"]
    x, y = ax.lines[2].get_data()
    np.testing.assert_array_equal(x, np.arange(19, 25))
    np.testing.assert_allclose(np.diff(y), np.diff(np.append(past[2, -1], ahead[2])))


def test_forecasts_have_a_band(ax):
    past, ahead = np.random.default_rng(0).standard_normal((2, 3, 20))
    past[1, 4] = np.nan
    plot_forecast(past, ahead, ax, interval=(ahead - 1, ahead + 1), channels=[1])
    assert ax.get_legend_handles_labels()[1] == ["past", "interval", "forecast"]
    (band,) = ax.collections
    heights = band.get_paths()[0].vertices[:, 1]
    offset = -np.interp(range(20), np.delete(np.arange(20), 4), np.delete(past[1], 4)).mean()
    np.testing.assert_allclose(heights.max(), ahead[1].max() + 1 + offset)


def test_forecast_of_one_channel(ax):
    past, ahead = np.arange(12.0).reshape(2, 6), np.ones((2, 3))
    plot_forecast(past, ahead, ax, channels=1)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["channel 1"]


def test_frames_stand_side_by_side(ax):
    video = np.random.default_rng(0).random((9, 4, 5))
    assert plot_frames(video, ax, n_shown=3) is ax
    drawn = np.asarray(ax.images[0].get_array())
    assert drawn.shape == (4, 3 * 5 + 2)
    np.testing.assert_array_equal(drawn[:, 6:11], video[4])


def test_integer_frames_are_grey(ax):
    plot_frames(np.full((2, 4, 5), 51, dtype=np.uint8), ax, gap=0)
    np.testing.assert_allclose(np.asarray(ax.images[0].get_array()), 0.2)


def test_a_matrix_is_grouped_by_class(ax):
    K = np.arange(16.0).reshape(4, 4)
    assert plot_matrix(K, ["b", "a", "b", "a"], ax) is ax
    order = [1, 3, 0, 2]
    np.testing.assert_array_equal(np.asarray(ax.images[0].get_array()), K[np.ix_(order, order)])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    np.testing.assert_allclose(ax.get_yticks(), [0.5, 2.5])
    pairs = K[~np.eye(4, dtype=bool)]  # without the diagonal
    np.testing.assert_allclose(ax.images[0].get_clim(), np.percentile(pairs, [5, 95]))


def test_a_matrix_of_one_and_limits_of_the_user(ax):
    plot_matrix(np.array([[3.0]]), ["a"], ax)
    plot_matrix(np.eye(3), list("abc"), ax, vmax=2.0)
    assert ax.images[1].get_clim() == (0.0, 2.0)


def test_a_code_is_drawn_class_by_class(ax):
    assert plot_code(np.array([0.5, 0.0, -0.2, 0.1]), ["b", "a", "a", "b"], ax) is ax
    drawn = {line.get_label(): line.get_data() for line in ax.lines if line.get_marker() == "o"}
    np.testing.assert_array_equal(drawn["a"], [[1], [-0.2]])
    np.testing.assert_array_equal(drawn["b"], [[2, 3], [0.5, 0.1]])
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["a", "b"]


def test_the_smallest_residual_is_that_of_the_prediction(ax):
    assert plot_residuals(np.array([3.0, 1.0, 2.0]), ["a", "b", "c"], ax) is ax
    assert [bar.get_width() for bar in ax.patches] == [3.0, 1.0, 2.0]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["a", "b (predicted)", "c"]


def test_a_path_has_one_line_per_used_atom(ax):
    path = sparse_path(np.eye(3), np.array([1.0, 0.0, -0.5]), 0.01)
    assert plot_path(path, ["a", "a", "b"], ax) is ax
    lines = ax.lines[:-1]
    assert [line.get_label() for line in lines] == ["a", "b"]
    np.testing.assert_allclose(lines[0].get_ydata()[-1], 0.995)
    assert ax.xaxis_inverted()


def test_learning_curves(ax):
    assert plot_objective({"random": [3.0, 2.0], "k-means": [2.5, 2.0, 1.9]}, ax) is ax
    assert [line.get_label() for line in ax.lines] == ["random", "k-means"]
    np.testing.assert_array_equal(ax.lines[1].get_data(), [[0, 1, 2], [2.5, 2.0, 1.9]])


def test_columns_are_images(ax):
    basis = np.random.default_rng(0).standard_normal((3, 12, 2))
    assert plot_columns(basis, (3, 4), ax, gap=2) is ax
    sheet = np.asarray(ax.images[0].get_array().filled(np.nan))
    assert sheet.shape == (3 * 5 - 2, 2 * 6 - 2)
    expected = basis[1, :, 1].reshape(3, 4) / np.abs(basis[1, :, 1]).max()
    np.testing.assert_allclose(sheet[5:8, 6:10], expected)
    assert np.isnan(sheet[3]).all()
    with pytest.raises(ValueError, match=r"at least 20 channels, .* got shape \(3, 12, 2\)"):
        plot_columns(basis, (4, 5), ax)


def test_lines_draw_means_spread_and_names():
    panel = {
        "title": "t", "x_label": "n", "y_label": "accuracy (%)", "percent": True, "log": True,
        "series": [
            {"name": "a", "x": [1, 2], "y": [0.5, 0.75], "spread": [0.1, 0.0]},
            {"name": "b", "x": [1, 2], "y": [0.25, 1.0]},
        ],
    }  # fmt: skip
    ax = plot_lines(panel, Figure().subplots())
    drawn = [container.lines[0].get_ydata().tolist() for container in ax.containers]
    assert drawn == [[50.0, 75.0], [25.0, 100.0]]
    assert ax.get_yscale() == "log"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
    first = ax.containers[0].lines[2][0].get_segments()[0]
    assert first[:, 1].tolist() == [40.0, 60.0]
    with pytest.raises(ValueError, match="panel must be of lines; got table"):
        plot_lines({"panel": "table", "rows": []}, Figure().subplots())
