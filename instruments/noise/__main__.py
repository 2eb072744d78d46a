"""`python -m instruments.noise`: calibrate a microphone, or show what filters miss."""

import argparse
import datetime
import sys
from pathlib import Path

from instruments.errors import BenchError
from instruments.noise.calibration import Calibration, calibrate, tone_of
from instruments.noise.recording import Recording
from instruments.noise.sound_devices import audio_api, find_input
from instruments.noise.sound_input import SoundInput, record
from instruments.noise.weighting import Floats
from instruments.noise.weighting_table import table_text

_SETTLE_S = 1.0


def main() -> int:
    """Run one command; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m instruments.noise", description=__doc__
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("table", help="what the weighting filters miss, in dB")
    tone = commands.add_parser("calibrate", help="with a calibrator on the microphone")
    place = tone.add_mutually_exclusive_group(required=True)
    place.add_argument("--device", help="name of the sound input")
    place.add_argument("--file", type=Path, help="a recording of the tone")
    tone.add_argument("--level", type=float, default=94.0, help="of the tone, in dB")
    tone.add_argument("--channel", type=int, default=1)
    tone.add_argument("--rate", type=int, default=48_000)
    tone.add_argument("--seconds", type=float, default=5.0)
    tone.add_argument("--last", type=float, help="the last calibration, to compare")
    given = parser.parse_args()
    if given.command == "table":
        print(table_text())
        return 0
    try:
        samples, rate = _sound(given)
        # The bench's own day is meant, as a person would write it down.
        today = datetime.datetime.now().astimezone().date()
        found = calibrate(samples, rate, today, tone=given.level, expected=given.last)
    except BenchError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    _show(found)
    return 0


def _sound(given: argparse.Namespace) -> tuple[Floats, int]:
    if given.file is not None:
        recording = Recording(given.file, given.channel, str(given.file))
        return tone_of(recording), recording.rate
    api = audio_api(given.device)
    number, name = find_input(api, given.device, given.device)
    source = SoundInput(api, number, name, rate=given.rate, channel=given.channel)
    try:
        record(source, given.rate, _SETTLE_S)
        return record(source, given.rate, given.seconds), given.rate
    finally:
        source.close()


def _show(found: Calibration) -> None:
    for key, value in found.keys.items():
        print(f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value}")
    print(
        f"# {found.frequency:.1f} Hz, steady to {found.spread:.2f} dB, "
        f"{-found.residual:.0f} dB above the noise"
    )


if __name__ == "__main__":
    sys.exit(main())
