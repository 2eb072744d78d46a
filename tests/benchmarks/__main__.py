"""`python -m tests.benchmarks`: measure the program and print a table.

Every measure is made twice, so that each figure stands beside the machine's own noise.
Without names the long ones are left out and named.
"""

import os
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from app.cli.output import Parser
from instruments.errors import BadInput
from tests.benchmarks.command import apart, measured
from tests.benchmarks.figure import Figure

MEASURES = {
    "starting": "starting.starting",
    "ingest": "writing.ingest",
    "seals": "writing.seals",
    "size": "writing.size",
    "paced": "writing.paced",
    "opening": "opening.opening",
    "meter": "acquisition.meter",
    "repeats": "acquisition.repeats",
    "channels": "acquisition.many_channels",
    "alignment": "alignment.alignment",
    "window": "window.clicking.clicking",
    "compare": "window.comparing.comparing",
    "zooming": "window.zooming.zooming",
    "lengths": "window.lengths.lengths",
    "live": "window.live.live",
    "staying": "window.staying.staying",
    "importing": "importing.importing",
    "library": "window.library.library",
    "others": "others.others",
    "overhead": "fio_overhead.overhead",
    "documents": "fio_documents.documents",
    "samples": "samples.samples",
    "reports": "reports.reports",
}
"""Where each is: its module is imported where it is made, in a process of its own."""

Row = tuple[Figure, Figure | None]
"""A figure, and the same measured again, where that came to something."""

LONG = {
    "meter": "ten minutes at 10 Hz: 20 minutes",
    "repeats": "4 minutes",
    "channels": "4 minutes",
    "reports": "a session of 24 h as PDF, HTML and workbook: 2 minutes",
    "samples": "40 million samples beside other writers: 8 minutes",
    "alignment": "20 runs: one and a half hours",
    "lengths": "a session of 300 million samples: 6 minutes",
    "overhead": "18 rounds of fio, with and without Bayscope: 10 minutes",
    "live": "a run with 400 channels: 2 minutes",
    "staying": "40 sessions opened in turn, and a replay: 2 minutes",
    "library": "10,000 sessions are made and read: 2 minutes",
    "others": "installs QCoDeS and PyMeasure, which takes a network: 5 minutes",
}
"""Measures that are made by name alone, with how long both times take."""


def main() -> None:
    """Run the measures that were asked for, the short ones by default."""
    parser = Parser(prog="./run benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", default=[], help=f"of {', '.join(MEASURES)}"
    )
    parser.add_argument("--dir", type=Path, help="folder for the files (scratch)")
    options = parser.parse_args()
    for name in options.names:
        if name not in MEASURES:
            parser.error(f"there is no measure {name}, only {', '.join(MEASURES)}")
    rows: list[Row] = []
    begin = _machine()
    for name in options.names or (name for name in MEASURES if name not in LONG):
        once, again = (_measured(name, options.dir) for _ in range(2))
        by_name = {one.what: one for one in again}
        rows += [(one, by_name.get(one.what)) for one in once]
    print(f"{_table(rows)}\n\n{begin}\n{_machine()}")
    if not options.names:
        print("\nBy name alone, such as ./run benchmarks meter:")
        for name, told in LONG.items():
            print(f"  {name:9}  {told}")


def _measured(name: str, folder: Path | None) -> list[Figure]:
    print(f"measuring {name} ...", flush=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix="bench-") as place:
        return apart(measured, MEASURES[name], Path(place))


def _machine() -> str:
    """Say when it is, and how busy the machine is with all that runs on it."""
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    moment = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    return f"{moment}: {os.cpu_count()} processors, load {load} (1, 5, 15 minutes)"


def _table(found: Sequence[Row]) -> str:
    rows = [("Measure", "Figure", "Again", "Target", "How")]
    rows += [
        (
            one.what,
            f"{one.value} {one.unit}".strip(),
            again.value if again else "",
            one.target,
            one.how,
        )
        for one, again in found
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(line.rstrip() for line in lines)


if __name__ == "__main__":
    try:
        main()
    except BadInput as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(error.exit_code)
