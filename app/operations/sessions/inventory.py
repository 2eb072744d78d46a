"""What the load host is: the facts that decide a result beside the campaign."""

import os
import platform
from pathlib import Path

from instruments.errors import BenchError
from instruments.tools.command import run as run_tool


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
