"""Parts that measure power and noise: simulated meters on real sockets and ptys."""

from collections.abc import Callable
from pathlib import Path

from instruments.simulated.bench import BenchConfig
from instruments.simulated.faults import parse_fault
from instruments.simulated.meters.serial_line import SerialLine
from instruments.simulated.server import SimulatedBench
from instruments.simulated.sound_meters import Fault as SoundFault
from instruments.simulated.sound_meters import PtyMeter, SimulatedDt8852, SimulatedNsrt
from tests.faults.part import Fault, Part

_AT_A_PORT = {
    "refused": "refuse",
    "unplugged in mid answer": "drop",
    "silent": "silence",
    "late": "late",
    "garbage": "garbage",
    "slow": "slow",
    "half an answer": "half",
    "value frozen": "frozen",
}


def _at_port(bench: SimulatedBench, port: str, *without: str) -> dict[str, Fault]:
    def fault(name: str) -> Fault:
        found = parse_fault(f"{name},{port}")
        return Fault(lambda: bench.model.faults.set(found), bench.model.faults.clear)

    faults = {w: fault(n) for w, n in _AT_A_PORT.items() if w not in without}
    lock = bench.model.lock
    held: list[bool] = []

    def hang() -> None:
        held.append(lock.acquire())

    def go_on() -> None:
        while held:
            held.pop()
            lock.release()

    faults["process hung"] = Fault(hang, go_on)
    faults["back after 20 s"] = fault("refuse")
    return faults


def hmc8015(_: Path) -> Part:
    """A power analyser on a socket."""
    bench = SimulatedBench(BenchConfig(speedup=50.0))
    text = f"""[[power]]
name = "mains"
driver = "hmc8015"
resource = "TCPIP::127.0.0.1::{bench.meter_port}::SOCKET"
calibrated = 2026-03-31
"""
    faults = _at_port(bench, "meter")
    return Part(text, ("mains",), faults, bench.close)


def described(_: Path) -> Part:
    """A meter that is described in a text file, at the server."""
    bench = SimulatedBench(BenchConfig(meter="pa1000"))
    text = f"""[[power]]
name = "server_mains"
driver = "described"
meter = "pa1000"
resource = "TCPIP::127.0.0.1::{bench.meter_port}::SOCKET"
measures = "server"
"""
    return Part(text, ("server_mains",), _at_port(bench, "meter"), bench.close)


def enclosure(_: Path) -> Part:
    """The simulated enclosure and its sound meter, on a socket."""
    bench = SimulatedBench(BenchConfig(speedup=50.0))
    address = f'address = "127.0.0.1:{bench.enclosure_port}"'
    text = f"""[[thermal]]
name = "enclosure"
driver = "simulated"
{address}
[[noise]]
name = "noise"
driver = "simulated"
{address}
"""
    faults = _at_port(bench, "enclosure", "value frozen")
    return Part(text, ("enclosure", "noise"), faults, bench.close)


def hmc8015_serial(folder: Path) -> Part:
    """A power analyser on a serial line."""
    bench = SimulatedBench(BenchConfig(speedup=50.0))
    faults = bench.model.faults
    lines = [SerialLine(bench.answer_meter, faults)]
    device = folder / "ttyUSB0"
    device.symlink_to(lines[0].path)
    text = f"""[[power]]
name = "mains"
driver = "hmc8015"
resource = "ASRL{device}::INSTR"
"""

    def unplug() -> None:
        device.unlink(missing_ok=True)
        if lines:
            lines.pop().close()

    def plug() -> None:
        if not lines:
            lines.append(SerialLine(bench.answer_meter, faults))
            device.symlink_to(lines[0].path)

    def close() -> None:
        unplug()
        bench.close()

    known = _at_port(bench, "meter", "refused", "unplugged in mid answer", "slow")
    known["unplugged in mid answer"] = Fault(unplug, plug)
    known["back after 20 s"] = Fault(unplug, plug)
    return Part(text, ("mains",), known, close)


def dt8852(folder: Path) -> Part:
    """A sound level meter on a serial line that sends by itself."""
    return _sound_meter(folder, "dt8852", SimulatedDt8852)


def nsrt(folder: Path) -> Part:
    """A sound level meter on a serial line that is asked."""
    return _sound_meter(folder, "nsrt", SimulatedNsrt)


def _sound_meter(folder: Path, driver: str, make: Callable[[], PtyMeter]) -> Part:
    meters = [make()]
    device = folder / "ttyUSB0"
    device.symlink_to(meters[0].path)
    text = f'[[noise]]\nname = "sound"\ndriver = "{driver}"\ndevice = "{device}"\n'

    def fault(name: SoundFault) -> Fault:
        def begin() -> None:
            meters[0].fault = name

        def end() -> None:
            meters[0].fault = SoundFault.NONE

        return Fault(begin, end)

    def unplug() -> None:
        device.unlink(missing_ok=True)
        meters.pop().close()

    def plug() -> None:
        if not meters:
            meters.append(make())
            device.symlink_to(meters[0].path)

    faults = {
        "unplugged in mid answer": Fault(unplug, plug),
        "silent": fault(SoundFault.SILENT),
        "garbage": fault(SoundFault.GARBAGE),
        "half an answer": fault(SoundFault.CUT),
        "value frozen": fault(SoundFault.FROZEN),
        "back after 20 s": Fault(unplug, plug),
    }

    def close() -> None:
        for meter in meters:
            meter.close()

    return Part(text, ("sound",), faults, close)
