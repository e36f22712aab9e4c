"""Plots with matplotlib: each function draws into an axes and returns it."""

from ldslearn.plot.codes import plot_code, plot_path, plot_residuals
from ldslearn.plot.curves import plot_lines
from ldslearn.plot.dictionary import plot_columns, plot_objective
from ldslearn.plot.forecast import plot_forecast
from ldslearn.plot.frames import plot_frames
from ldslearn.plot.matrix import plot_matrix
from ldslearn.plot.silhouettes import plot_silhouettes
from ldslearn.plot.stability import plot_eigenvalues, plot_soft_normalisation

__all__ = [
    "plot_code",
    "plot_columns",
    "plot_eigenvalues",
    "plot_forecast",
    "plot_frames",
    "plot_lines",
    "plot_matrix",
    "plot_objective",
    "plot_path",
    "plot_residuals",
    "plot_silhouettes",
    "plot_soft_normalisation",
]
