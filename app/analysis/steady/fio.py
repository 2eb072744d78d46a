"""fio's own verdict on a steady state beside ours: a cross-check, no more."""

from dataclasses import replace

from app.analysis.steady.rounds import PERFORMANCE, Rounds, rounds_of
from app.analysis.steady.state import BY_FIO, METHODS, SteadyState, SteadyWatch
from app.record.store import Result, Session, Window
from instruments.sizes import counted
from workloads.base import LoadResult
from workloads.fio.result import FioResult
from workloads.fio.steady import FioSteadyState

_ROUNDS = 10
"""Rounds of ours in the window that fio looks at, as many as its rule has at least."""


def cross_check(ours: SteadyState, fio: FioSteadyState) -> str:
    """Say in a sentence how fio's verdict goes with ours."""
    performance = ours.findings.get(PERFORMANCE)
    if performance is None:
        return f"{fio}; Bayscope has no performance to compare"
    if performance.steady == fio.attained:
        return f"{fio}; Bayscope agrees on performance"
    other = "steady" if performance.steady else "not steady"
    return (
        f"{fio}; Bayscope finds performance {other}, {performance.why}: fio's rule "
        "looks at other samples"
    )


def steady_results(session: Session, window: Window, load: LoadResult) -> list[Result]:
    """Compare what fio found steady with what the record shows of the same time.

    Ours is the slope and the deviation of the performance of all devices, in ten
    rounds of the time that fio looked at; see `app.analysis.steady.state`.
    """
    results: list[Result] = []
    if not isinstance(load, FioResult):
        return results
    many = len(load.steady) > 1
    for fio in load.steady:
        note = cross_check(_ours(session, window, fio.duration_s), fio)
        name = f"{BY_FIO}.{fio.job}" if many else BY_FIO
        value = float(fio.attained)
        results.append(Result(name, value, "", *window, 1, 1, "steadystate", note))
    if many:
        count = sum(one.attained for one in load.steady)
        note = f"fio: attained on {count} of {counted(len(load.steady), 'device')}"
        value = float(count == len(load.steady))
        results.append(Result(BY_FIO, value, "", *window, 1, 1, "steadystate", note))
    return results


def _ours(session: Session, window: Window, duration_s: float) -> SteadyState:
    method = replace(METHODS["fio-slope"], round_s=max(1.0, duration_s / _ROUNDS))
    rounds = Rounds(session, window[0])
    performance = [
        quantity for quantity in rounds.quantities if quantity.name == PERFORMANCE
    ]
    watch = SteadyWatch(method, performance)
    state = watch.state()
    for each in rounds_of(window, method.round_s):
        state = watch.add(rounds.means(each))
    return state
