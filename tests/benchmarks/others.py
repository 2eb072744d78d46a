"""Measures beside QCoDeS and PyMeasure: the same ticks written, kept and loaded.

Both are installed into an environment that is made for the measure. Every program makes
ten ticks durable at a time; ratios are by time of the processor.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from app.record.store import Session, Writer
from instruments.reading import SECOND, Reading, Status
from tests.benchmarks import peers
from tests.benchmarks.bench_data import INFO, Floats, Stream, streams
from tests.benchmarks.command import apart
from tests.benchmarks.figure import Figure

LENGTHS_S = {1: 3600, 40: 60}
"""So long for how many meters of ten channels each that are read at 10 Hz."""
PACKAGES = {"qcodes": "qcodes==0.58.0", "pymeasure": "pymeasure==0.16.0"}
TARGETS = {
    "qcodes": {"write": 20, "load": 30, "size": 10},
    "pymeasure": {"load": 3, "size": 3},
}
TITLES = {"qcodes": "QCoDeS 0.58", "pymeasure": "PyMeasure 0.16"}


def others(folder: Path) -> list[Figure]:
    """Write ticks of ten channels and of 400 at 10 Hz with each, and load them all."""
    python = _environment(folder / "environment")
    meter = next(one for one in streams() if one.channels[0].source == "mains")
    figures = []
    for meters, seconds in LENGTHS_S.items():
        stream = meter.beside_itself(meters)
        place = folder / str(len(stream.channels))
        place.mkdir()
        figures += _beside_others(python, stream, seconds, place)
    return figures


def _beside_others(
    python: str, stream: Stream, seconds: int, folder: Path
) -> list[Figure]:
    ticks = folder / "ticks.npz"
    values = make_ticks(ticks, stream, seconds)
    own = apart(bayscope, ticks, stream, folder)
    found = {name: _other(python, name, ticks, folder) for name in PACKAGES}
    wide = f"{len(stream.channels)} channels"
    figures = [_speed(f"{wide}, Bayscope", own, values.size)]
    for name, theirs in found.items():
        figures.append(_speed(f"{wide}, {TITLES[name]}", theirs, values.size))
        for what, key in (("write", "write_s"), ("load", "load_s"), ("size", "bytes")):
            target = TARGETS[name].get(what)
            if what == "size":
                how = f"{theirs['bytes'] / values.size:.1f} bytes a value, we "
                how += f"{own['bytes'] / values.size:.1f}"
            else:
                how = f"{theirs[key]:.2f} s of the processor, we {own[key]:.3f}; "
                how += f"wall {theirs[f'{what}_wall_s'] / own[f'{what}_wall_s']:.1f}"
            figures.append(
                Figure(
                    f"{wide}, {what}, {TITLES[name]} by ours",
                    f"{theirs[key] / own[key]:.1f}",
                    "times",
                    f">= {target}" if target else "",
                    how,
                )
            )
    return figures


def make_ticks(path: Path, stream: Stream, seconds: int) -> Floats:
    """Keep what all of them record; get its values."""
    starts, ends, values = stream.readings(np.random.default_rng(1), 0, seconds)
    np.savez(path, times=starts / SECOND, starts=starts, ends=ends, values=values)
    return values


def bayscope(ticks: Path, stream: Stream, folder: Path) -> dict[str, float]:
    """Write and load with the program's own store."""
    path = folder / "own" / "ticks.bayscope"
    path.parent.mkdir()
    found = np.load(ticks)
    values, fine = found["values"], (Status.OK,) * len(stream.channels)
    rows = list(
        zip(
            found["starts"].tolist(),
            found["ends"].tolist(),
            values.tolist(),
            strict=True,
        )
    )

    def write() -> None:
        writer = Writer.create(path, INFO)
        for first in range(0, len(rows), peers.DURABLE):
            writer.append(
                [
                    Reading(stream.channels, start, end, tuple(row), fine)
                    for start, end, row in rows[first : first + peers.DURABLE]
                ]
            )
            writer.commit()
        writer.finish()

    def load() -> Any:
        with Session.open(path) as session:
            return np.column_stack(
                [session.trace(channel).mean for channel in stream.channels]
            )

    return peers.measured(path, write, load, values)


def _environment(place: Path) -> str:
    """Make an environment with the others; get its Python."""
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    python = str(place / "bin" / "python")
    install = [python, "-m", "pip", "install", "--quiet", *PACKAGES.values()]
    subprocess.run(install, check=True)
    return python


def _other(python: str, name: str, ticks: Path, folder: Path) -> dict[str, float]:
    place = folder / name
    place.mkdir()
    command = [python, peers.__file__, name, str(ticks), str(place)]
    own = os.environ | {"HOME": str(place)}
    own.pop("PYTHONPATH", None)
    printed = subprocess.check_output(command, text=True, env=own)
    found: dict[str, float] = json.loads(printed.splitlines()[-1])
    return found


def _speed(title: str, spent: dict[str, float], count: int) -> Figure:
    speed = f"{count / spent['write_s']:,.0f}"
    wall = f"{count / spent['write_wall_s']:,.0f} by the wall"
    how = f"{count:,} values, {peers.DURABLE} ticks of 10 durable at a time; {wall}"
    return Figure(f"{title}, write", speed, "values/s", "", how)
