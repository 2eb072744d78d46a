"""The tools of the Bench page, and the line of facts above them."""

from app.bench.model import Bench
from app.operations.bench.bays import other_count
from app.ui.kit.document_bar import Tool
from instruments.sizes import counted, format_size

BENCH_TOOLS = {
    "new": Tool(
        "&New...",
        "file-plus",
        "Describe another device under test and start a new bench",
        "Ctrl+N",
    ),
    "open": Tool("&Open...", "folder-open", "Open another bench.toml", "Ctrl+Shift+O"),
    "recent": Tool(
        "Recent",
        "history",
        "Recent benches, and the simulated one",
        "Ctrl+Shift+R",
    ),
    "save": Tool("&Save", "save", "Save this bench", "Ctrl+S"),
    "save_as": Tool(
        "Save &as...", "save", "Save this bench under another name", "Ctrl+Shift+S"
    ),
    "check": Tool(
        "Check &bench",
        "stethoscope",
        "Connect, identify and read each source once",
        "Ctrl+B",
    ),
}
SOURCE_TOOLS = {
    "look": Tool(
        "D&iscover devices...",
        "search",
        "Find the meters, enclosures, drives and sensors of this machine",
        "Ctrl+L",
    ),
    "add": Tool(
        "A&dd source...", "plus", "Describe a source and how it is reached", "Ctrl+I"
    ),
    "dut": Tool(
        "D&evice under test...",
        "hard-drive",
        "The device under test: name, scratch file, size, model, drives, bays",
        "Ctrl+D",
    ),
    "load": Tool(
        "Load &hosts...",
        "columns-2",
        "The hosts that loads run on, and their targets",
        "Ctrl+H",
    ),
    "check_one": Tool(
        "Chec&k source",
        "stethoscope",
        "Connect, identify and read the selected source",
        "Ctrl+Shift+B",
        at_right=True,
    ),
    "change": Tool("Ed&it...", "pencil", "Edit the selected source", table_key="Enter"),
    "password": Tool(
        "&Password...", "key-round", "Put its password into this desktop's keyring"
    ),
    "remove": Tool(
        "&Remove...",
        "trash-2",
        "Remove the selected source from the bench",
        table_key="Del",
    ),
}


def facts_of_bench(bench: Bench) -> str:
    """Write in a line what is measured and where loads run."""
    dut = bench.dut
    parts = [f"Device under test: {dut.name}"]
    if dut.model:
        parts[0] += f" ({dut.model})"
    if dut.drives:
        parts.append(counted(dut.drives, "drive"))
    if dut.layout:
        other = other_count(dut)
        parts.append(f"bays {dut.layout}{f' ({other})' if other else ''}")
    target, *more = map(str, dut.targets)
    if more:
        target += f" and {len(more)} more"
    if bench.load is not None:
        hosts = bench.load.hosts
        several = counted(len(hosts), "host") if len(hosts) > 1 else hosts[0]
        parts.append(f"loads from {several}")
    elif dut.size:
        parts.append(f"scratch file {target}, {format_size(dut.size)}")
    else:
        parts.append(f"disk {target}, all of it")
    return " \N{MIDDLE DOT} ".join(parts)
