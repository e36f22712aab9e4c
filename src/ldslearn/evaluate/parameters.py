"""Parameters of a method: those given, else those of the paper, else defaults."""

from dataclasses import dataclass, fields
from typing import Any

from ldslearn import _errors
from ldslearn.evaluate.fitting import check_automatic
from ldslearn.evaluate.methods import METHODS, NOVELTY, Method
from ldslearn.evaluate.published import find_set
from ldslearn.evaluate.settings import Settings

_UNKNOWN = {  # sources of values that are neither given nor printed in the paper
    "n_states": "chosen on training data",
    "delays": "by the number of channels",
    "sparsity": "chosen on training data",
}
_AUTOMATIC = ("n_states", "sparsity", "delays", "stabilizer", "scale")
_DEFAULTS = {
    "stabilizer": "soft",
    "scale": 2.5,
    **{one.name: one.default for one in fields(Settings) if one.name not in _UNKNOWN},
}
_OPTIONS = {"n_states": "states", "time_budget": "budget"}  # on the command line


@dataclass(frozen=True)
class Parameters:
    """Parameters of a method, and where each of them comes from.

    Attributes
    ----------
    values : dict
        By name; None is chosen with the data.
    sources : dict of str to str
        For each "given", "paper, Sec. 9", "default", or how it is chosen with the data.

    See Also
    --------
    ldslearn.evaluate.settle_parameters : Makes them.

    Examples
    --------
    >>> from ldslearn.evaluate import Parameters
    >>> parameters = Parameters({"n_states": 20}, {"n_states": "given"})
    >>> parameters.as_dict()
    {'n_states': {'value': 20, 'from': 'given'}}
    >>> parameters.as_arguments(seed=1)["n_states"]
    20
    """

    values: dict[str, Any]
    sources: dict[str, str]

    def as_arguments(self, seed: int = 0, n_jobs: int | None = None) -> dict[str, Any]:
        """Return them as keyword arguments of :func:`~ldslearn.evaluate.evaluate` and ``train``.

        Parameters
        ----------
        seed : int, default=0
        n_jobs : int or None, default=None

        Returns
        -------
        dict
        """
        known = {one.name for one in fields(Settings)} - {"sparsity"}
        own = {name: value for name, value in self.values.items() if name in known}
        encoder = {
            name: self.values[name] for name in ("stabilizer", "scale") if name in self.values
        }
        return {
            "n_states": self.values.get("n_states"),
            "sparsity": self.values.get("sparsity"),
            "delays": self.values.get("delays"),
            "encoder": encoder,
            "settings": Settings(**own, seed=seed, n_jobs=n_jobs),
            "parameters": self.as_dict(),
        }

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """Return plain values: for each parameter its `value` and where it is `from`.

        Returns
        -------
        dict of str to dict
        """
        return {
            name: {"value": value, "from": self.sources[name]}
            for name, value in self.values.items()
        }


def settle_parameters(
    method: Method, given: dict[str, Any], paper_set: str | None = None
) -> Parameters:
    """Return the parameters of a method: those given, else the paper's, else defaults.

    Parameters
    ----------
    method : Method
    given : dict
        Parameters by name; None is not given. One that the method does not use is an error.
    paper_set : str, optional
        A name of :data:`~ldslearn.evaluate.PAPER_SETS`, whose published parameters are used
        where none are given.

    Returns
    -------
    settled : Parameters

    Examples
    --------
    >>> from ldslearn.evaluate import METHODS, settle_parameters
    >>> found = settle_parameters(METHODS["lds-sc-grass"], {"scale": 3.0}, paper_set="ucla")
    >>> found.values["n_states"], found.sources["n_states"]
    (20, 'paper, Figs. 4 to 10')
    >>> found.values["scale"], found.sources["scale"]
    (3.0, 'given')
    """
    asked = {name: value for name, value in given.items() if value is not None}
    if method.automatic:
        check_automatic({_name_option(name): asked.get(name) for name in _AUTOMATIC})
    for name, value in asked.items():
        if name not in method.parameters:
            raise _refuse_option(method, name, value)
    published = {}
    if paper_set is not None and not method.automatic:
        found = find_set(paper_set).parameters(method.learns_atoms, method.parameters)
        published = {name: pair for name, pair in found.items() if name not in asked}
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for name in method.parameters:
        if name in asked:
            values[name], sources[name] = asked[name], "given"
        elif name in published:
            values[name], sources[name] = published[name][0], f"paper, {published[name][1]}"
        elif name in _UNKNOWN:
            values[name], sources[name] = None, _UNKNOWN[name]
            if method.detects and name == "n_states":  # nothing is chosen without labels
                sources[name] = "ten, or as many as the data allow"
        else:
            values[name], sources[name] = _DEFAULTS[name], "default"
    if values.get("stabilizer", "soft") != "soft":
        if "scale" in asked:
            given_both = "stabilizer" in asked
            source = "" if given_both else f" ({sources['stabilizer']})"
            raise _errors.invalid(
                "--scale", "be given with --stabilizer soft, which alone uses it",
                f"--stabilizer {values['stabilizer']}{source}",
                "Omit one of them." if given_both else "Add --stabilizer soft.",
            )  # fmt: skip
        del values["scale"], sources["scale"]
    return Parameters(values, sources)


def _refuse_option(method: Method, name: str, value: Any) -> ValueError:
    """Return the error for an option that a method does not use, with the methods that do."""
    users = [one.name for one in (*METHODS.values(), NOVELTY) if name in one.parameters]
    who = f"not be given to the method {method.name}"
    if name == "per_class":
        option = "--per-class" if value else "--together"
        reason = ", which always learns atoms per class" if method.learns_atoms else ""
        return ValueError(
            f"{option} must {who}{reason or ', which does not use it'}. "
            f"{'Leave it out; it' if reason else 'It'} is used by {', '.join(users)}."
        )
    return _errors.invalid(
        _name_option(name), f"{who}, which does not use it", value,
        f"It is used by {', '.join(users)}.",
    )  # fmt: skip


def _name_option(name: str) -> str:
    return "--" + _OPTIONS.get(name, name).replace("_", "-")
