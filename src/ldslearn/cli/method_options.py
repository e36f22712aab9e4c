"""Options of methods and protocols: their help, and how they become arguments of the library."""

from typing import Annotated, Any

import typer

import ldslearn
from ldslearn import _errors
from ldslearn.cli import options
from ldslearn.cli.errors import raise_usage_errors
from ldslearn.cli.options import MODEL, check_choice
from ldslearn.cli.parsing import parse_number_or

MethodName = Annotated[
    str,
    typer.Option(
        "--method",
        "-m",
        help="auto, random-systems, or a method of the paper: lds-martin, lds-svm, lds-sc-martin, "
        "lds-sc-grass, covlds-sc, glds-sc, lds-dl, covlds-dl, ldsst-dl, glds-dl, lds-dl-src, "
        "covlds-dl-src. For train only: novelty, which needs no labels.",
        rich_help_panel=MODEL,
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        # evaluate.settings.COMMAND_BUDGET, written out: importing it would slow down --help.
        help="Time limit of the automatic search and training, in seconds, per round. Default: 30.",
        min=0.1,
        rich_help_panel=MODEL,
    ),
]
States = Annotated[
    int | None,
    typer.Option(
        "--states",
        "-n",
        help="Number of states per system. Default: chosen on training data.",
        min=1,
        rich_help_panel=MODEL,
    ),
]
Sparsity = Annotated[
    float | None,
    typer.Option(
        min=0,
        help="Weight of the L1 norm of the codes. Default: chosen on training data.",
        rich_help_panel=MODEL,
    ),
]
Atoms = Annotated[
    int | None,
    typer.Option(
        help="Number of dictionary atoms, for methods with dl in their names. Default: 16.",
        min=1,
        rich_help_panel=MODEL,
    ),
]
PerClass = Annotated[
    bool | None,
    typer.Option(
        "--per-class/--together",
        help="Learn --atoms atoms per class, or for all classes together.",
        show_default=False,
        rich_help_panel=MODEL,
    ),
]
Mix = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER|cv",
        help="Weight of the dynamics from 0 to 1; the noise covariance has weight 1 - mix. For "
        "covlds-sc, covlds-dl and covlds-dl-src. 'cv': chosen by cross-validation on training "
        "data. Default: 0.5.",
        show_default=False,
        rich_help_panel=MODEL,
    ),
]
Bandwidth = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER|median",
        help="Squared width of the Martin kernel, for lds-sc-martin and lds-svm. Default: 200.",
        show_default=False,
        rich_help_panel=MODEL,
    ),
]
Scale = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="Parameter a of --stabilizer soft, a positive number. Default: 2.5.",
        show_default=False,
        rich_help_panel=MODEL,
    ),
]
Order = Annotated[
    int | None,
    typer.Option(
        help="Number of blocks (C, CA, ...) of the finite observability matrix, for glds-sc and "
        "glds-dl. Default: 5.",
        min=1,
        rich_help_panel=MODEL,
    ),
]
Contamination = Annotated[
    float | None,
    typer.Option(
        help="Fraction of normal items that may be called strange, for novelty. Default: 0.05.",
        min=1e-6,
        max=0.5,
        rich_help_panel=MODEL,
    ),
]
Stabilizer = Annotated[
    str | None,
    typer.Option(
        "--stabilizer",
        help="How systems are made stable: soft, dwls, wls, constraint, clip, scale or none. "
        "Default: soft.",
        callback=check_choice("--stabilizer", "ldslearn.models", "STABILIZERS"),
        rich_help_panel=MODEL,
    ),
]


def method_options(
    layout: options.Layout = None,
    method: MethodName = "auto",
    budget: Budget = None,
    states: States = None,
    sparsity: Sparsity = None,
    delays: options.Delays = None,
    atoms: Atoms = None,
    per_class: PerClass = None,
    order: Order = None,
    mix: Mix = None,
    bandwidth: Bandwidth = None,
    contamination: Contamination = None,
    stabilizer: Stabilizer = None,
    scale: Scale = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
) -> dict[str, Any]:
    """Return the arguments of ``evaluate`` and ``train`` of the library."""
    with raise_usage_errors():
        found = ldslearn.evaluate.find_method(method, detectors=True)
        values = {
            "n_states": states, "delays": delays, "stabilizer": stabilizer,
            "scale": parse_number_or("--scale", scale, None, 0.0, None),
            "sparsity": sparsity, "atoms": atoms, "per_class": per_class, "order": order,
            "mix": parse_number_or("--mix", mix, "cv", 0.0, 1.0),
            "bandwidth": parse_number_or("--bandwidth", bandwidth, "median", 0.0, None),
            "time_budget": budget, "contamination": contamination,
        }  # fmt: skip
        parameters = ldslearn.evaluate.settle_parameters(found, values, layout)
    return {"method": found.name, **parameters.as_arguments(seed, jobs)}


def protocol_options(
    layout: options.Layout = None,
    method: MethodName = "auto",
    protocol: options.ProtocolText = None,
    folds: options.Folds = None,
) -> Any:
    """Return the protocol; None for the default of data that are not a set of the paper."""
    with raise_usage_errors():
        if folds is not None and protocol is not None:
            raise _errors.invalid_parameter("--folds", "not be given with --protocol", folds)
        if folds is not None:
            return ldslearn.evaluate.Protocol("folds", folds)
        if protocol is None and layout is not None:
            found = ldslearn.evaluate.find_method(method)
            protocol = ldslearn.evaluate.PAPER_SETS[layout].find_protocol(found.learns_atoms)
        return None if protocol is None else ldslearn.evaluate.parse_protocol(protocol)
