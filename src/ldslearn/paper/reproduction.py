"""Run plans: find the data, compute the runs that have no record, test the claims."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ldslearn._progress import show_progress
from ldslearn.datasets.summary import summarize_collection
from ldslearn.paper.data_sets import DataSet, Library
from ldslearn.paper.evidence import Evidence
from ldslearn.paper.experiment import Results
from ldslearn.paper.ledger import Ledger, Run
from ldslearn.paper.plans import Plan, load_plan, plan_names
from ldslearn.paper.registry import EXPERIMENTS, compute
from ldslearn.paper.verdicts import decide_claims

_MOST_NAMED = 3  # collections in the title of a figure

_KINDS = {
    "paper": "the paper's",
    "stand-in": "a stand-in",
    "embedded": "embedded",
    "synthetic": "generated from a seed",
}


def reproduce(
    names: str | Iterable[str] = ("all",),
    *,
    data_dir: str | os.PathLike[str] | None = None,
    records: str | os.PathLike[str] = "reproduction",
    quick: bool = False,
    say: Callable[[str], None] = lambda text: None,
    n_jobs: int | None = -1,
) -> dict[str, Any]:
    """Return tables and figures of the paper by their names, from the available data.

    Every run is recorded. Runs on record are not computed again, so that an interrupted call
    resumes.

    Parameters
    ----------
    names : str or iterable of str, default=("all",)
        Of :func:`~ldslearn.paper.plan_names`; "all" is every table and figure of the paper.
    data_dir : str or path, optional
        Folder of the paper's sets and of stand-ins; see docs/reproduction.md. Without it, or for
        sets that it does not have, embedded and synthetic sequences are used, and named.
    records : str or path, default="reproduction"
        Folder in which ``records`` has one JSON file per run.
    quick : bool, default=False
        Fewer values of each parameter, fewer rounds.
    say : callable, optional
        Called with one line of text per step.
    n_jobs : int or None, default=-1
        Threads.

    Returns
    -------
    dict
        Of plain values: `figures` with their panels, `claims` with verdicts, `collections`,
        `n_runs`, `seconds`, and the versions and machines in `makers`.
        :func:`ldslearn.report.render_reproduction_page` makes a page of it.

    References
    ----------
    .. [1] W. Huang, F. Sun, L. Cao, M. Harandi, *Analyzing Linear Dynamical Systems: From Modeling
       to Coding and Learning*, Sec. 9. doi:10.48550/arXiv.1608.01059

    Examples
    --------
    >>> import tempfile
    >>> from ldslearn.paper import reproduce
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     record = reproduce("fig2", records=folder, quick=True)
    >>> record["figures"][0]["title"], record["n_runs"]
    ('Fig. 2: soft normalisation, on JapaneseVowels instead of Cambridge', 1)
    """
    wanted = [names] if isinstance(names, str) else list(dict.fromkeys(names))
    plans = [load_plan(name) for name in _expand(wanted)]
    library, ledger = Library(data_dir, n_jobs), Ledger(Path(records) / "records")
    data_sets = {plan.name: _find_data_sets(plan, library) for plan in plans}
    settings = {
        plan.name: {s.name: plan.settings(s.name, quick) for s in data_sets[plan.name]}
        for plan in plans
    }
    tasks = {
        plan.name: _plan_runs(plan, data_sets[plan.name], settings[plan.name]) for plan in plans
    }
    for plan in plans:
        fit = [data_set for data_set in data_sets[plan.name] if tasks[plan.name][data_set.name]]
        for data_set in data_sets[plan.name]:
            if data_set not in fit:
                say(f"{plan.title}: {data_set.title} has too few sequences and is skipped")
        data_sets[plan.name] = fit
    plans = [plan for plan in plans if data_sets[plan.name]]
    runs = {run.key: run for parts in tasks.values() for run in _list_runs(parts)}
    numbers = {key: ledger.find(run) for key, run in runs.items()}
    n_missing = sum(found is None for found in numbers.values())
    short = " (quick: fewer values and rounds)" if quick else ""
    say(f"runs: {len(runs)}, on record: {len(runs) - n_missing}{short}")
    figures: list[dict[str, Any]] = []
    evidence: list[Evidence] = []
    with show_progress("reproducing", n_missing) as advance, _report_interruption(numbers, say):
        for plan in plans:
            origins = [
                _describe_origin(data_set, plan, library) for data_set in data_sets[plan.name]
            ]
            todo = sum(numbers[run.key] is None for run in _list_runs(tasks[plan.name]))
            used = "; ".join(one["words"] for one in origins)
            say(f"{plan.title}: {used}" + (f"; runs to do: {todo}" if todo else ""))
            results: Results = {}
            for name, parts in tasks[plan.name].items():
                results[name] = {}
                for key, run in parts.items():
                    if numbers[run.key] is None:
                        advance(0, f"{plan.name} on {run.data_set.title}")
                        numbers[run.key] = ledger.find_or_compute(run, compute)
                        advance(1)
                    results[name][key] = numbers[run.key]
            outcome = EXPERIMENTS[plan.experiment].show(
                plan, data_sets[plan.name], results, settings[plan.name]
            )
            evidence += outcome.evidence if plan.exhibit else []
            figures.append({
                "name": plan.name,
                "title": _format_title(plan, origins),
                "collections": origins,
                "panels": outcome.panels,
                "n_runs": sum(map(len, tasks[plan.name].values())),
            })  # fmt: skip
    by_name = {s.name: s for parts in data_sets.values() for s in parts}
    return {
        "record": "reproduction",
        "quick": quick,
        "figures": figures,
        "claims": decide_claims(evidence, everything="all" in wanted),
        "collections": {
            name: {"title": s.title, "origin": s.origin, **summarize_collection(s.data)}
            for name, s in by_name.items()
        },
        "n_runs": len(runs),
        "seconds": sum(ledger.seconds.values()),
        "makers": ledger.makers,
    }


def _expand(names: list[str]) -> list[str]:
    """Return names of plans, each once, with those of the paper's exhibits in place of "all"."""
    exhibits = plan_names(exhibits_only=True) if "all" in names else []
    return list(dict.fromkeys([*exhibits, *(name for name in names if name != "all")]))


@contextmanager
def _report_interruption(numbers: dict[str, Any], say: Callable[[str], None]) -> Iterator[None]:
    """Report how many runs are on record if the work within is interrupted."""
    try:
        yield
    except KeyboardInterrupt:
        done = sum(one is not None for one in numbers.values())
        say(f"on record: {done} of {len(numbers)} runs; the same command resumes from there")
        raise


def _find_data_sets(plan: Plan, library: Library) -> list[DataSet]:
    """Return the available data sets of a plan, each once."""
    names = [library.find_available(chain) for chain in plan.data]
    return [library.load(name) for name in dict.fromkeys(names) if name is not None]


def _plan_runs(
    plan: Plan, data_sets: list[DataSet], settings: dict[str, dict[str, Any]]
) -> dict[str, dict[Any, Run]]:
    """Return the runs of every data set."""
    experiment = EXPERIMENTS[plan.experiment]
    return {
        data_set.name: experiment.plan_runs(
            data_set, {**settings[data_set.name], "first": number == 0}
        )
        for number, data_set in enumerate(data_sets)
    }


def _list_runs(parts: dict[str, dict[Any, Run]]) -> Iterable[Run]:
    for runs in parts.values():
        yield from runs.values()


def _format_title(plan: Plan, origins: list[dict[str, Any]]) -> str:
    """Return the title of a figure, with the data that it uses here."""
    if len(origins) > _MOST_NAMED and not plan.exhibit:
        return f"{plan.title}, on {len(origins)} collections"
    if len(origins) > _MOST_NAMED:
        n_paper = sum(one["origin"] == "paper" for one in origins)
        return (
            f"{plan.title}, on {len(origins)} collections, {n_paper or 'none'} of them the paper's"
        )
    named = [
        one["title"] + (f" instead of {one['instead_of']}" if one["instead_of"] else "")
        for one in origins
    ]
    return f"{plan.title}, on {'; '.join(named)}"


def _describe_origin(data_set: DataSet, plan: Plan, library: Library) -> dict[str, Any]:
    """Return what a data set is, and which set of the paper it replaces."""
    wanted = next(chain[0] for chain in plan.data if library.find_available(chain) == data_set.name)
    absent = wanted != data_set.name and library.known[wanted]["origin"] == "paper"
    instead = library.known[wanted]["title"] if absent else None
    words = f"{data_set.title} ({_KINDS[data_set.origin]})"
    return {
        "name": data_set.name,
        "title": data_set.title,
        "origin": data_set.origin,
        "instead_of": instead,
        "words": words if instead is None else f"{words} instead of {instead}",
    }
