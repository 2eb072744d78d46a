"""The line protocol of the simulated enclosure; docs/simulated-bench.md has it all.

Every line is answered by one line: JSON or a number for a question, "OK" for a
command, "ERROR" and a sentence for what is not understood.
"""

import json
import math
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path
from typing import TypeVar

from instruments.reading import Status
from instruments.simulated.bays import Bays
from instruments.simulated.bench import BenchModel
from instruments.simulated.calibration import FullScale
from instruments.simulated.drives import State
from instruments.simulated.faults import Port, parse_fault
from instruments.simulated.lag import MOST_S
from instruments.simulated.physics import SLOTS, Power

IDENTITY = "Bayscope,ENCLOSURE60,SIM000002,1.0"

_DUT = {
    Power.OFF: "off",
    Power.STANDBY: "bmc",
    Power.STARTING: "starting",
    Power.ON: "on",
}

Handler = TypeVar("Handler")
Values = dict[str, tuple[float | None, str]]


class EnclosurePort:
    """Answers lines about one simulated bench; not tied to a connection."""

    def __init__(self, bench: BenchModel) -> None:
        self._bench = bench
        bays = Bays(bench.enclosure)
        self._queries: dict[str, Callable[[], str]] = {
            "*IDN": lambda: IDENTITY,
            "TEMPerature": lambda: json.dumps(self._temperatures()),
            "FAN": lambda: json.dumps(self._fans()),
            "NOISE": lambda: json.dumps(self._noise()),
            "STATe": lambda: json.dumps(bays.modules()),
            "SIMulate:DRIVe": bays.states,
            "SIMulate:LOCate": bays.lit,
            "SIMulate:LOAD": self._load,
            "SIMulate:FULL": self._full,
            "SIMulate:CALibrate": lambda: self._bench.calibration.origin.value,
            "SIMulate:FAULt": self._fault,
            "SIMulate:POWer": lambda: self._bench.enclosure.power.value,
            "SIMulate:DUT": lambda: _DUT[self._bench.enclosure.power],
            "SIMulate:TARGet": lambda: self._bench.reader.watched,
        }
        self._commands: dict[str, Callable[[str], None]] = {
            "SIMulate:FULL": self._set_full,
            "SIMulate:CALibrate": self._calibrate,
            "SIMulate:FAULt": self._set_fault,
            "SIMulate:POWer": self._switch,
            "SIMulate:DUT": self._switch_dut,
            "SIMulate:TARGet": lambda text: self._bench.follow(Path(text)),
            "SIMulate:SLOT": self._set_slot,
            "SIMulate:DRIVe": bays.order,
            "SIMulate:LOCate": bays.locate,
        }
        self._add_number("SIMulate:SPEedup", bench.enclosure, "speedup", 0.1, 1000.0)
        self._add_number("SIMulate:AMBient", bench.enclosure, "ambient", -20.0, 60.0)
        self._add_number("SIMulate:REST", bench, "rest_s", 0.0, 3600.0)
        self._add_number("SIMulate:SHARe", bench.acquisition, "share", 0.0, 100.0)
        self._add_number("SIMulate:CREst", bench.acquisition, "crest", 1.0, 100.0)
        self._add_number("SIMulate:LAG:POWer", bench.lags, "power", 0.0, MOST_S)
        self._add_number("SIMulate:LAG:SOUNd", bench.lags, "sound", 0.0, MOST_S)
        self._add_number("SIMulate:DELay", bench.lags, "answer", 0.0, MOST_S)

    def _add_number(
        self, header: str, owner: object, name: str, low: float, high: float
    ) -> None:
        """Add the question for a number and the command that sets it."""
        self._queries[header] = lambda: f"{getattr(owner, name):g}"
        self._commands[header] = lambda text: setattr(
            owner, name, _number(text, low, high)
        )

    @property
    def headers(self) -> tuple[str, ...]:
        """Get the headers of all questions and commands."""
        return tuple(dict.fromkeys((*self._queries, *self._commands)))

    def handle(self, line: str) -> str:
        """Answer one line."""
        header, _, rest = line.strip().partition(" ")
        try:
            if header.endswith("?"):
                return _find(self._queries, header[:-1])()
            _find(self._commands, header)(rest.strip())
        # OSError: a target that cannot be watched, which the line has named.
        except (ValueError, OSError) as error:
            return f"ERROR {error}"
        return "OK"

    def _temperatures(self) -> Values:
        enclosure = self._bench.enclosure
        values: Values = {}
        for slot, temperature in enumerate(enclosure.drives):
            status = self._bench.slot_faults.get(slot, "ok")
            is_out = enclosure.bays.states[slot] is State.OUT
            if is_out or enclosure.power is Power.OFF:
                status = "absent"
            elif not enclosure.answers(slot):  # asleep, or on its way up
                status = "standby"
            has_value = Status(status).is_value
            values[f"slot{slot:02d}"] = (
                round(temperature, 1) if has_value else None,
                status,
            )
        for place, temperature in (
            ("inlet", enclosure.ambient),
            ("exhaust", enclosure.exhaust),
        ):
            values[place] = self._if_on(round(temperature, 1))
        return values

    def _if_on(self, value: float) -> tuple[float | None, str]:
        """Give a value, unless there is nothing that could measure it."""
        is_off = self._bench.enclosure.power is Power.OFF
        return (None, "absent") if is_off else (value, "ok")

    def _fans(self) -> Values:
        speeds = self._bench.enclosure.fan_speeds()
        return {
            f"fan{number}": self._if_on(round(rpm, -1))
            for number, rpm in enumerate(speeds, 1)
        }

    def _noise(self) -> Values:
        sound = self._bench.sound
        return {
            "LAeq": (round(sound.equivalent, 1), "ok"),
            "LAFmax": (round(sound.maximum, 1), "ok"),
        }

    def _load(self) -> str:
        calibration = self._bench.calibration
        load = self._bench.enclosure.load
        return json.dumps(
            {
                "sequential_read": round(load.sequential_read, 4),
                "sequential_write": round(load.sequential_write, 4),
                "random_read": round(load.random_read, 4),
                "random_write": round(load.random_write, 4),
                "read_bps": round(calibration.rates.read_bps),
                "write_bps": round(calibration.rates.write_bps),
                "read_iops": round(calibration.rates.read_iops),
                "write_iops": round(calibration.rates.write_iops),
                "full_scale": calibration.origin.value,
                "watched": self._bench.reader.watched,
            }
        )

    def _full(self) -> str:
        return ",".join(f"{each:.0f}" for each in astuple(self._bench.calibration.full))

    def _set_full(self, text: str) -> None:
        parts = [_number(part, 1.0, 1e15) for part in text.split(",")]
        if len(parts) != 4:
            raise ValueError("expected read and write B/s, read and write 1/s")
        self._bench.calibration.set(FullScale(*parts))

    def _calibrate(self, text: str) -> None:
        if _is(text, "STARt"):
            self._bench.calibration.start()
        elif _is(text, "STOP"):
            self._bench.calibration.stop()
        else:
            raise ValueError("expected STARt or STOP")

    def _fault(self) -> str:
        faults = self._bench.faults
        return ",".join(f"{port}={faults.at(port) or 'none'}" for port in Port)

    def _set_fault(self, text: str) -> None:
        if text.upper() == "NONE":
            self._bench.faults.clear()
        else:
            self._bench.faults.set(parse_fault(text))

    def _switch(self, text: str) -> None:
        if text.upper() not in ("ON", "OFF"):
            raise ValueError("expected ON or OFF")
        self._bench.enclosure.switch(text.upper() == "ON")

    def _switch_dut(self, text: str) -> None:
        enclosure = self._bench.enclosure
        match text.upper():
            case "OFF":
                enclosure.cut()
            case "BMC":
                enclosure.switch(False)
            case "ON":
                enclosure.start()
            case "READY":
                enclosure.settle()
            case _:
                raise ValueError("expected OFF, BMC, ON or READY")

    def _set_slot(self, text: str) -> None:
        number, _, name = text.partition(",")
        slot = int(_number(number, 0, SLOTS - 1))
        self._bench.slot_faults[slot] = Status(name.strip().lower()).value


def is_simulate(line: str) -> bool:
    """Whether a line steers the simulation itself, and so is answered in any case."""
    return line.strip().upper().startswith("SIM")


def _find(table: dict[str, Handler], header: str) -> Handler:
    for name, handler in table.items():
        if _is(header, name):
            return handler
    raise ValueError(f'"{header[:40]}" is not known here')


def _is(text: str, name: str) -> bool:
    """Whether a header is the short or the long form of a name, node by node."""
    nodes, names = text.upper().split(":"), name.split(":")
    return len(nodes) == len(names) and all(
        node in (full.upper(), "".join(c for c in full if not c.islower()))
        for node, full in zip(nodes, names, strict=True)
    )


def _number(text: str, low: float, high: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        raise ValueError(f'"{text[:40]}" is not a number from {low:g} to {high:g}')
    return value
