"""Pictures of single systems of the user guide; ``make.py`` writes them."""

import numpy as np
from matplotlib.figure import Figure

from ldslearn import LDS, LDSEncoder
from ldslearn.datasets import load_basic_motions
from ldslearn.geometry import martin_distance, projection_distance
from ldslearn.plot import plot_eigenvalues, plot_forecast

BLUE, ORANGE, GREEN = "#2f6db0", "#d9742b", "#3c8f5a"


def draw_system():
    """A sequence, the eigenvalues of its system, and a forecast by it."""
    _, _, X, y = load_basic_motions()
    past, future = np.split(X[y == "Walking"][[2]], [80], axis=2)
    systems = LDSEncoder(10, delays=8, stabilizer="wls").fit_transform(past)
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    left, middle, right = figure.subplots(1, 3, width_ratios=[1.1, 1, 1.3])
    left.plot(past[0].T, linewidth=0.9)
    left.set(title="a sequence: six channels", xlabel="time point")
    plot_eigenvalues(systems, middle).set_title("eigenvalues of A of its system")
    forecast = systems.forecast(past, 20)[0]
    plot_forecast(past[0], forecast, right, actual=future[0], channels=[0, 1, 3])
    right.set(title="forecast by the system", xlabel="")
    return figure


def draw_distances():
    """Distances between two oscillating systems as functions of one eigenvalue."""

    def oscillate(radius, angle):
        cosine, sine = radius * np.cos(angle), radius * np.sin(angle)
        A = np.moveaxis(np.array([[cosine, -sine], [sine, cosine]]), -1, 0)
        return LDS(A, np.broadcast_to(np.eye(2), A.shape))

    figure = Figure(figsize=(9, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    angles, radii = np.linspace(0.1, 1.5, 141), np.linspace(0.5, 0.995, 141)
    for radius, colour in ((0.7, GREEN), (0.9, BLUE), (0.99, ORANGE)):
        reference = oscillate(np.array([radius]), np.array([0.8]))
        turned = oscillate(np.full_like(angles, radius), angles)
        grown = oscillate(radii, np.full_like(radii, 0.8))
        for ax, x, others in ((left, angles, turned), (right, radii, grown)):
            ax.plot(x, projection_distance(reference, others)[0], color=colour,
                    label=f"modulus {radius}")  # fmt: skip
            ax.plot(x, martin_distance(reference, others)[0], "--", color=colour)
    left.set(xlabel="angle of the other system's eigenvalue", ylabel="distance", ylim=(0, 4.6))
    left.set_title("reference: angle 0.8")
    right.set(xlabel="modulus of the other system's eigenvalue", ylim=(0, 4.6))
    right.set_title("equal angles")
    right.plot([], [], "-", color="black", label="projection distance")
    right.plot([], [], "--", color="black", label="Martin distance")
    left.legend(loc="upper center", ncols=3, fontsize="small")
    right.legend(*(part[-2:] for part in right.get_legend_handles_labels()), fontsize="small")
    return figure
