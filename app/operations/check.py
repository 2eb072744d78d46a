"""Check a bench: connect, identify and read each source once."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from app.bench import Bench, build_source, build_sources
from app.operations.bench_power import running_bench
from instruments.base import Source
from instruments.errors import BenchError
from instruments.reading import Channel, Identity, Status
from workloads.scratch import check_target


@dataclass(frozen=True, slots=True)
class SourceCheck:
    """What one source answered.

    Attributes:
        name: Its name on the bench.
        section: "power", "thermal" or "noise".
        driver: Its driver.
        address: Where it was tried.
        identity: What it said of itself, None where it did not answer.
        values: Channel, value and status of one reading.
        raw: The raw reply.
        poll_s: Seconds the reading took.
        error: The sentence of what went wrong, "" where nothing did.
        where: What the sentence begins with to say where, "" where it does not.
    """

    name: str
    section: str
    driver: str
    address: str
    identity: Identity | None = None
    values: tuple[tuple[Channel, float, Status], ...] = ()
    raw: str = ""
    poll_s: float = 0.0
    error: str = ""
    where: str = ""

    @property
    def ok(self) -> bool:
        """Whether it was identified and read."""
        return not self.error


def check_bench(
    bench: Bench, progress: Callable[[str], None] = lambda _: None
) -> list[SourceCheck]:
    """Check every source of a bench, one after the other.

    Args:
        bench: The bench; its simulator is started where it wants one.
        progress: Takes the name of each source before it is tried.

    Raises:
        BenchError: The simulator did not start.
    """
    found = []
    with running_bench(bench) as ready:
        sources = build_sources(ready)
        for source, config in zip(sources, ready.sources, strict=True):
            progress(source.name)
            found.append(_check(source, config.address))
    return found


def check_source(bench: Bench, name: str) -> SourceCheck:
    """Check one source of a bench.

    Raises:
        BenchError: The simulator did not start.
    """
    with running_bench(bench) as ready:
        config = next(one for one in ready.sources if one.name == name)
        return _check(build_source(ready, config), config.address)


def check_dut(bench: Bench) -> SourceCheck:
    """Check the target as a run that writes would, without touching it."""
    target = bench.dut.target
    try:
        check_target(target, bench.dut.size, writes=True)
    except BenchError as error:
        found = (str(error), error.where)
    else:
        found = ("", "")
    return SourceCheck(
        "target", "dut", "file", str(target), error=found[0], where=found[1]
    )


def _check(source: Source, address: str) -> SourceCheck:
    base = (source.name, source.section, source.driver, address)
    identity: Identity | None = None
    try:
        identity = source.open()
        begin = time.monotonic()
        reading = source.read()
        took = time.monotonic() - begin
    except BenchError as error:
        told, where = str(error), error.where
        return SourceCheck(*base, identity=identity, error=told, where=where)
    finally:
        source.close()
    values = tuple(zip(reading.channels, reading.values, reading.statuses, strict=True))
    raw = reading.raw.decode("utf-8", "replace")
    trouble = ""
    if not any(status.is_value for status in reading.statuses):
        told = ", ".join(sorted({str(status) for status in reading.statuses}))
        trouble = f"{source.name}: it answers, but has no value ({told})."
    return SourceCheck(*base, identity, values, raw, took, trouble, source.name)


def checks_as_json(checks: list[SourceCheck]) -> list[dict[str, object]]:
    """Write checks as plain values; a value that is none is null."""
    return [
        {
            "name": check.name,
            "section": check.section,
            "driver": check.driver,
            "address": check.address,
            "ok": check.ok,
            "simulated": bool(check.identity and check.identity.simulated),
            "identity": None
            if check.identity is None
            else {
                "maker": check.identity.maker,
                "model": check.identity.model,
                "serial": check.identity.serial,
                "firmware": check.identity.firmware,
            },
            "values": {
                channel.name: {
                    "value": None if math.isnan(value) else value,
                    "unit": channel.unit,
                    "status": str(status),
                }
                for channel, value, status in check.values
            },
            "raw": check.raw,
            "poll_s": check.poll_s,
            "error": check.error or None,
        }
        for check in checks
    ]


def checks_text(checks: list[SourceCheck]) -> str:
    """Write checks for the terminal: a paragraph a source."""
    parts = []
    for check in checks:
        head = f"{check.name} ({check.driver}, {check.address or 'no address'}): "
        if check.error:
            told = check.error.removeprefix(f"{check.where}: ")
            parts.append(f"{head}FAILED\n  {told[0].upper()}{told[1:]}")
            continue
        who = check.identity
        named = ""
        if who is not None:
            label = " (simulated)" if who.simulated else ""
            named = f"{who.maker} {who.model}, serial {who.serial}{label}"
        if check.section == "dut":
            parts.append(f"{head}OK")
            continue
        lines = [f"{head}OK, read in {check.poll_s * 1000:.1f} ms", f"  {named}"]
        for channel, value, status in check.values[:8]:
            shown = status if math.isnan(value) else f"{value:.6g} {channel.unit}"
            lines.append(f"  {channel.name} = {shown}")
        if len(check.values) > 8:
            lines.append(f"  and {len(check.values) - 8} more")
        parts.append("\n".join(lines))
    return "\n".join(parts) + "\n"
