"""What a session says of itself: campaign, bench, host, device, sources."""

import getpass
from collections.abc import Callable, Sequence

from app import version
from app.bench.model import Bench, SourceConfig
from app.operations.sessions.inventory import host_facts
from app.plan.campaign import Campaign
from app.plan.writing import campaign_text
from app.record.clock import Clock
from app.record.recorder import Recorder
from app.record.store import SessionInfo, Writer
from instruments.base import Source
from instruments.reading import Identity
from workloads.target.scratch import Scratch


def session_info(
    campaign: Campaign, bench: Bench, clock: Clock, operator: str = "", note: str = ""
) -> SessionInfo:
    """Make what is known of a session at its start."""
    return SessionInfo(
        name=campaign.name,
        campaign=campaign.text or campaign_text(campaign),
        bench=bench.text,
        operator=operator or user_name(),
        app_version=version(),
        simulated=bench.is_simulated,
        dut=bench.dut.name,
        boot_id=clock.boot_id(),
        monotonic_ns=clock.monotonic_ns(),
        realtime_ns=clock.realtime_ns(),
        note=note,
    )


def user_name() -> str:
    """Get the name of the user of this machine, "" where it has none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def describing(
    source: Source, identity: Identity | None, config: SourceConfig
) -> Callable[[Writer], None]:
    """Make the order that stores what a source is and how the bench names it."""

    def describe(writer: Writer) -> None:
        name, section, driver = source.name, source.section, source.driver
        text, measures = config.text, config.measures
        writer.add_source(name, section, driver, identity, text, measures=measures)

    return describe


def keep_evidence(
    recorder: Recorder,
    bench: Bench,
    files: Sequence[Scratch],
    absent: Sequence[str],
) -> None:
    """Store what decides the results beside the campaign: host, device, file."""
    dut = bench.dut
    facts = {
        "model": dut.model,
        "drives": str(dut.drives),
        "target": ", ".join(map(str, dut.targets)),
        "size_bytes": str(dut.size),
    }
    buffered = [file.path for file in files if not file.direct]
    if files:
        facts["direct"] = "no" if buffered else "yes"
    recorder.call(lambda w: w.inventory("host", "load host", host_facts()))
    recorder.call(lambda w: w.inventory("device", dut.name, facts))
    now = recorder.clock.monotonic_ns()
    names = ", ".join(absent) or "none"
    recorder.call(lambda w: w.journal(now, "run started", f"without: {names}"))
    if buffered:
        text = f"the file system of {buffered[0]} has no O_DIRECT, rows are buffered"
        recorder.event("warning", "fio", text)
