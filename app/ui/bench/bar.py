"""The head of the Bench view: name, device under test, and its buttons."""

from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.bench.model import Bench
from app.ui.kit.document_bar import Tool
from app.ui.kit.labels import ElidedLabel, make_chip
from instruments.sizes import counted, format_size

_LEAST_TITLE = 60
"""Pixels; a long name gives way to the buttons in a narrow window."""

BENCH_TOOLS = {
    "new": Tool(
        "&New...",
        "file-plus",
        "Describe another device under test and begin a bench",
        "Ctrl+N",
    ),
    "open": Tool("&Open...", "folder-open", "Use another bench.toml", "Ctrl+Shift+O"),
    "recent": Tool(
        "Recent",
        "history",
        "Benches that were open last, and the simulated one",
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
        "&Look for devices...",
        "search",
        "Find meters, enclosures, drives and sensors of this machine",
        "Ctrl+L",
    ),
    "add": Tool(
        "A&dd source...", "plus", "Describe a source and how it is reached", "Ctrl+I"
    ),
    "dut": Tool(
        "D&evice...",
        "hard-drive",
        "The device under test: name, scratch file, size, model, drives, bays",
        "Ctrl+D",
    ),
    "load": Tool(
        "Load &hosts...",
        "columns-2",
        "The hosts that loads come from, and what they run on there",
        "Ctrl+H",
    ),
    "check_one": Tool(
        "Chec&k source",
        "stethoscope",
        "Connect, identify and read the chosen source",
        "Ctrl+Shift+B",
        at_right=True,
    ),
    "change": Tool("&Change...", "pencil", "Change the chosen source", told="Enter"),
    "password": Tool(
        "&Password...", "key-round", "Put its password into this desktop's keyring"
    ),
    "remove": Tool(
        "&Remove...", "trash-2", "Take the chosen source off the bench", told="Del"
    ),
}


class BenchHead(QWidget):
    """Says which bench is in hand."""

    def __init__(self) -> None:
        super().__init__()
        self.title = QLabel("")
        self.title.setObjectName("heading")
        self.title.setMinimumWidth(_LEAST_TITLE)
        self.fake = make_chip("simulated", "This bench has simulated instruments")
        self.unsaved = make_chip(
            "not saved", "This bench has changes that no file has (Ctrl+S)"
        )
        self.facts = ElidedLabel()
        self.facts.setObjectName("muted")
        words = QGridLayout(self)
        words.setContentsMargins(0, 0, 0, 0)
        words.setVerticalSpacing(2)
        words.setHorizontalSpacing(5)
        words.addWidget(self.title, 0, 0)
        words.addWidget(self.fake, 0, 1)
        words.addWidget(self.unsaved, 0, 2)
        words.addWidget(self.facts, 1, 0, 1, 4)
        words.setColumnStretch(3, 1)

    def show_bench(self, bench: Bench, *, changed: bool) -> None:
        """Show another bench, or another version of it."""
        dut = bench.dut
        parts = [f"Device under test: {dut.name}"]
        if dut.model:
            parts[0] += f" ({dut.model})"
        if dut.drives:
            parts.append(counted(dut.drives, "drive"))
        if dut.layout:
            parts.append(f"bays {dut.layout}")
        target, *more = map(str, dut.targets)
        if more:
            target += f" and {len(more)} more"
        if bench.load is not None:
            count = len(bench.load.hosts)
            several = f"{count} hosts" if count > 1 else bench.load.hosts[0]
            parts.append(f"loads from {several}")
        elif dut.size:
            parts.append(f"scratch file {target}, {format_size(dut.size)}")
        else:
            parts.append(f"disk {target}, all of it")
        self.title.setText(f"{bench.name} *" if changed else bench.name)
        self.fake.setVisible(bench.is_simulated)
        self.unsaved.setVisible(changed)
        self.facts.setText("   ·   ".join(parts))
        self.facts.setToolTip(bench.file)
