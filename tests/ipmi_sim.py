"""A real BMC simulator on loopback: ipmi_sim of OpenIPMI, with sensors from files."""

import socket
import subprocess
import time
from pathlib import Path
from typing import ClassVar

USER = "ipmiusr"
READER = "reader"
"""An account that may read and do no more."""

PASSWORD = "test-secret"

_HELLO = bytes.fromhex("0600ff07000000000000000000092018c88100388e04b5")
"""Get Channel Authentication Capabilities, which needs no session."""

_LAN = """name "{name}"
set_working_mc 0x20
  startlan 1
    addr 127.0.0.1 {port}
    priv_limit admin
    allowed_auths_callback none md2 md5 straight
    allowed_auths_user none md2 md5 straight
    allowed_auths_operator none md2 md5 straight
    allowed_auths_admin none md2 md5 straight
    guid a123456789abcdefa123456789abcdef
  endlan
  chassis_control "{control}"
  user 2 true "{user}" "{password}" admin 10 none md2 md5 straight
  user 3 true "{reader}" "{password}" user 10 none md2 md5 straight
"""
_CONTROL = """#!/bin/sh
# get|set, then a parameter and its value; the state lies in files.
op=$1; shift
case $op in
    get) for p in "$@"; do echo "$p:$(cat {folder}/$p 2>/dev/null || echo 0)"; done ;;
    set) while [ $# -gt 1 ]; do
        echo "$1 $2" >> {folder}/asked
        [ -e {folder}/stuck ] || echo "$2" > {folder}/$1
        shift 2
    done ;;
esac
"""


_THRESHOLD_BITS = " ".join(["000111111000000"] * 4)


class IpmiSim:
    """One simulated BMC; its sensors are in `SENSORS`.

    Args:
        folder: An empty folder of its own; names in it must not have blanks.
    """

    SENSORS: ClassVar = {
        # number, type, unit, M, R exponent, how its reading is linearised, and the
        # first byte of its units: form of the number, rate, modifier, percent
        "Inlet Temp": (1, 0x01, 1, 1, 0),
        "FAN 1": (2, 0x04, 18, 40, 0),
        "+12V": (3, 0x02, 4, 6, -2),
        "PSU1 Input": (4, 0x0B, 6, 4, 0),
        "Exhaust": (5, 0x01, 1, 1, 0),
        "Reciprocal": (6, 0x02, 4, 1, 0, 7),
        "Square": (7, 0x02, 4, 1, 0, 8),
        "Cube": (8, 0x02, 4, 1, 0, 9),
        "Exponential": (9, 0x02, 4, 1, 0, 4),
        "Power of two": (10, 0x02, 4, 1, 0, 6),
        "Logarithm": (11, 0x02, 4, 1, 0, 1),
        "Root": (12, 0x02, 4, 1, 0, 10),
        "By a table": (13, 0x01, 1, 1, 0, 0x70),
        "Board": (14, 0x01, 2, 1, 0),
        "Chip": (15, 0x01, 3, 2, 0),
        "Duty": (16, 0x04, 0, 1, 0, 0, 0x01),
        "Signed": (17, 0x01, 1, 1, 0, 0, 0x80),
        "Ones": (18, 0x01, 1, 1, 0, 0, 0x40),
        "Rate": (19, 0x0B, 6, 1, 0, 0, 0x18),
        "Falling": (20, 0x02, 4, -2, -1),
        "Great": (21, 0x0B, 6, 500, 1),
        "Apparent": (22, 0x0B, 9, 2, 0),
        "Length": (23, 0x0B, 28, 2, 0),
    }
    SILENT = ("Exhaust",)
    """Listed, but not scanned: a BMC says of such a sensor that it has no reading."""

    STARTING: ClassVar = {
        **{1: 27, 2: 75, 3: 201, 4: 55, 5: 41},
        **{6: 4, 7: 3, 8: 2, 9: 2, 10: 3, 11: 10, 12: 49, 13: 30, 14: 77, 15: 149},
        **{16: 45, 17: 0xF6, 18: 0xF6, 19: 30, 20: 50, 21: 20, 22: 100, 23: 9},
    }
    """Raw bytes: 27 degC, 3000 1/min, 12.06 V, 220 W, 41 degC; 1/4, 9, 8, e^2, 8,
    ln 10 and 7 V; 30 degC, 77 degF, 298 K; 45 %, -10 and -9 degC by two complements,
    30 W a second, -10 V, 100 kW, 200 VA, and 18 inches."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        control = folder / "control"
        control.write_text(_CONTROL.format(folder=folder))
        control.chmod(0o755)
        (folder / "power").write_text("1\n")
        (folder / "state" / "ipmi_sim" / "bmc").mkdir(parents=True)
        (folder / "lan.conf").write_text(
            _LAN.format(
                name="bmc",
                port=self.port,
                control=control,
                user=USER,
                reader=READER,
                password=PASSWORD,
            )
        )
        for number, raw in self.STARTING.items():
            self.set_raw(number, raw)
        (folder / "bmc.emu").write_text("\n".join(self._commands()) + "\n")

    def set_raw(self, number: int, raw: int) -> None:
        """Change the raw byte of a sensor; the simulator looks ten times a second."""
        unborn = self.folder / "new"
        unborn.write_text(f"{raw}\n")
        unborn.replace(self.folder / f"sensor{number}")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._process = subprocess.Popen(
            [
                *("ipmi_sim", "-n", "-c", str(self.folder / "lan.conf")),
                *("-f", str(self.folder / "bmc.emu"), "-s", str(self.folder / "state")),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
        )
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
            asker.connect(("127.0.0.1", self.port))
            asker.settimeout(0.2)
            end = time.monotonic() + 60
            while time.monotonic() < end:
                try:
                    asker.send(_HELLO)
                    asker.recv(64)
                except ConnectionRefusedError:
                    time.sleep(0.01)
                except TimeoutError:
                    continue
                else:
                    return
        self.kill()
        raise AssertionError("ipmi_sim did not answer")

    def kill(self) -> None:
        """End it at once, as a BMC that loses power."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _commands(self) -> list[str]:
        lines = [
            "mc_setbmc 0x20",
            "mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02",
            "sel_enable 0x20 1000 0x0a",
            "sensor_add 0x20 0 0 35 0x6f event-only",  # the watchdog; it must be there
        ]
        for name, sensor in self.SENSORS.items():
            number, kind, *_ = sensor
            critical, warning = upper_limits(number)
            file = self.folder / f"sensor{number}"
            lines.append(
                f'sensor_add 0x20 0 {number} {kind} 0x01 poll 100 file "{file}"'
            )
            lines.append(
                f"sensor_set_threshold 0x20 0 {number} settable 011000 "
                f"0 {critical} {warning} 0 0 0"
            )
            if name not in self.SILENT:
                lines.append(
                    f"sensor_set_event_support 0x20 0 {number} enable scanning "
                    f"per-state {_THRESHOLD_BITS}"
                )
            record = full_record(name, sensor)
            lines.append("main_sdr_add 0x20 " + " ".join(f"0x{b:02x}" for b in record))
        return [*lines, "mc_enable 0x20"]


def upper_limits(number: int) -> tuple[int, int]:
    """Get the raw limits of a sensor: critical and warning."""
    return (120, 110) if number == 1 else (210, 200)


def full_record(name: str, sensor: tuple[int, ...]) -> bytes:
    """Make a full sensor record (IPMI 2.0, table 43-1); `sensor` is as in `SENSORS`."""
    number, kind, unit, factor, exponent, *linearisation = sensor
    body = bytearray(43)
    body[0:3] = bytes((0x20, 0, number))  # owner, LUN, number
    body[3:5] = bytes((7, 1))  # system board
    body[5:7] = bytes((0x7F, 0x68))
    body[7:9] = bytes((kind, 0x01))
    body[13] = body[14] = 0x38  # readable upper thresholds
    body[16] = unit
    body[18], body[15] = (*linearisation, 0, 0)[:2]
    body[19] = factor & 0xFF
    body[20] = (factor >> 2) & 0xC0
    body[24] = (exponent & 0x0F) << 4
    body[31:34] = bytes(
        (0, *upper_limits(number))
    )  # upper non-recoverable, critical, non-critical
    body[42] = 0xC0 | len(name)
    body += name.encode("ascii")
    return bytes((0, 0, 0x51, 0x01, len(body))) + bytes(body)


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
