"""An immutable batch of linear dynamical systems, the input of all estimators after the encoder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldslearn import _errors
from ldslearn._arrays import damaged_contents
from ldslearn._types import Floats
from ldslearn.models.batch_files import parse_batch, read_batch, write_batch
from ldslearn.models.coordinates import are_equivalent, change_coordinates, check_orthogonal
from ldslearn.models.inference import InferenceBatch
from ldslearn.models.lds_html import render_systems
from ldslearn.models.spectrum import LARGEST_RADIUS, spectral_radius


@dataclass(frozen=True, eq=False, repr=False)
class LDS(InferenceBatch):
    r"""An immutable batch of N linear dynamical systems, Equation (1).

    The arrays are checked and copied once, and are read-only afterwards. A single system may be
    given without the batch axis; the batch then has length one. Batches have a length, are indexed
    by integers (which keep a batch of one), slices, masks and index arrays, and can be split by
    scikit-learn.

    Parameters
    ----------
    A : (N, n_states, n_states) array
        Transition matrices.
    C : (N, n_channels, n_states) array
        Measurement matrices with orthonormal columns.
    B : (N, n_states, n_noise) array, optional
        Process noise: :math:`v(t)` is standard normal.
    mean : (N, n_channels) array, optional
        Mean of the observations.
    x0 : (N, n_states) array, optional
        First state.
    noise_variance : (N, n_channels) or (N,) array, optional
        Variances of the measurement noise :math:`w(t)` of the channels, which is independent
        between channels. One for all channels is spread: the attribute is always
        (N, n_channels).
    deviation : (N, n_channels) array, optional
        Standard deviations of the observations, positive; used by `deviation_kernel`.
        Observability subspaces do not depend on them.
    delays : int, default=1
        How many consecutive samples a measurement stacks (:func:`ldslearn.sequences.hankel`);
        `simulate` and `forecast` return samples of ``n_channels / delays`` channels.
    allow_unstable : bool, default=False
        Whether kernels and distances accept unstable systems. Their Gramian series diverges; the
        solution of the Stein equation is used instead. Set by ``LDSEncoder(stabilizer="none")``.
    windows : int, default=1
        Systems per sequence, one for each of its windows. The arrays then hold ``N * windows``
        systems, those of a sequence side by side; `len` and indices count sequences, kernels are
        means over aligned windows, and ``window(k)`` is a batch of single systems.

    Notes
    -----
    .. math:: x(t+1) = A x(t) + B v(t), \qquad y(t) = C x(t) + w(t) + \mathrm{mean}.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 4.1. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> from ldslearn import LDS
    >>> systems = LDS(A=[[[0.5]], [[0.9]]], C=[[[1.0], [0.0]], [[0.6], [0.8]]], x0=[[1.0], [1.0]])
    >>> systems
    LDS(2 systems, n_channels=2, n_states=1, with x0)
    >>> systems.spectral_radius
    array([0.5, 0.9])
    >>> systems[1].simulate(3).round(3)
    array([[[0.6  , 0.54 , 0.486],
            [0.8  , 0.72 , 0.648]]])
    """

    @classmethod
    def concatenate(cls, batches: Sequence[LDS]) -> Self:
        """Return one batch of several with the same sizes and fields.

        Parameters
        ----------
        batches : sequence of LDS

        Returns
        -------
        LDS
        """
        if not batches:
            raise _errors.invalid_parameter("batches", "hold at least one LDS batch", batches)
        batches = [as_systems(batch, f"batch {index}") for index, batch in enumerate(batches)]
        first = batches[0]
        for index, batch in enumerate(batches):
            if batch._layout != first._layout:
                raise _errors.invalid(
                    f"batch {index}",
                    f"have the layout of batch 0, {first._layout}",
                    batch._layout,
                    "Encode all sequences with the same parameters.",
                )
        return cls._from_trusted(
            **first._settings,
            **{
                name: np.concatenate([batch._arrays[name] for batch in batches])
                for name in first._arrays
            },
        )

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return render_systems(self)

    @property
    def spectral_radius(self) -> Floats:
        """Largest eigenvalue modulus of each A, shape (N,)."""
        return self._compute_once("spectral radius", self._compute_radius)

    def _compute_radius(self) -> Floats:
        radius = spectral_radius(self.A)
        radius.flags.writeable = False
        return radius

    @property
    def is_stable(self) -> NDArray[np.bool_]:
        """Whether each spectral radius is below 1 by more than rounding, shape (N,)."""
        return self.spectral_radius < LARGEST_RADIUS

    def change_basis(self, P: ArrayLike) -> Self:
        r"""Return the same systems in other coordinates, :math:`(P^\top A P, C P)` of Sec. 4.3.

        Parameters
        ----------
        P : (n_states, n_states) or (N, n_states, n_states) array
            Orthogonal, so that `C` keeps orthonormal columns.

        Returns
        -------
        LDS
        """
        self._check_one_window()
        P = np.asarray(P, dtype=np.float64)
        check_orthogonal(P, len(self), self.n_states)
        return self._from_trusted(**self._settings, **change_coordinates(self._arrays, P))

    def equivalent(self, other: LDS, *, atol: float = 1e-8) -> NDArray[np.bool_]:
        """Return which systems equal those of `other` up to an orthogonal change of basis.

        `A` and `C` are compared, and of the other fields those which both batches have (`B` through
        ``B B'``, on which the distribution of the process depends).

        Parameters
        ----------
        other : LDS
            Of the same shape.
        atol : float, default=1e-8
            Absolute tolerance.

        Returns
        -------
        (N,) array of bool
        """
        self._check_one_window()
        if self.shape != other.shape:
            raise _errors.invalid_parameter("other", f"have shape {self.shape}", other.shape)
        if self.delays != other.delays:
            return np.zeros(len(self), dtype=bool)
        return are_equivalent(self._arrays, other._arrays, atol)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write arrays and a JSON header to one file; an existing file is replaced atomically.

        Parameters
        ----------
        path : path-like
        """
        write_batch(path, self._settings, self._arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return a batch written by :meth:`save`; nothing in the file is ever executed.

        Parameters
        ----------
        path : path-like

        Returns
        -------
        LDS
        """
        contents = read_batch(path)
        try:
            return cls(**parse_batch(*contents))
        except (_errors.InputTypeError, ValueError) as error:
            raise damaged_contents(path, error) from error


def as_systems(systems: Any, name: str = "systems", *, at_least_one: bool = False) -> LDS:
    """Return `systems` if it is an LDS batch, or raise an error that says what it is."""
    if not isinstance(systems, LDS):
        raise _errors.InputTypeError(
            f"{name} must be an LDS batch; got {type(systems).__name__}. "
            + (
                "Use as many of its systems as memory holds: store[:1000]."
                if type(systems).__name__ == "LDSStore"
                else "Encode sequences with LDSEncoder first."
            )
        )
    if at_least_one and len(systems) == 0:
        raise _errors.invalid_parameter(name, "hold at least one system", systems)
    return systems
