"""Writes a session like the demo's with the real writer, in a second or less."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.record.store import Result, Writer
from instruments.reading import SECOND, Channel, Identity, Status
from tests.session_info import session_info

START = 5_000 * SECOND
REALTIME = 1_758_000_000 * SECOND
IDLE_W = 412.0
STEPS = (
    ("Idle", "idle", 0.0, 0.0, 0.0),
    ("Sequential write 4M", "fio", 0.0, 2100.0, 0.75),
    ("Sequential read 4M", "fio", 2600.0, 0.0, 0.8),
    ("Random write 4k", "fio", 0.0, 160.0, 0.5),
    ("Random read 4k", "fio", 220.0, 0.0, 0.65),
    ("Mixed 4k/64k/256k/2M", "fio", 900.0, 880.0, 1.0),
    ("Cool-down", "cooldown", 0.0, 0.0, 0.0),
)
"""Label, engine, MB/s read, MB/s written, activity from 0 to 1."""

Floats = NDArray[np.float64]

MAINS = tuple(
    Channel("mains", quantity, unit, period_ns=SECOND // 10, window_ns=SECOND // 10)
    for quantity, unit in (
        ("P", "W"),
        ("S", "VA"),
        ("lambda", ""),
        ("U", "V"),
        ("I", "A"),
    )
)
SLOTS = tuple(
    Channel("enclosure", "temperature", "degC", f"slot{number:02d}")
    for number in range(60)
)
AIR = tuple(
    Channel("enclosure", "temperature", "degC", place) for place in ("inlet", "exhaust")
)
FANS = tuple(Channel("enclosure", "fan", "1/min", f"fan{n}") for n in range(1, 7))
NOISE = (Channel("noise", "LAeq", "dB"), Channel("noise", "LAFmax", "dB"))
FIO = tuple(
    Channel("fio", f"{side}_{quantity}", unit, period_ns=SECOND // 2)
    for side in ("read", "write")
    for quantity, unit in (("bw", "B/s"), ("iops", "1/s"), ("lat", "s"), ("p99", "s"))
)


def open_files(folder: Path) -> list[str]:
    """List what this process has open below a folder."""
    found = []
    for link in Path("/proc/self/fd").iterdir():
        try:
            target = str(link.readlink())
        except FileNotFoundError:
            continue
        if target.startswith(f"{folder}/"):
            found.append(target)
    return sorted(found)


def changed_copy(path: Path, copy: Path) -> Path:
    """Copy a session, with one value of a result another than was recorded."""
    shutil.copy(path, copy)
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("UPDATE result SET value = 4e6 WHERE name = 'iops'")
    return copy


def write_sample(
    path: Path,
    *,
    step_s: float = 16.0,
    seed: int = 1,
    factor: float = 1.0,
    name: str = "Demo: five workloads",
    silence: bool = True,
) -> Path:
    """Write a finished session with seven steps; see `begin_sample`."""
    path, writer = begin_sample(
        path, step_s=step_s, seed=seed, factor=factor, name=name, silence=silence
    )
    writer.set_session(
        verdict="PASS", outcome="DONE", ended_ns=_at(len(STEPS) * step_s)
    )
    writer.finish()
    return path


def begin_sample(
    path: Path,
    *,
    step_s: float = 16.0,
    seed: int = 1,
    factor: float = 1.0,
    name: str = "Demo: five workloads",
    silence: bool = True,
) -> tuple[Path, Writer]:
    """Write a session with seven steps and leave it being recorded.

    Args:
        path: The file to make.
        step_s: Length of each step in seconds.
        seed: Of the noise on the readings.
        factor: How much faster the device is than the sample's own.
        name: Name of the session.
        silence: Whether the meter is silent for a while in the third step.
    """
    random = np.random.default_rng(seed)
    info = session_info(
        name=name,
        campaign='name = "Demo"\n',
        bench='name = "Simulated bench"\n',
        operator="lab",
        dut="Simulated 60-bay JBOD",
        monotonic_ns=START,
        realtime_ns=REALTIME,
    )
    writer = Writer.create(path, info)
    for source, section, model in (
        ("mains", "power", "HMC8015"),
        ("enclosure", "thermal", "Enclosure 60"),
        ("noise", "noise", "Sound meter"),
    ):
        who = Identity("Bayscope", model, "SIM-1", "1.0", "127.0.0.1", simulated=True)
        writer.add_source(source, section, "simulated", who, "")
    writer.add_source("fio", "load", "fio", None, "")
    whole = len(STEPS) * step_s
    _power(writer, random, step_s, factor, silence=silence)
    _temperatures(writer, random, step_s, whole)
    _sound(writer, random, step_s, whole)
    for position in range(1, len(STEPS) + 1):
        _step(writer, random, position, step_s, factor)
    writer.event(START + SECOND // 8, "info", "bench", "The simulated bench is ready")
    if silence:
        gone = _at(2 * step_s + 4)
        writer.event(gone, "warning", "mains", "No answer within 1 s; reopening")
        writer.event(_at(2 * step_s + 7), "info", "mains", "Answers again")
    writer.commit()
    return path, writer


def _at(seconds: float) -> int:
    return START + int(seconds * SECOND)


def _times(seconds: float, period: float) -> NDArray[np.int64]:
    count = int(seconds / period)
    return START + (np.arange(count) * period * SECOND).astype(np.int64)


def _activity(times: NDArray[np.int64], step_s: float) -> Floats:
    index = ((times - START) / SECOND / step_s).astype(int)
    loads: Floats = np.array([step[4] for step in STEPS])
    activity: Floats = loads[np.minimum(index, len(STEPS) - 1)]
    return activity


def _bulk(
    writer: Writer,
    channels: tuple[Channel, ...],
    times: NDArray[np.int64],
    columns: list[Floats],
) -> None:
    writer.append_trace(
        channels, times, times + 2_000_000, np.column_stack(columns).astype(float)
    )


def _power(
    writer: Writer,
    random: np.random.Generator,
    step_s: float,
    factor: float,
    *,
    silence: bool,
) -> None:
    times = _times(len(STEPS) * step_s, 0.1)
    load = _activity(times, step_s)
    watts = IDLE_W + 185 * load * factor + random.normal(0, 2.5, len(times))
    ratio = 0.962 + 0.02 * load + random.normal(0, 0.001, len(times))
    volts = 230 + random.normal(0, 0.2, len(times))
    columns = [watts, watts / ratio, ratio, volts, watts / ratio / volts]
    columns = [np.round(column, 3) for column in columns]
    if silence:
        seconds = (times - START) / SECOND - 2 * step_s
        gone = (seconds > 4) & (seconds < 7)
        keep = ~gone
        _bulk(writer, MAINS, times[keep], [column[keep] for column in columns])
        first, last = int(times[gone][0]), int(times[gone][-1])
        writer.gap(MAINS, first, last, Status.TIMEOUT, "no answer within 1 s")
    else:
        _bulk(writer, MAINS, times, columns)


def _heat(times: NDArray[np.int64], step_s: float) -> Floats:
    load = _activity(times, step_s)
    state = np.empty(len(times))
    now = 0.0
    for index, wanted in enumerate(load):
        now += (wanted - now) / 25
        state[index] = now
    return state


def _temperatures(
    writer: Writer, random: np.random.Generator, step_s: float, whole: float
) -> None:
    times = _times(whole, 1.0)
    heat = _heat(times, step_s)
    columns = [
        np.round(29 + 0.05 * slot + (9 + 0.08 * slot) * heat, 0)
        for slot in range(len(SLOTS))
    ]
    inlet = np.round(23.4 + random.normal(0, 0.05, len(times)), 1)
    columns += [inlet, np.round(inlet + 6 + 8 * heat, 1)]
    fans = [
        np.round(4800 + 3600 * heat + random.normal(0, 25, len(times))) for _ in FANS
    ]
    _bulk(writer, (*SLOTS, *AIR, *FANS), times, [*columns, *fans])


def _sound(
    writer: Writer, random: np.random.Generator, step_s: float, whole: float
) -> None:
    times = _times(whole, 1.0)
    level = 52 + 14 * _heat(times, step_s) + random.normal(0, 0.3, len(times))
    _bulk(writer, NOISE, times, [np.round(level, 1), np.round(level + 1.8, 1)])


def _step(
    writer: Writer,
    random: np.random.Generator,
    position: int,
    step_s: float,
    factor: float,
) -> None:
    label, engine, read, write, load = STEPS[position - 1]
    start = _at((position - 1) * step_s)
    window, end = start + int(0.12 * step_s * SECOND), start + int(step_s * SECOND) - 1
    number = writer.add_step(position, label, engine, "")
    writer.update_step(
        number,
        start_ns=start,
        window_start_ns=window,
        window_end_ns=end,
        end_ns=end,
        outcome="DONE",
        verdict="PASS" if engine == "fio" else None,
    )
    writer.event(start, "info", "runner", f"Step {position} of {len(STEPS)}: {label}")
    block = 4096 if "4k" in label and "Mixed" not in label else 4 * 2**20
    if engine == "fio":
        times = _times(step_s - 0.5, 0.5) + (start - START)
        columns = []
        for side in (read, write):
            rate = side * 1e6 * factor * (1 + random.normal(0, 0.02, len(times)))
            operations = rate / block
            latency = np.where(rate > 0, 8 / np.maximum(operations, 1e-9), np.nan)
            columns += [rate, operations, latency, latency * 2.2]
        _bulk(writer, FIO, times, columns)
    results = {
        "power_w": (IDLE_W + 185 * load * factor, "W"),
        "lambda": (0.962 + 0.02 * load, ""),
        "noise_db": (52 + 12 * load, "dB"),
        "ambient_c": (23.4, "degC"),
        "drive_min_c": (31 + 7 * load, "degC"),
        "drive_max_c": (34 + 12 * load, "degC"),
        "energy_wh": ((IDLE_W + 185 * load) * step_s / 3600, "Wh"),
        "duration_s": (step_s, "s"),
        "simulated": (1.0, ""),
    }
    if engine == "fio":
        results["bandwidth_mb_s"] = ((read + write) * factor, "MB/s")
        results["iops"] = ((read + write) * factor * 1e6 / block, "1/s")
    for name, (value, unit) in results.items():
        writer.result(number, Result(name, value, unit, window, end))
