"""What a session says of itself: campaign, bench, host, device, sources."""

import getpass
import os
import platform
from collections.abc import Callable, Sequence
from pathlib import Path

from app import version
from app.bench.model import Bench, SourceConfig
from app.plan.campaign import Campaign
from app.plan.writing import campaign_text
from app.record.clock import Clock
from app.record.recorder import Recorder
from app.record.store import SessionInfo, Writer
from instruments.base import Source
from instruments.errors import BenchError
from instruments.reading import Identity
from instruments.tools.command import run as run_tool
from workloads.target.scratch import Scratch


def host_facts() -> dict[str, str]:
    """Collect name, system, kernel, processors, memory, governor and fio's version."""
    uname = platform.uname()
    facts = {
        "hostname": uname.node,
        "system": _pretty_name(),
        "kernel": uname.release,
        "machine": uname.machine,
        "cpus": str(os.cpu_count() or 0),
        "memory_bytes": str(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")),
        "python": platform.python_version(),
    }
    governor = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    if governor.exists():
        facts["cpu_governor"] = governor.read_text(encoding="ascii").strip()
    try:
        facts["fio"] = run_tool(["fio", "--version"], timeout_s=10).stdout.strip()
    except BenchError:
        facts["fio"] = "not installed"
    return facts


def _pretty_name() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        return platform.system()


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
    except (KeyError, OSError):  # an OSError only from Python 3.13 on
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
    recorder.journal("run started", f"without: {', '.join(absent) or 'none'}")
    if buffered:
        text = f"the file system of {buffered[0]} has no O_DIRECT, rows are buffered"
        recorder.event("warning", "fio", text)
