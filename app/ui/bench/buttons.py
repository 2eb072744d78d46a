"""The buttons of the Bench view: what they say and what they do."""

from typing import TYPE_CHECKING

from app.ui.bench.bar import Button
from app.ui.bench.file_actions import BenchFileActions

if TYPE_CHECKING:
    from app.ui.bench.view import BenchView


def file_buttons(files: BenchFileActions, view: "BenchView") -> dict[str, Button]:
    """Make the buttons for the bench as a whole."""
    return {
        "new": Button(
            "&New...",
            "file-plus",
            "Describe another device under test and begin a bench",
            "Ctrl+N",
            files.new,
        ),
        "open": Button(
            "&Open...",
            "folder-open",
            "Use another bench.toml",
            "Ctrl+Shift+O",
            files.choose,
        ),
        "recent": Button(
            "Recent",
            "history",
            "Benches that were open last, and the simulated one",
            "Ctrl+Shift+R",
            None,
        ),
        "save": Button("&Save", "save", "Save this bench", "Ctrl+S", files.save),
        "save_as": Button(
            "Save &as...",
            "save",
            "Save this bench under another name",
            "Ctrl+Shift+S",
            files.save_as,
        ),
        "check": Button(
            "Check &bench",
            "stethoscope",
            "Connect, identify and read each source once",
            "Ctrl+B",
            view.check,
        ),
    }


def source_buttons(view: "BenchView") -> dict[str, Button]:
    """Make the buttons for the sources of the bench."""
    sources, files = view.sources, view.files
    return {
        "look": Button(
            "&Look for devices...",
            "search",
            "Find meters, enclosures, drives and sensors of this machine",
            "Ctrl+L",
            sources.look,
        ),
        "add": Button(
            "A&dd source...",
            "plus",
            "Describe a source and how it is reached",
            "Ctrl+I",
            sources.add,
        ),
        "dut": Button(
            "D&evice...",
            "hard-drive",
            "The device under test: name, scratch file, size, model, drives, bays",
            "Ctrl+D",
            files.describe,
        ),
        "load": Button(
            "Load &hosts...",
            "columns-2",
            "The hosts that loads come from, and what they run on there",
            "Ctrl+H",
            view.loads.edit,
        ),
        "check_one": Button(
            "Chec&k source",
            "stethoscope",
            "Connect, identify and read the chosen source",
            "Ctrl+Shift+B",
            view.check_one,
        ),
        "change": Button(
            "&Change...",
            "pencil",
            "Change the chosen source (Enter)",
            "",
            view.change,
        ),
        "password": Button(
            "&Password...",
            "key-round",
            "Put its password into this desktop's keyring",
            "",
            view.set_password,
        ),
        "remove": Button(
            "&Remove...",
            "trash-2",
            "Take the chosen source off the bench (Del)",
            "",
            view.remove,
        ),
    }
