"""Stability of systems: Figs. 2 and 4."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import exp, log
from typing import Any

import numpy as np

from ldslearn.paper import panels
from ldslearn.paper.classification import (
    TITLES,
    compare_runs,
    plan_classification,
)
from ldslearn.paper.data_sets import DataSet
from ldslearn.paper.evidence import (
    MARGIN,
    Evidence,
    compare_times,
    estimate_log_ratio,
    estimate_mean,
)
from ldslearn.paper.experiment import Experiment, Outcome, Results
from ldslearn.paper.ledger import Run
from ldslearn.paper.plans import Plan
from ldslearn.paper.rounds import Numbers, build_encoder
from ldslearn.paper.timing import measure_in_turn

# Times n, the largest kernel of stable systems: beyond it, accuracy has no meaning.
_NO_MEANING = 10.0


class Soft(Experiment):
    """Fig. 2."""

    def plan_runs(self, data_set: DataSet, settings: dict[str, Any]) -> dict[Any, Run]:
        """One run."""
        n_states = data_set.n_states
        return {0: Run("soften", data_set, {"n_states": n_states, "scales": settings["scales"]})}

    def show(
        self, plan: Plan, data_sets: list[DataSet], results: Results, settings: Any
    ) -> Outcome:
        """The curve of Eq. (2), and eigenvalues before and after."""
        data_set = data_sets[0]
        numbers = results[data_set.name][0]
        s = np.linspace(0, 2, 21)
        curves = {
            f"a = {a:g}": (s.tolist(), [[float(np.tanh(a * value / 2))] for value in s])
            for a in settings[data_set.name]["scales"]
        }
        outside = np.hypot(*numbers["eigenvalues"]["least squares"]) >= 1
        words = f"{data_set.title}, {numbers['n_systems']} systems, {int(outside.sum())} outside"
        return Outcome([
            panels.make_lines("Eq. (2): 2 Sig(a s) - 1", "singular value", "after", curves),
            panels.make_eigenvalues(f"eigenvalues, {words}", numbers["eigenvalues"]),
        ])  # fmt: skip


class Stability(Experiment):
    """Fig. 4."""

    def plan_runs(self, data_set: DataSet, settings: dict[str, Any]) -> dict[Any, Run]:
        """Accuracy at the states of the first panel, and error and time, of every stabilizer."""
        found: dict[Any, Run] = {}
        fixed, names, bound = data_set.n_states, settings["stabilizers"], settings["bound"]
        for name in names:
            further: dict[str, Any] = {"stabilizer": name}
            if name in ("dwls", "scale"):
                further["bound"] = bound
            for n in (
                data_set.list_states(settings.get("most_states")) if settings["first"] else [fixed]
            ):
                found[name, n] = plan_classification(
                    data_set, settings, "lds-sc-grass", n_states=n, **further
                )
            found[name, "error"] = Run("stabilize", data_set, {"n_states": fixed, **further})
        wanted = {"n_states": fixed, "stabilizers": names, "bound": bound}
        found["all", "seconds"] = Run("time-encoding", data_set, wanted)
        return found

    def show(
        self, plan: Plan, data_sets: list[DataSet], results: Results, settings: Any
    ) -> Outcome:
        """Accuracy against n; then accuracy, error and time of every collection."""
        first, names = data_sets[0], plan.parameters["stabilizers"]
        orders = sorted({n for _, n in results[first.name] if not isinstance(n, str)})
        curves = {
            TITLES[name]: (orders, [results[first.name][name, n]["accuracy"] for n in orders])
            for name in names
        }
        accuracy, errors, times, evidence = [], [], [], []
        for data_set in data_sets:
            found, fixed = results[data_set.name], data_set.n_states
            accuracy.append(
                [data_set.title, str(fixed)]
                + [panels.format_percent(found[name, fixed]["accuracy"]) for name in names]
                + [f"{found['none', fixed]['largest_kernel']:.1e}"]
            )
            errors.append(
                [data_set.title] + [f"{found[name, 'error']['error']:.4g}" for name in names]
                + [f"{found['soft', 'error']['n_unstable']} of {len(data_set.data)}"]
            )  # fmt: skip
            seconds = found["all", "seconds"]["seconds"]
            times.append([data_set.title] + [f"{np.median(seconds[name]):.3g}" for name in names])
            evidence += _judge_accuracy(data_set, found) + _judge_cost(data_set, found)
        heads = [TITLES[name] for name in names]
        note = (
            "The kernel of stable systems is at most n. Where the largest entry without "
            "stabilization is far above, codes depend on rounding errors, and the accuracy "
            "has no meaning: compare SN with “rescaled” instead."
        )
        return Outcome(
            [
                panels.make_lines(
                    f"accuracy against n, {first.title}", "states n", "accuracy (%)", curves,
                    percent=True,
                ),
                panels.make_table(
                    "accuracy (%) of LDS-SC-Grass",
                    ["", "n", *heads, "largest kernel entry, none"], accuracy, note,
                ),
                panels.make_table(
                    "reconstruction error of states, root mean square",
                    ["", *heads, "unstable fits"], errors,
                ),
                panels.make_table("seconds to learn all systems, median", ["", *heads], times),
            ],
            evidence,
        )  # fmt: skip


def _judge_accuracy(data_set: DataSet, found: Any) -> list[Evidence]:
    fixed = data_set.n_states
    soft = found["soft", fixed]
    largest = found["none", fixed]["largest_kernel"]
    words = f", largest kernel entry without stabilization {largest:.0e}"
    if largest > _NO_MEANING * fixed:
        words += ": numerically meaningless"
    evidence = [compare_runs("soft-none", data_set, soft, found["none", fixed], words)]
    for name in ("scale", "dwls"):
        if (name, fixed) in found:
            evidence.append(compare_runs(f"soft-{name}", data_set, soft, found[name, fixed]))
    if data_set.title in ("SD", "BDH"):
        less = compare_runs("soft-not-tactile", data_set, found["none", fixed], soft)
        evidence.append(replace(less, estimate=less.estimate + MARGIN))
    return evidence


def _judge_cost(data_set: DataSet, found: Any) -> list[Evidence]:
    seconds = found["all", "seconds"]["seconds"]
    ratio = estimate_log_ratio(seconds["dwls"], seconds["soft"])
    evidence = [
        compare_times("soft-quick", data_set.title, ratio, {data_set.n_states: ratio}, "DWLS", "n")
    ]
    pairs = zip(found["soft", "error"]["errors"], found["dwls", "error"]["errors"], strict=True)
    logs = [log(a / b) if min(a, b) > 0 else 0.0 for a, b in pairs]
    more = estimate_mean(logs)
    low, value, high = (100 * (exp(x) - 1) for x in (more.low, more.value, more.high))
    words = f"error of SN larger by {value:.3g} % ({low:.3g} to {high:.3g}), mean over sequences"
    return [*evidence, Evidence("dwls-error", data_set.title, more, words)]


_FEW_SYSTEMS = 30  # whose eigenvalues are distinct in a picture


def compare_scales(run: Run, *, n_states: int, scales: list[float]) -> Numbers:
    """Eigenvalues of the least-squares fits, and after soft normalisation at some scales."""
    X = run.data_set.data.X[:_FEW_SYSTEMS]
    before = build_encoder(run, n_states, "none").fit_transform(X)
    found = {"least squares": before}
    for scale in scales:
        found[f"a = {scale:g}"] = build_encoder(run, n_states, "soft", scale=scale).fit_transform(X)
    eigenvalues = {name: np.linalg.eigvals(systems.A).ravel() for name, systems in found.items()}
    return {
        "n_systems": len(X),
        "eigenvalues": {
            name: np.round([values.real, values.imag], 4).tolist()
            for name, values in eigenvalues.items()
        },
    }


def measure_stabilization(
    run: Run, *, n_states: int, stabilizer: str, bound: float | None = None
) -> Numbers:
    """Learn systems, and measure what stability costs in the reconstruction of states."""
    further = {} if bound is None else {"bound": bound}
    X = run.data_set.data.X
    encoder = build_encoder(run, n_states, stabilizer, **further).fit(X)
    _, certificate = encoder.transform(X, return_certificate=True)
    assert certificate.error_after is not None  # the encoder has the states
    assert certificate.error_before is not None
    n_steps = np.array([x.shape[1] - run.data_set.delays for x in X])
    return {
        "errors": np.sqrt(certificate.error_after / n_steps).tolist(),
        "error": float(np.sqrt(certificate.error_after.sum() / n_steps.sum())),
        "error_before": float(np.sqrt(certificate.error_before.sum() / n_steps.sum())),
        "n_unstable": int((certificate.radius_before >= 1).sum()),
        "radius": float(certificate.radius_after.max()),
    }


def time_encoding(run: Run, *, n_states: int, stabilizers: list[str], bound: float) -> Numbers:
    """Seconds to learn all systems with each stabilizer."""
    calls: dict[str, Callable[[], Any]] = {}
    for name in stabilizers:
        further = {"bound": bound} if name in ("dwls", "scale") else {}
        encoder = build_encoder(run, n_states, name, **further).fit(run.data_set.data.X)
        calls[name] = partial(encoder.transform, run.data_set.data.X)
    return {"seconds": measure_in_turn(calls)}
