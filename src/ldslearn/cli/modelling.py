"""Options of methods and protocols, and what ``evaluate`` and ``train`` get in their place."""

from typing import Annotated, Any

import typer

from ldslearn import _errors
from ldslearn.cli import options as given
from ldslearn.cli.options import MODEL, one_of
from ldslearn.cli.sharing import usage

MethodName = Annotated[
    str,
    typer.Option(
        "--method",
        "-m",
        help="auto, or one of the paper's: lds-martin, lds-svm, lds-sc-martin, lds-sc-grass, "
        "covlds-sc, glds-sc, lds-dl, covlds-dl, ldsst-dl, glds-dl, lds-dl-src, covlds-dl-src.",
        rich_help_panel=MODEL,
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        help="Seconds that auto may take to choose and train; 30 when not given.",
        min=0.1,
        rich_help_panel=MODEL,
    ),
]
States = Annotated[
    int | None,
    typer.Option(
        "--states",
        "-n",
        help="Order of each system; chosen on training data when not given.",
        min=1,
        rich_help_panel=MODEL,
    ),
]
Sparsity = Annotated[
    float | None,
    typer.Option(
        min=0,
        help="Weight of the codes' absolute values; chosen on training data when not given.",
        rich_help_panel=MODEL,
    ),
]
Atoms = Annotated[
    int | None,
    typer.Option(
        help="Atoms of a dictionary, of the methods with dl in their names; 16 when not given.",
        min=1,
        rich_help_panel=MODEL,
    ),
]
PerClass = Annotated[
    bool | None,
    typer.Option(
        "--per-class/--together",
        help="Learn --atoms atoms for every class, or for all classes together.",
        show_default=False,
        rich_help_panel=MODEL,
    ),
]
Mix = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER|cv",
        help="Weight of the dynamics beside the covariance of the noise, from 0 to 1, for "
        "covlds-sc, covlds-dl and covlds-dl-src; 'cv' chooses it by folds of the training part; "
        "0.5 when not given.",
        show_default=False,
        rich_help_panel=MODEL,
    ),
]
Bandwidth = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER|median",
        help="Square of the width of the Martin kernel, for lds-sc-martin and lds-svm; 200 when "
        "not given.",
        show_default=False,
        rich_help_panel=MODEL,
    ),
]
Scale = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="Scale a of --stabilizer soft, a positive number; 2.5 when not given.",
        show_default=False,
        rich_help_panel=MODEL,
    ),
]
Order = Annotated[
    int | None,
    typer.Option(
        help="Blocks of finite observability, for glds-sc and glds-dl; 5 when not given.",
        min=1,
        rich_help_panel=MODEL,
    ),
]
Stabilizer = Annotated[
    str | None,
    typer.Option(
        "--stabilizer",
        help="soft, dwls, wls, constraint, clip, scale or none; soft when not given.",
        callback=one_of("--stabilizer", "ldslearn.models", "STABILIZERS"),
        rich_help_panel=MODEL,
    ),
]


def method_options(
    layout: given.Layout = None,
    method: MethodName = "auto",
    budget: Budget = None,
    states: States = None,
    sparsity: Sparsity = None,
    delays: given.Delays = None,
    atoms: Atoms = None,
    per_class: PerClass = None,
    order: Order = None,
    mix: Mix = None,
    bandwidth: Bandwidth = None,
    stabilizer: Stabilizer = None,
    scale: Scale = None,
    seed: given.Seed = 0,
    jobs: given.Jobs = -1,
) -> dict[str, Any]:
    """Return the arguments of ``evaluate`` and ``train`` of the library."""
    from ldslearn.evaluate.methods import find_method
    from ldslearn.evaluate.parameters import settle_parameters

    with usage():
        found = find_method(method)
        values = {
            "n_states": states, "delays": delays, "stabilizer": stabilizer,
            "scale": parse_number_or("--scale", scale, None, 0.0, None),
            "sparsity": sparsity, "atoms": atoms, "per_class": per_class, "order": order,
            "mix": parse_number_or("--mix", mix, "cv", 0.0, 1.0),
            "bandwidth": parse_number_or("--bandwidth", bandwidth, "median", 0.0, None),
            "budget": budget,
        }  # fmt: skip
        parameters = settle_parameters(found, values, layout)
    return {"method": found.name, **parameters.as_arguments(seed, jobs)}


def parse_number_or(
    name: str, text: str | None, word: str | None, low: float, high: float | None
) -> float | str | None:
    """Return a number from `low` to `high` (None: any above `low`), or the word allowed, if any."""
    if text is None or text == word:
        return text
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    above = low <= number <= high if high is not None else low < number < float("inf")
    if not above:
        rule = f"a number from {low:g} to {high:g}" if high is not None else "a positive number"
        words = "" if word is None else f", or {word}"
        raise _errors.invalid(name, f"be {rule}{words}", repr(text), "")
    return number


def protocol_options(
    layout: given.Layout = None,
    method: MethodName = "auto",
    protocol: given.ProtocolText = None,
    folds: given.Folds = None,
) -> Any:
    """Return the protocol; None for the one that suits the data, if it is no set of the paper."""
    from ldslearn.evaluate.methods import find_method
    from ldslearn.evaluate.protocols import Protocol, parse_protocol
    from ldslearn.evaluate.published import PAPER_SETS

    with usage():
        if folds is not None and protocol is not None:
            raise _errors.invalid_parameter("--folds", "not be given with --protocol", folds)
        if folds is not None:
            return Protocol("folds", folds)
        if protocol is None and layout is not None:
            return parse_protocol(
                PAPER_SETS[layout].find_protocol(find_method(method).learns_atoms)
            )
        return None if protocol is None else parse_protocol(protocol)
