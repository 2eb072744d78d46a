"""Putting what was placed into a session file, as if it had been recorded."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from app.plan.verdict import Verdict, worst
from app.record.imports.found import FoundTrace
from app.record.imports.placing import Placed
from app.record.imports.recognise import Read
from app.record.imports.steps import WrittenStep, write_steps
from app.record.store import Action, SessionInfo, Writer
from app.record.store.model import IMPORTED
from instruments.reading import SECOND, Channel, Identity, Reading, Status

DRIVER = "imported"


@dataclass(frozen=True, slots=True)
class ImportedSource:
    """A source of an imported session, with the files that tell of it."""

    name: str  # its name, such as "fio" or "mains-2"
    parts: tuple[Placed, ...]  # the files in the order of time

    @property
    def section(self) -> str:
        """What it is: load or power."""
        return self.parts[0].found.section

    @property
    def spread_ns(self) -> int:
        """How far its times may be off."""
        return max(part.spread_ns for part in self.parts)

    @property
    def method(self) -> str:
        """How its files were placed."""
        return "; ".join(f"{_names(p)}: {p.method}" for p in self.parts)

    def identity(self) -> Identity:
        """Tell who measured, as far as the files say."""
        runs = [part.found for part in self.parts if part.found.steps]
        first = (*runs, self.parts[0].found)[0]
        return Identity(
            maker=first.maker,
            model=first.model,
            serial=first.serial,
            firmware=first.version,
            address=f"imported from {', '.join(_names(p) for p in self.parts)}",
        )

    def channels(self, trace: FoundTrace) -> tuple[Channel, ...]:
        """Make the channels of a trace."""
        return tuple(
            Channel(
                self.name,
                quantity,
                unit,
                location,
                period_ns=trace.period_ns,
                window_ns=trace.window_ns,
            )
            for quantity, unit, location in trace.quantities
        )


def _names(part: Placed) -> str:
    names = [path.name for path in part.found.paths]
    return ", ".join(names) if len(names) <= 3 else f"{names[0]} .. {names[-1]}"


def sources_of(placed: Sequence[Placed]) -> list[ImportedSource]:
    """Give every file a source; what ran at the same time are different ones.

    Logs of fio are of the source of their run, which is always at the same time.
    """
    kept: dict[str, list[list[Placed]]] = {}
    for one in sorted(placed, key=lambda p: (p.found.kind == "fio log", p.extent)):
        own = kept.setdefault(one.found.engine, [])
        place = next((group for group in own if _fits(group, one)), None)
        if place is None:
            own.append([one])
        else:
            place.append(one)
    return [
        ImportedSource(
            engine if not number else f"{engine}-{number + 1}",
            tuple(sorted(group, key=lambda p: p.extent)),
        )
        for engine, groups in kept.items()
        for number, group in enumerate(groups)
    ]


def _fits(group: Sequence[Placed], one: Placed) -> bool:
    """Whether a file can be of the same source as others."""
    if one.found.run_path is not None:
        return any(p.found.path == one.found.run_path for p in group)
    if one.found.serial and any(
        p.found.serial not in ("", one.found.serial) for p in group
    ):
        return False
    known = {q for p in group for t in p.found.traces for q in t.quantities}
    return not any(
        _overlap(one, other) and _collide(one, other, known) for other in group
    )


def _overlap(one: Placed, other: Placed) -> bool:
    (a, b), (c, d) = one.extent, other.extent
    return a < d and c < b


def _collide(one: Placed, other: Placed, known: set[tuple[str, str, str]]) -> bool:
    """Whether two files at the same time cannot be of one source."""
    if one.found.steps and other.found.steps:
        return True
    own = {q for trace in one.found.traces for q in trace.quantities}
    return one.found.section == "power" or bool(own & known)


AXIS_NS = 1000 * SECOND
"""The session's own time at its first moment; it never ran on a monotonic clock."""

LONGEST_ARTEFACT = 64 * 2**20
"""Bytes of a file that are kept within the session; of longer ones the hash is."""


@dataclass(frozen=True, slots=True)
class Import:
    """Everything that becomes one session."""

    name: str  # name of the session
    dut: str  # the device under test
    operator: str  # who imports it
    app_version: str  # the version of Bayscope
    reads: tuple[Read, ...]
    placed: tuple[Placed, ...]  # what is in them and where that is in time
    remarks: tuple[str, ...] = ()  # what is to be known of it

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
            boot_id=f"{IMPORTED}{mark}",
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
    written = write_steps(writer, work.placed, shift)
    faults = [s.fault for one in work.placed for s in one.found.steps if s.fault]
    writer.set_session(
        ended_ns=work.end_ns + shift,
        verdict=worst(map(Verdict, faults)) if faults else None,
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
            _write_trace(writer, source.channels(trace), trace, part.shift_ns + shift)


def _write_trace(
    writer: Writer, channels: Sequence[Channel], trace: FoundTrace, by: int
) -> None:
    """Write a trace `by` ns later, rows over range one by one with their reason."""
    starts, ends = trace.starts + by, trace.ends + by
    if trace.over is None or not trace.over.any():
        writer.append_trace(channels, starts, ends, trace.values)
        return
    odd = np.asarray(trace.over.any(axis=1), dtype=np.bool_)
    odd[1:] |= odd[:-1]  # the row after it ends the gap
    edges = np.flatnonzero(np.diff(odd)) + 1
    for first, end in pairwise((0, *edges.tolist(), len(odd))):
        if not odd[first]:
            rows = slice(first, end)
            writer.append_trace(channels, starts[rows], ends[rows], trace.values[rows])
            continue
        writer.append(
            [
                Reading(
                    tuple(channels),
                    int(starts[row]),
                    int(ends[row]),
                    tuple(trace.values[row].tolist()),
                    tuple(map(_status, trace.values[row], trace.over[row])),
                )
                for row in range(first, end)
            ]
        )


def _status(value: float, is_over: bool) -> Status:
    if is_over:
        return Status.OVERRANGE
    return Status.OK if math.isfinite(value) else Status.NAN


def _write_files(writer: Writer, work: Import, shift: int) -> None:
    for read in work.reads:
        whole = len(read.content) <= LONGEST_ARTEFACT
        name = _artefact_name(read.path, work.reads)
        if whole:
            writer.artefact(None, name, _media_type(read.path), read.content)
        kept = "" if whole else ", too long to be kept within the session"
        text = f"{name}, {len(read.content)} bytes, sha256 {read.sha256}{kept}"
        writer.journal(AXIS_NS, Action.IMPORTED, text)
    for one in work.placed:
        names = [path.name for path in one.found.paths]
        files = names[0] if len(names) == 1 else f"{names[0]} .. {names[-1]}"
        within = one.spread_ns / SECOND
        told = f"{files}: {one.found.kind}, {one.method}, ± {within:.2g} s"
        writer.event(one.extent[0] + shift, "info", "import", told)
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
