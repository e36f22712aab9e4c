"""Train a model on all of a collection."""

from dataclasses import replace
from typing import Any

from ldslearn import _errors
from ldslearn._versions import list_versions
from ldslearn.datasets.collection import Collection
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.datasets.summary import summarize_collection
from ldslearn.evaluate.detecting import find_window, fit_detector
from ldslearn.evaluate.fitting import fit_method
from ldslearn.evaluate.label_checks import check_two_classes, no_labels
from ldslearn.evaluate.methods import DEFAULT_METHOD, find_method
from ldslearn.evaluate.settings import Settings
from ldslearn.persist import Model


def train(
    data: Collection,
    method: str = DEFAULT_METHOD,
    *,
    n_states: int | None = None,
    sparsity: float | None = None,
    delays: int | None = None,
    encoder: dict[str, Any] | None = None,
    settings: Settings | None = None,
    parameters: dict[str, Any] | None = None,
) -> Model:
    """Return a model trained on all of a collection.

    Parameters
    ----------
    data : Collection
        With labels, except for the method "novelty".
    method : str, default="auto"
        A name of :data:`~ldslearn.evaluate.METHODS`, or "novelty": a detector of sequences unlike
        these.
    n_states : int, optional
        States of each system; chosen on `data` when not given.
    sparsity : float, optional
        Likewise.
    delays : int, optional
        Stacked samples; by the number of channels when not given.
    encoder : dict, optional
        Further arguments of :class:`~ldslearn.LDSEncoder`.
    settings : Settings, optional
        Parameters of the method.
    parameters : dict, optional
        Where parameters come from, as :meth:`ldslearn.evaluate.Parameters.as_dict` describes it;
        kept in the model as it is.

    Returns
    -------
    Model
        It predicts sequences and files, which it reads with the settings of `data`, and has
        ``save`` and ``load``.

    Examples
    --------
    >>> from ldslearn.datasets import Collection, make_lds_sequences
    >>> from ldslearn.evaluate import train
    >>> data = Collection(*make_lds_sequences(2, 6, random_state=0))
    >>> model = train(data, "lds-sc-grass", n_states=4, sparsity=0.1)
    >>> model.predict(data.X[:2]).tolist()
    ['0', '0']
    """
    chosen_method, settings = find_method(method, detectors=True), settings or Settings()
    reading = _find_reading(data)
    extra = {}
    if chosen_method.detects:
        fit = fit_detector(
            chosen_method, data, settings, n_states=n_states, delays=delays, encoder=encoder
        )
        extra["window"] = find_window(data)
    else:
        if data.y is None:
            raise no_labels(data.names)
        check_two_classes(data)
        fit = fit_method(
            chosen_method, data, settings,
            n_states=n_states, sparsity=sparsity, delays=delays, encoder=encoder,
        )  # fmt: skip
    about = {
        "method": method,
        **fit.as_dict(),
        "parameters": parameters or {},
        "tried": fit.choice.tried,
        "report": fit.report,
        "data": summarize_collection(data),
        "versions": list_versions(),
        **extra,
    }
    return Model(fit.estimator, reading, data.frame_shape, about)


def _find_reading(data: Collection) -> ReadingSettings:
    """Return the options that read new files like those of a collection."""
    try:
        reading = ReadingSettings.from_dict(data.preprocessing)
    except TypeError as error:
        raise _errors.invalid(
            "Collection.preprocessing", "hold options of load_folder", data.preprocessing, ""
        ) from error
    if data.gaps:
        reading = replace(reading, gaps=True)
    if data.channel_names is not None:
        reading = replace(reading, channels=data.channel_names)
    if data.frame_shape is None:
        return reading
    height, width, *colours = data.frame_shape  # new frames of any size become like these
    frames = replace(reading.frames, size=(height, width), colour=bool(colours))
    return replace(reading, frames=frames)
