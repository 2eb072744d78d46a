import os
import select
import signal
import subprocess
import sys

import pytest

from instruments.noise.dt8852_stream import Dt8852Stream, Mode
from instruments.simulated.sound_meters import Fault, SimulatedDt8852, fan_noise
from tests import needs

pytestmark = needs.pseudo_terminals


def test_the_program_prints_the_device_and_sends_there() -> None:
    argv = [sys.executable, "-m", "instruments.simulated.sound_meters", "dt8852"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        device = process.stdout.readline().strip()
        port = os.open(device, os.O_RDONLY | os.O_NOCTTY)
        stream = Dt8852Stream()
        heard = stream.feed(b"")
        while not heard.levels:
            ready, _, _ = select.select([port], [], [], 10.0)
            assert ready
            heard.add(stream.feed(os.read(port, 4096)))
        os.close(port)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    assert 44 < heard.levels[0] < 48
    assert heard.garbage == 0
    assert (Mode.WEIGHTING, "C") in heard.modes


def test_every_other_key_is_missed() -> None:
    meter = SimulatedDt8852(fan_noise)
    meter.answer(b"\x99")
    assert meter.settings["weighting"] == 0x1C
    meter.answer(b"\x99")
    assert meter.settings["weighting"] == 0x1B
    meter.close()
    meter.close()


@pytest.mark.parametrize("fault", [Fault.NONE, Fault.FROZEN])
def test_a_frozen_meter_has_one_level(fault: Fault) -> None:
    levels = iter(range(40, 60))
    meter = SimulatedDt8852(lambda: float(next(levels, 60)))
    meter.fault = fault
    found = {meter.measured() for _ in range(5)}
    assert (len(found) == 1) is (fault is Fault.FROZEN)
    meter.close()
