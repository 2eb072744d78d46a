"""What is kept of a steady state: results, and all rounds for another rule to try."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.analysis.result import Result
from app.analysis.steady.state import Method, SteadyState
from app.record.store import Window


def first_round(state: SteadyState) -> int:
    """Get the first of the rounds that were judged last, counted from 1."""
    spans = [one.rounds for one in state.findings.values() if one.rounds is not None]
    return min((span[0] for span in spans), default=1)


def results_of(state: SteadyState, window: Window) -> list[Result]:
    """Make results of it: how many rounds, and of each quantity whether it is steady.

    Args:
        state: How it stood at the end.
        window: The measured window.
    """
    rounds = Result(
        "steady_rounds",
        float(state.rounds),
        "",
        *window,
        n_valid=1,
        n_expected=1,
        origin="steady",
        note=state.why,
    )
    each = [
        replace(
            rounds,
            name=f"steady.{name}",
            value=float(finding.steady),
            note=finding.why,
        )
        for name, finding in state.findings.items()
    ]
    return [rounds, *each]


def rounds_text(
    method: Method,
    begin_ns: int | None,
    state: SteadyState | None,
    means: Mapping[str, Sequence[float]],
) -> bytes:
    """Write the means of all rounds as JSON, with the rule and what it found.

    Args:
        method: The rule, with the length of its rounds.
        begin_ns: When the first round began, None where none did.
        state: How it stood at the end, None where no round was judged.
        means: Of each quantity; NaN, which JSON has not, becomes null.
    """
    findings = state.findings if state is not None else {}
    told = {
        "method": method.name,
        "rule": method.title,
        "round_s": method.round_s,
        "begin_ns": begin_ns,
        "reached": state.reached if state is not None else None,
        "findings": {
            name: {"steady": finding.steady, "why": finding.why}
            for name, finding in findings.items()
        },
        "means": {
            name: [None if math.isnan(value) else value for value in values]
            for name, values in means.items()
        },
    }
    return json.dumps(told, indent=1).encode()
