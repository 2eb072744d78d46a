"""Check a bench: connect, identify and read each source once, all at once."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from app.bench.build import build_source, login_of
from app.bench.model import Bench, SourceConfig
from app.bench.sharing import are_other_parts, parts_of
from app.operations.bench.bays import other_count
from app.operations.bench.in_time import Job, in_time
from app.operations.bench.load_hosts import tell_hosts
from app.operations.bench.simulate import running_bench
from app.operations.bench.targets import check_disk
from instruments.base import DUT, Shared, Source
from instruments.errors import BenchError
from instruments.exclusion import exclusion_text, whole
from instruments.reading import EXCUSED, Channel, Identity, Reading, Status
from instruments.tools.secrets import has_password
from workloads.guard.device import is_device
from workloads.target.targets import check_targets, find_targets

_log = logging.getLogger(__name__)

_LONGEST_WAIT_S = 2.0
_SLACK = 1.05
"""Rates need a whole period between two readings."""

Values = dict[Channel, tuple[float, Status]]


DEADLINE_S = 45.0
"""Longest time for one source; drives that spin up take their time."""

_MAIN = ("P", "S", "LAeq")
"""What a meter is there for: without one value of it a run cannot succeed."""

Value = tuple[Channel, float, Status]


@dataclass(frozen=True, slots=True)
class SourceCheck:
    """What one source answered.

    Attributes:
        name: Its name on the bench.
        section: "power", "thermal", "noise" or "host"; "dut" for the target.
        driver: Its driver.
        address: Where it was tried.
        identity: What it said of itself, None where it did not answer.
        values: Channel, value and status of one reading.
        raw: The raw reply.
        poll_s: Seconds the reading took.
        error: What went wrong, None where nothing did.
        host: The [[host]] its tools run on; "" is this machine.
        measures: What it measures, "dut" for the device under test.
        calibrated: Day of its last calibration, None where the bench does not say.
        age_days: Days since then.
        overdue_days: Days since when it is due again, 0 where it is not.
        parts: What the bench names of the device to be read, by the option for it.
        later: How many places it did not read, because it reads them in turns.
        password: "known" or "missing" where its driver takes one, else "".
        left_out: What the bench leaves out of it, "" for nothing.
        trouble: Why values are missing, where the source says so.
    """

    name: str
    section: str
    driver: str
    address: str = ""
    identity: Identity | None = None
    values: tuple[Value, ...] = ()
    raw: str = ""
    poll_s: float = 0.0
    error: BenchError | None = None
    host: str = ""
    measures: str = DUT
    calibrated: date | None = None
    age_days: int | None = None
    password: str = ""
    left_out: str = ""
    trouble: str = ""
    overdue_days: int = 0
    later: int = 0
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def turns(self) -> str:
        """Say that only some of its places were read; "" where all were."""
        if not self.later:
            return ""
        read = len(self.places)
        return f"{read} of {read + self.later} were read, the others come in turns"

    @property
    def ok(self) -> bool:
        """Whether it was identified and read."""
        return self.error is None

    @property
    def places(self) -> list[str]:
        """Name what it measures at: drives, slots, zones, or quantities."""
        return list(dict.fromkeys(_place(channel) for channel, _, _ in self.values))

    @property
    def lacking(self) -> dict[str, Status]:
        """Get the places without any value that should have one, and why not.

        An empty slot or a drive asleep lacks nothing.
        """
        found = {
            _place(channel): status
            for channel, _, status in self.values
            if not status.is_value and status not in EXCUSED
        }
        for channel, _, status in self.values:
            if status.is_value:
                found.pop(_place(channel), None)
        return found


def _place(channel: Channel) -> str:
    return channel.location or channel.quantity


def look(source: Source) -> SourceCheck:
    """Open a source, read it once, or twice where rates need it, and close it.

    What somebody else is measuring with it goes on.
    """
    check = SourceCheck(source.name, source.section, source.driver)
    instrument = whole(source)
    if isinstance(instrument, Shared):
        instrument.yields = True
    identity: Identity | None = None
    values: Values = {}
    took = 0.0
    left_out = ""
    try:
        identity = source.open()
        left_out = exclusion_text(source)
        reading, took = _read(source, values)
        troubles = [reading.trouble, reading.notice]
        if _wants_more(source, values):
            time.sleep(min(_SLACK * source.period_s, _LONGEST_WAIT_S))
            reading, again = _read(source, values)
            took = max(took, again)
            troubles += [reading.trouble, reading.notice]
    except BenchError as error:
        return replace(check, identity=identity, error=error)
    except Exception as error:  # noqa: BLE001  (a bug in a driver is told, too)
        _log.exception("the driver of %s failed", source.name)
        return replace(check, identity=identity, error=_mistake(source, error))
    finally:
        source.close()
    read = {channel.location for channel in values}
    return replace(
        check,
        identity=identity,
        values=tuple((channel, *value) for channel, value in values.items()),
        raw=reading.raw.decode("utf-8", "replace"),
        poll_s=took,
        left_out=left_out,
        trouble="; ".join(filter(None, dict.fromkeys(troubles))),
        later=len({channel.location for channel in source.channels} - read),
    )


def _read(source: Source, values: Values) -> tuple[Reading, float]:
    begin = time.monotonic()
    reading = source.read()
    took = time.monotonic() - begin
    read = zip(reading.channels, reading.values, reading.statuses, strict=True)
    for channel, value, status in read:
        known = values.get(channel)
        if known is None or status.is_value or not known[1].is_value:
            values[channel] = (value, status)
    return reading, took


def _mistake(source: Source, error: Exception) -> BenchError:
    return BenchError(
        f"the driver failed ({error!r})",
        where=source.name,
        way_out="This is an error in Bayscope; please report it.",
    )


def _wants_more(source: Source, values: Values) -> bool:
    """Tell whether a value may yet come: a rate, or what is read in turn."""
    missing = any(channel not in values for channel in source.channels)
    return missing or any(status is Status.NAN for _, status in values.values())


def check_bench(
    bench: Bench,
    progress: Callable[[str], None] = lambda _: None,
) -> list[SourceCheck]:
    """Check every source of a bench, several at once.

    One that takes longer than the deadline is left alone: it holds up no other.

    Returns:
        One entry a source, in the order of the bench.

    Raises:
        BenchError: The simulator did not start.
    """
    with running_bench(bench) as ready:
        jobs = [_job(ready, config) for config in ready.sources]
        looks = in_time(jobs, DEADLINE_S, progress)
    found = [
        _checked(config, seen)
        for config, seen in zip(ready.sources, looks, strict=True)
    ]
    told = twins(found)
    return [
        replace(one, trouble="; ".join(filter(None, (one.trouble, told.get(one.name)))))
        for one in found
    ]


def twins(checks: Sequence[SourceCheck]) -> dict[str, str]:
    """Say by their names which sources read what another one reads, too.

    Other elements of an analyser or outlets of a PDU may each be a source; what stands
    twice on a bench by mistake counts twice. Simulators share a number.
    """
    seen: dict[tuple[str, ...], list[SourceCheck]] = {}
    told = {}
    for one in checks:
        who = one.identity
        if who is None or who.simulated or not who.serial:
            continue
        key = (one.section, who.maker, who.model, who.serial)
        others = seen.setdefault(key, [])
        if again := next((o.name for o in others if not _are_apart(o, one)), ""):
            told[one.name] = (
                f"it has the serial number of {again}, {who.serial}: "
                "the same readings count twice"
            )
        others.append(one)
    return told


def _are_apart(one: SourceCheck, other: SourceCheck) -> bool:
    """Tell whether two sources of one device read nothing that both of them read.

    One alone of its elements or outlets has no place, so those are known by what the
    bench names. Power of other places may still be the same: a PDU's and an outlet's.
    """
    if are_other_parts(one.parts, other.parts):
        return True
    reads = [
        {
            (channel.quantity, "" if source.section == "power" else channel.location)
            for channel, _, _ in source.values
        }
        for source in (one, other)
    ]
    return all(reads) and reads[0].isdisjoint(reads[1])


def check_source(bench: Bench, name: str) -> SourceCheck:
    """Check one source of a bench.

    Raises:
        BenchError: The simulator did not start.
    """
    with running_bench(bench) as ready:
        config = next(source for source in ready.sources if source.name == name)
        [found] = in_time([_job(ready, config)], DEADLINE_S)
    return _checked(config, found)


def check_dut(bench: Bench) -> SourceCheck:
    """Check the targets as a run that writes would, without touching them.

    Data on a disk is not an error here: it may be named when the disk is armed. What
    the bench says of its bays is looked at, too.
    """
    other = other_count(bench.dut)
    return replace(
        _check_targets(bench),
        trouble=f"its layout has {other}" if other else "",
    )


def _check_targets(bench: Bench) -> SourceCheck:
    if bench.load is not None:
        hosts = ("target", "dut", "load hosts", ", ".join(bench.load.hosts))
        try:
            return SourceCheck(*hosts, raw=tell_hosts(bench))
        except BenchError as error:
            return SourceCheck(*hosts, error=error)
    names = bench.dut.targets
    kind = "disk" if is_device(names[0]) else "file"
    base = ("target", "dut", kind, ", ".join(map(str, names)))
    try:
        targets = find_targets(names)
        if kind == "disk":
            found = [check_disk(str(path)) for path in targets]
            raw = "\n".join(one.text for one in found)
            return SourceCheck(*base, identity=found[0].identity, raw=raw)
        check_targets(targets, bench.dut.size, writes=True)
    except BenchError as error:
        return SourceCheck(*base, error=error)
    return SourceCheck(*base)


def _job(bench: Bench, config: SourceConfig) -> Job[SourceCheck]:
    def act() -> SourceCheck:
        seen = look(build_source(bench, config))
        # Here, because a locked keyring asks its user, who may not be there.
        return replace(seen, password=_password(bench, config))

    return Job(config.name, act)


def _password(bench: Bench, config: SourceConfig) -> str:
    if not config.driver.secret:
        return ""
    is_known = has_password(config.name, login_of(bench, config.name))
    return "known" if is_known else "missing"


def lacking_values(values: Sequence[Value]) -> str:
    """Name what a run cannot do without and a source has not one value of."""
    found = []
    for quantity in _MAIN:
        statuses = [s for channel, _, s in values if channel.quantity == quantity]
        if statuses and not any(s.is_value or s in EXCUSED for s in statuses):
            found.append(f"{quantity} ({statuses[0]})")
    return ", ".join(found)


def _checked(config: SourceConfig, seen: SourceCheck | BenchError) -> SourceCheck:
    if isinstance(seen, BenchError):  # It was late, or its driver refuses a value.
        name = config.driver.name
        seen = SourceCheck(config.name, config.section, name, error=seen)
    day = config.calibrated
    # The bench's own day is meant, as a person would write it down.
    today = datetime.now().astimezone().date()
    age = (today - day).days if day is not None else None
    return replace(
        seen,
        address=config.address,
        error=seen.error or _without_values(config.name, seen),
        host=config.host,
        measures=config.measures,
        calibrated=day,
        age_days=age,
        overdue_days=max(0, (age or 0) - config.calibration_days),
        parts=parts_of(config),
    )


def _without_values(name: str, seen: SourceCheck) -> BenchError | None:
    if not any(status.is_value for _, _, status in seen.values):
        statuses = ", ".join(sorted({str(status) for _, _, status in seen.values}))
        return BenchError(
            f"it answers, but has no value ({statuses or 'no channel'})",
            where=name,
            way_out=seen.trouble and f"{seen.trouble.removesuffix('.')}.",
        )
    if lacking := lacking_values(seen.values):
        return BenchError(f"it answers, but has no value of {lacking}", where=name)
    return None
