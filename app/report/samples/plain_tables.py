"""What stands beside the samples in an archive: sessions, channels, steps, results."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq

from app.record.store import Session
from app.report.samples.blocks import utc_shift
from app.report.samples.columns import TIME, with_metadata

TEXT, WHOLE, NUMBER = pa.string(), pa.int64(), pa.float64()


@dataclass(frozen=True, slots=True)
class PlainTable:
    """A table of a session that is not a trace.

    Attributes:
        name: Of its folder and file.
        rows: Gets what its rows are made of.
        columns: Of each its type, and which attribute of a row it is; a TIME is had
            from monotonic ns.
    """

    name: str
    rows: Callable[[Session], Iterable[object]]
    columns: Mapping[str, tuple[pa.DataType, str]]

    def write(self, path: Path, session: Session, about: Mapping[str, object]) -> None:
        """Write it as a Parquet file; raises OSError."""
        rows, utc = list(self.rows(session)), utc_shift(session)
        arrays = []
        for kind, attribute in self.columns.values():
            values = list(map(attrgetter(attribute), rows))
            if kind == TIME:
                values = [one if one is None else (one + utc) // 1000 for one in values]
            arrays.append(pa.array(values, kind))
        kinds = [(name, kind) for name, (kind, _) in self.columns.items()]
        schema = with_metadata(pa.schema(kinds), about)
        pq.write_table(
            pa.Table.from_arrays(arrays, schema=schema), path, compression="zstd"
        )


def _session(session: Session) -> Iterable[object]:
    sha256, fingerprint = session.sha256(), session.fingerprint()
    yield SimpleNamespace(
        info=session.info, state=session.state, sha256=sha256, fingerprint=fingerprint
    )


def _channels(session: Session) -> Iterable[object]:
    sources = {source.name: source for source in session.sources()}
    for channel in session.channels():
        yield SimpleNamespace(channel=channel, source=sources[channel.source])


def _results(session: Session) -> Iterable[object]:
    steps = {step.id: step for step in session.steps()}
    for result in session.results():
        yield SimpleNamespace(result=result, step=steps[result.step_id])


TABLES = (
    PlainTable(
        "sessions",
        _session,
        {
            "name": (TEXT, "info.name"),
            "dut": (TEXT, "info.dut"),
            "operator": (TEXT, "info.operator"),
            "app_version": (TEXT, "info.app_version"),
            "simulated": (pa.bool_(), "info.simulated"),
            "started": (TIME, "info.monotonic_ns"),
            "ended": (TIME, "info.ended_ns"),
            "started_ns": (WHOLE, "info.monotonic_ns"),
            "state": (TEXT, "state"),
            "outcome": (TEXT, "info.outcome"),
            "verdict": (TEXT, "info.verdict"),
            "note": (TEXT, "info.note"),
            "sha256": (TEXT, "sha256"),
            "fingerprint": (TEXT, "fingerprint"),
            "campaign": (TEXT, "info.campaign"),
            "bench": (TEXT, "info.bench"),
        },
    ),
    PlainTable(
        "channels",
        _channels,
        {
            "source": (TEXT, "channel.source"),
            "channel": (TEXT, "channel.name"),
            "quantity": (TEXT, "channel.quantity"),
            "location": (TEXT, "channel.location"),
            "unit": (TEXT, "channel.unit"),
            "period_ns": (WHOLE, "channel.period_ns"),
            "latency_ns": (WHOLE, "channel.latency_ns"),
            "window_ns": (WHOLE, "channel.window_ns"),
            "section": (TEXT, "source.section"),
            "driver": (TEXT, "source.driver"),
            "maker": (TEXT, "source.maker"),
            "model": (TEXT, "source.model"),
            "serial": (TEXT, "source.serial"),
            "measures": (TEXT, "source.measures"),
        },
    ),
    PlainTable(
        "steps",
        lambda session: session.steps(),
        {
            "position": (WHOLE, "position"),
            "step": (TEXT, "label"),
            "engine": (TEXT, "engine"),
            "outcome": (TEXT, "outcome"),
            "verdict": (TEXT, "verdict"),
            "cause": (TEXT, "cause"),
            "reason": (TEXT, "reason"),
            "attempt": (WHOLE, "attempt"),
            "started": (TIME, "start_ns"),
            "window_started": (TIME, "window_start_ns"),
            "window_ended": (TIME, "window_end_ns"),
            "ended": (TIME, "end_ns"),
            "window_start_ns": (WHOLE, "window_start_ns"),
            "window_end_ns": (WHOLE, "window_end_ns"),
            "plan": (TEXT, "plan"),
        },
    ),
    PlainTable(
        "results",
        _results,
        {
            "position": (WHOLE, "step.position"),
            "step": (TEXT, "step.label"),
            "result": (TEXT, "result.name"),
            "value": (NUMBER, "result.value"),
            "unit": (TEXT, "result.unit"),
            "started": (TIME, "result.start_ns"),
            "ended": (TIME, "result.end_ns"),
            "start_ns": (WHOLE, "result.start_ns"),
            "end_ns": (WHOLE, "result.end_ns"),
            "n_valid": (WHOLE, "result.n_valid"),
            "n_expected": (WHOLE, "result.n_expected"),
            "u_meter": (NUMBER, "result.u_meter"),
            "u_scatter": (NUMBER, "result.u_scatter"),
            "origin": (TEXT, "result.origin"),
            "note": (TEXT, "result.note"),
            "basis": (TEXT, "result.basis"),
        },
    ),
    PlainTable(
        "gaps",
        lambda session: session.gaps(),
        {
            "channel": (TEXT, "channel_name"),
            "started": (TIME, "start_ns"),
            "ended": (TIME, "end_ns"),
            "start_ns": (WHOLE, "start_ns"),
            "end_ns": (WHOLE, "end_ns"),
            "reason": (TEXT, "reason"),
            "detail": (TEXT, "detail"),
        },
    ),
)
"""Each is a table over all sessions of an archive."""
