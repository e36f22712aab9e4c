"""Plans: small files that name an experiment, its data and its parameters."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from ldslearn import _errors
from ldslearn.evaluate.published import PAPER_SETS

COLLECTIONS = "collections"


@dataclass(frozen=True)
class Plan:
    """One table or figure.

    Attributes
    ----------
    name : str
        As on the command line: "fig4", "table4".
    title : str
    experiment : str
        A name of :data:`ldslearn.paper.registry.EXPERIMENTS`.
    data : list of tuple of str
        For each collection its name, then its stand-ins in order of preference.
    parameters : dict
        Of the experiment.
    paper : dict
        Numbers printed in the paper, by collection.
    only : dict
        Parameters of single collections, in place of the others.
    quick : dict
        Parameters of a short run, in place of all.
    exhibit : bool
        Whether the paper has it. "all" are these plans, and claims are tested by these alone.
    """

    name: str
    title: str
    experiment: str
    data: list[tuple[str, ...]]
    parameters: dict[str, Any]
    paper: dict[str, dict[str, Any]]
    only: dict[str, dict[str, Any]] = field(default_factory=dict)
    quick: dict[str, Any] = field(default_factory=dict)
    exhibit: bool = True

    def settings(self, collection: str, quick: bool) -> dict[str, Any]:
        """Return the parameters for one collection; short runs use some of the full values."""
        found = {**self.parameters, **self.only.get(collection, {})}
        for key, value in self.quick.items() if quick else ():
            if isinstance(value, list) and value:
                value = [one for one in value if one in found[key]] or found[key][:1]
            found[key] = value
        return found


def plan_names(exhibits_only: bool = False) -> list[str]:
    """Return the names of plans: figures in their order, other exhibits of the paper, the rest.

    Parameters
    ----------
    exhibits_only : bool, default=False
        Only figures and tables of the paper.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from ldslearn.paper import plan_names
    >>> plan_names(exhibits_only=True)[:3]
    ['fig2', 'fig4', 'fig5']
    >>> "accuracy" in plan_names()
    True
    """
    found = [
        file.name.removesuffix(".toml")
        for file in files("ldslearn.paper").joinpath("configs").iterdir()
        if file.name.endswith(".toml")
    ]
    found.remove(COLLECTIONS)
    exhibits = {name for name in found if read_config(name).get("exhibit", True)}

    def place(name: str) -> tuple[bool, bool, int, str]:
        return name not in exhibits, not name.startswith("fig"), len(name), name

    return sorted(exhibits if exhibits_only else found, key=place)


def load_plan(name: str) -> Plan:
    """Return a plan by its name."""
    if name not in plan_names():
        raise _errors.unknown_name("name", name, ["all", *plan_names()])
    found = read_config(name)
    if "like" in found:  # the same but for what is given
        found = {**read_config(found.pop("like")), **found}
    chains = [tuple(map(str.strip, chain.split("|"))) for chain in found.pop("data")]
    parts = {key: found.pop(key, {}) for key in ("paper", "only", "quick")}
    title, experiment = found.pop("title"), found.pop("experiment")
    exhibit = found.pop("exhibit", True)
    return Plan(name, title, experiment, chains, found, **parts, exhibit=exhibit)


def name_reproduction(names: Iterable[str], quick: bool = False) -> str:
    """Return a name for the files of a reproduction; "all" stands for all of the paper."""
    names = list(names)
    plans = {name: load_plan(name) for name in names if name != "all"}
    if "all" in names:
        plans = {name: plan for name, plan in plans.items() if not plan.exhibit}
    return "-".join([*["all"] * ("all" in names), *plans]) + "-quick" * quick


def read_collections() -> dict[str, dict[str, Any]]:
    """Return the collections of experiments; the paper's own as the paper treats them."""
    found = read_config(COLLECTIONS)
    return {
        name: {**PAPER_SETS[entry["path"]].as_entries(), **entry}
        if entry["origin"] == "paper"
        else entry
        for name, entry in found.items()
    }


def read_config(name: str) -> dict[str, Any]:
    """Return one of the files in the folder ``configs`` of the package."""
    text = files("ldslearn.paper").joinpath("configs", f"{name}.toml").read_text("utf-8")
    return tomllib.loads(text)
