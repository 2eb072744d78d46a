"""The alignment step: bursts of reads, and the offset of each meter that shows them."""

from collections.abc import Callable, Sequence

from app.analysis.align.bursts import Burst
from app.analysis.align.result import SLOWEST_S, Alignment
from app.analysis.align.step import align_step, keep_alignment
from app.analysis.io_checks import check_io
from app.campaign.phases.load import run_load
from app.campaign.phases.phase import INTERRUPTED, Phase, StepRun
from app.plan.alignment import LEAD_S, check_align
from app.plan.step import Step
from instruments.reading import SECOND
from workloads.base import Artefact, LoadOutcome, LoadResult, Workload


def burst_step(step: Step, seconds: float) -> Step:
    """Make the fio step of one burst of an alignment step, which only reads."""
    options = check_align(step.options).options
    return Step(step.label, "fio", seconds, options=options)


def align_phase(make_load: Callable[[str, Step], Workload]) -> Phase:
    """Make the phase of alignment steps."""

    def align(run: StepRun) -> LoadResult:
        begin = run.clock.monotonic_ns()
        run.pause(LEAD_S)
        pattern = check_align(run.step.options).pattern
        bursts: list[Burst] = []
        foreign: list[str] = []
        for number, beat in enumerate(pattern, 1):
            if run.is_over():
                return INTERRUPTED
            run.tell(f"burst {number} of {len(pattern)}")
            result = run_load(
                make_load(run.label, burst_step(run.step, beat.burst_s)),
                run.recorder,
                is_over=run.is_over,
                started=lambda _: None,
            )
            if result.outcome is not LoadOutcome.DONE:
                return result
            if result.window is not None:
                bursts.append(Burst(*result.window))
            foreign += [
                f"burst {number}: {one.text}" for one in check_io(result) if one.text
            ]
            run.pause(beat.pause_s)
        run.pause(LEAD_S, "waiting for the last readings")
        if run.is_over():
            return INTERRUPTED
        run.refresh()
        window = (begin, run.clock.monotonic_ns())
        for text in foreign:
            run.recorder.event("warning", "alignment", text)
        found = align_step(run.session, window, bursts)
        run.recorder.call(lambda writer: keep_alignment(run.session, writer, found))
        return _told(run, found)

    return align


def _told(run: StepRun, found: Sequence[Alignment]) -> LoadResult:
    """Say of every source what it got, and why it got nothing."""
    aligned = [str(one) for one in found if one.offset_ns is not None]
    refused = [str(one) for one in found if one.offset_ns is None]
    refused += _others(run, {one.channel.source for one in found})
    for text in aligned:
        run.recorder.event("info", "alignment", text)
    for text in refused:
        run.recorder.event("warning", "alignment", text)
    run.findings.remarks += aligned
    if not aligned:
        why = refused[0] if refused else "there is no meter of power or sound"
        run.findings.missed = f"no source has an offset: {why}"
    lines = "\n".join([*aligned, *refused])
    kept = Artefact("alignment.txt", "text/plain", f"{lines}\n".encode())
    return LoadResult(LoadOutcome.DONE, artefacts=(kept,))


def _others(run: StepRun, seen: set[str]) -> list[str]:
    """Name the sources that cannot have an offset, and what is known of their time."""
    periods: dict[str, float] = {}
    for channel in run.recorder.channels():
        if channel.source not in seen:
            period = max(channel.period_ns, channel.window_ns) / SECOND
            shortest = periods.get(channel.source, period)
            periods[channel.source] = min(shortest, period)
    return [
        f"{name} has no offset: it has one value in {period:g} s, which is its "
        "uncertainty"
        if period >= SLOWEST_S
        else f"{name} has no offset: it shows neither power nor sound"
        for name, period in periods.items()
    ]
