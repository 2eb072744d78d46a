"""Putting what was placed into a session file, as if it had been recorded."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.plan.campaign import Step, step_text
from app.record.imports.found import FoundStep
from app.record.imports.placing import Placed
from app.record.imports.recognise import Read
from app.record.imports.sources import DRIVER, ImportedSource, sources_of
from app.record.store import SessionInfo, Window, Writer
from instruments.reading import SECOND

AXIS_NS = 1000 * SECOND
"""The session's own time at its first moment; it never ran on a monotonic clock."""

LONGEST_ARTEFACT = 64 * 2**20
"""Bytes of a file that are kept within the session; of longer ones the hash is."""

ENGINE = "imported"
"""The engine of a step that a file without any step makes."""


@dataclass(frozen=True, slots=True)
class WrittenStep:
    """A step in the session, and what remains to be computed for it.

    Attributes:
        id: Its number in the session.
        window: The measured window on the session's axis.
    """

    id: int
    window: Window


@dataclass(frozen=True, slots=True)
class Import:
    """Everything that becomes one session.

    Attributes:
        name: Name of the session.
        dut: The device under test.
        operator: Who imports it.
        app_version: The version of Bayscope.
        reads: The files.
        placed: What is in them and where that is in time.
        remarks: What is to be known of it.
    """

    name: str
    dut: str
    operator: str
    app_version: str
    reads: tuple[Read, ...]
    placed: tuple[Placed, ...]
    remarks: tuple[str, ...] = ()

    @property
    def start_ns(self) -> int:
        """First moment of it all, in ns since 1970."""
        return min(one.extent[0] for one in self.placed)

    @property
    def end_ns(self) -> int:
        """Last moment of it all, in ns since 1970."""
        return max(one.extent[1] for one in self.placed)

    def info(self) -> SessionInfo:
        """Make what the session says of itself."""
        hashes = "".join(read.sha256 for read in self.reads)
        mark = hashlib.sha256(hashes.encode()).hexdigest()[:16]
        return SessionInfo(
            name=self.name,
            campaign="",
            bench="",
            operator=self.operator,
            app_version=self.app_version,
            simulated=False,
            dut=self.dut,
            boot_id=f"imported-{mark}",
            monotonic_ns=AXIS_NS,
            realtime_ns=self.start_ns,
            note="\n".join(("imported", *self.remarks)),
        )


def write(writer: Writer, work: Import) -> list[WrittenStep]:
    """Write everything but what is computed from the traces.

    Raises:
        StoreError: The disk is full or fails.
    """
    shift = AXIS_NS - work.start_ns
    for source in sources_of(work.placed):
        _write_source(writer, source, work, shift)
    _write_files(writer, work, shift)
    written = _write_steps(writer, work, shift)
    faults = [s.fault for one in work.placed for s in one.found.steps if s.fault]
    verdict = "FAIL" if "FAIL" in faults else None
    writer.set_session(
        ended_ns=work.end_ns + shift,
        verdict="ERROR" if "ERROR" in faults else verdict,
    )
    return written


def _write_source(
    writer: Writer, source: ImportedSource, work: Import, shift: int
) -> None:
    hashes = {read.path: read.sha256 for read in work.reads}
    lines = [f'driver = "{DRIVER}"']
    for part in source.parts:
        lines += [
            f"# {path.name}, {part.found.kind}, sha256 {hashes[path]}"
            for path in part.found.paths
        ]
    config = "\n".join(lines)
    writer.add_source(source.name, source.section, DRIVER, source.identity(), config)
    writer.offset(source.name, 0, source.spread_ns, source.method)
    for part in source.parts:
        for trace in part.found.traces:
            by = part.shift_ns + shift
            writer.append_trace(
                source.channels(trace), trace.starts + by, trace.ends + by, trace.values
            )


def _write_files(writer: Writer, work: Import, shift: int) -> None:
    placed = {path: one for one in work.placed for path in one.found.paths}
    for read in work.reads:
        whole = len(read.content) <= LONGEST_ARTEFACT
        name = _artefact_name(read.path, work.reads)
        if whole:
            writer.artefact(None, name, _media_type(read.path), read.content)
        kept = "" if whole else ", too long to be kept within the session"
        text = f"{name}, {len(read.content)} bytes, sha256 {read.sha256}{kept}"
        writer.journal(AXIS_NS, "imported", text)
        if one := placed.get(read.path):
            within = one.spread_ns / SECOND
            told = f"{name}: {one.found.kind}, {one.method}, within {within:g} s"
            writer.event(one.extent[0] + shift, "info", "import", told)
    for one in work.placed:
        for remark in one.found.remarks:
            told = f"{one.found.path.name}: {remark}"
            writer.event(one.extent[0] + shift, "warning", "import", told)
    for remark in work.remarks:
        writer.event(AXIS_NS, "warning", "import", remark)


def _artefact_name(path: Path, reads: Sequence[Read]) -> str:
    """Name a file, with its folder where another one has the same name."""
    same = [read.path for read in reads if read.path.name == path.name]
    return path.name if len(same) == 1 else f"{path.parent.name}/{path.name}"


def _media_type(path: Path) -> str:
    types = {".json": "application/json", ".csv": "text/csv", ".html": "text/html"}
    packed = {".zst": "application/zstd", ".gz": "application/gzip"}
    return packed.get(path.suffix) or types.get(path.suffix, "text/plain")


def _write_steps(writer: Writer, work: Import, shift: int) -> list[WrittenStep]:
    steps = [(step, one) for one in work.placed for step in one.found.steps] or _whole(
        work
    )
    steps.sort(key=lambda pair: pair[0].start_ns + pair[1].shift_ns)
    written = []
    labels: set[str] = set()
    for position, (step, one) in enumerate(steps, 1):
        label = _unique(step.label, one.found.path.stem, labels)
        by = one.shift_ns + shift
        plan = _plan(label, step)
        step_id = writer.add_step(position, label, step.engine, plan)
        start, end = step.start_ns + by, step.start_ns + by
        if step.window is not None:
            window = (step.window[0] + by, step.window[1] + by)
            written.append(WrittenStep(step_id, window))
            writer.update_step(
                step_id, window_start_ns=window[0], window_end_ns=window[1]
            )
            end = window[1]
        writer.update_step(
            step_id,
            start_ns=start,
            end_ns=end,
            outcome="ERROR" if step.fault == "ERROR" else "DONE",
            verdict=step.fault or None,
            reason=step.reason,
        )
        _write_values(writer, step_id, step, by)
    return written


def _write_values(writer: Writer, step_id: int, step: FoundStep, by: int) -> None:
    start, end = step.window or (step.start_ns, step.start_ns)
    for name, found in step.values.items():
        writer.result(
            step_id,
            name,
            found.value,
            found.unit,
            start_ns=start + by,
            end_ns=end + by,
            n_valid=1,
            n_expected=1,
            origin=found.origin,
        )
    for name, note in step.notes.items():
        writer.result(
            step_id, name, None, "", start_ns=start + by, end_ns=end + by, note=note
        )
    if step.window is not None:
        seconds = (end - start) / SECOND
        writer.result(
            step_id,
            "duration_s",
            seconds,
            "s",
            start_ns=start + by,
            end_ns=end + by,
            n_valid=1,
            n_expected=1,
            origin="window",
        )


def _whole(work: Import) -> list[tuple[FoundStep, Placed]]:
    """Make one step of all, where no file tells of any."""
    first = min(work.placed, key=lambda one: one.extent)
    start, end = (moment - first.shift_ns for moment in (work.start_ns, work.end_ns))
    window = (start, end + 1) if end > start else None
    label = first.found.path.stem
    return [(FoundStep(label, ENGINE, start, window, {}), first)]


def _unique(label: str, stem: str, labels: set[str]) -> str:
    """Give a step a label that no other has: rows are told apart by it."""
    tries = [label, f"{label} ({stem})"]
    found = next((name for name in tries if name not in labels), "")
    number = 2
    while not found or found in labels:
        found = f"{label} ({stem}, {number})"
        number += 1
    labels.add(found)
    return found


def _plan(label: str, step: FoundStep) -> str:
    start, end = step.window or (0, 0)
    return step_text(
        Step(
            label=label,
            engine=step.engine,
            runtime_s=(end - start) / SECOND,
            ramp_s=step.ramp_s,
            options=step.options,
        )
    )
