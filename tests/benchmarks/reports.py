"""Measures of reports: a day of 40 million samples, 20 steps, 12 charts.

Times are of the processor and of the wall, each command in a process of its own, with
its start and its imports.
"""

import json
from pathlib import Path

from app.analysis.results import step_results
from app.record.store import Result, Session, Writer
from instruments.reading import SECOND, Identity
from tests.benchmarks.bench_data import START, streams
from tests.benchmarks.command import spent_on
from tests.benchmarks.figure import Figure
from tests.benchmarks.writing import build

SECONDS = 108_000
"""370 samples a second come to 40 million in 30 hours."""

STEPS = 20
CHARTS = (
    *("IOPS", "Mean latency", "Active power", "Apparent power", "Reactive power"),
    *("Power factor \u03bb", "Voltage", "Current", "Frequency", "Energy"),
    *("Temperature", "Fans"),
)
TARGETS = {"pdf": 5, "html": 2, "xlsx": 3, "docx": None, "md": None}
MOST_MB = 400


def reports(folder: Path) -> list[Figure]:
    """Write the report of a long session in each format."""
    path = folder / "day.bayscope"
    samples, _ = build(path, streams(), SECONDS, _describe)
    own = folder / "config" / "bayscope" / "reports" / "twelve"
    own.mkdir(parents=True)
    (own / "report.toml").write_text(f"charts = {json.dumps(CHARTS)}\n", "utf-8")
    environment = {"XDG_CONFIG_HOME": str(folder / "config")}
    found = []
    for name, target in TARGETS.items():
        words = ["export", str(path), "--format", name, "--template", "twelve"]
        to = ["--to", str(folder / "out")]
        busy, wall, most = spent_on([*words, *to], environment)
        size = (folder / "out" / f"day.{name}").stat().st_size / 1e6
        how = f"{samples:,} samples, {STEPS} steps, {len(CHARTS)} charts, {size:.1f} MB"
        wanted = f"<= {target}" if target else ""
        found += [
            Figure(f"report, {name}", f"{busy:.1f}", "s (processor)", wanted, how),
            Figure(f"report, {name}, wall", f"{wall:.1f}", "s", wanted, ""),
            Figure(f"report, {name}, memory", f"{most:.0f}", "MB", f"<= {MOST_MB}", ""),
        ]
    return found


def _describe(writer: Writer) -> None:
    """Add a power meter, steps and their results to what was read."""
    who = Identity("Rohde&Schwarz", "HMC8015", "1", "1", "127.0.0.1")
    writer.add_source("mains", "power", "hmc8015", who, "")
    length = SECONDS * SECOND // STEPS
    windows = []
    for number in range(STEPS):
        label = f"Random read {4 * 2**number}k"
        step = writer.add_step(number + 1, label, "fio", '[fio]\nrw = "randread"\n')
        begin = START + number * length
        window = (begin + length // 10, begin + length * 9 // 10)
        writer.update_step(
            step,
            start_ns=begin,
            window_start_ns=window[0],
            window_end_ns=window[1],
            end_ns=begin + length - 1,
            outcome="DONE",
            verdict="PASS",
        )
        windows.append((step, window))
    writer.commit()
    with Session.open(writer.path) as session:
        results = [(step, step_results(session, window)) for step, window in windows]
    for step, found in results:
        for result in found:
            writer.result(step, result)
        window = windows[step - 1][1]
        for name, value, unit in (
            ("iops", 1e4, "1/s"),
            ("bandwidth_mb_s", 40.0, "MB/s"),
        ):
            writer.result(step, Result(name, value, unit, *window, 1, 1, "fio"))
    writer.commit()
