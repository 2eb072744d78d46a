"""Calibrate a microphone or a recording of a bench, and write it into bench.toml."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from app.bench.edit import put_source, save_bench
from app.bench.file import load_bench
from app.bench.model import Bench, SourceConfig
from instruments.errors import BadInput
from instruments.files.foreign_text import home_path, parsed_toml
from instruments.noise import microphone, wav
from instruments.settings import did_you_mean

if TYPE_CHECKING:
    from instruments.noise.calibration import Calibration
    from instruments.noise.weighting import Floats

_SETTLE_S = 1.0
"""Not listened to: an input that was just opened settles first."""


def calibrate_source(
    file: Path,
    source: str,
    *,
    level: float = 94.0,
    seconds: float = 5.0,
    tone: Path | None = None,
    anew: bool = False,
) -> "Calibration":
    """Measure the gain of a microphone from a calibrator's tone, and keep it.

    Args:
        file: The bench.toml; its comments stay.
        source: A [[noise]] with driver "microphone", or "wav" for a recording of the
            tone.
        level: Of the calibrator in dB.
        seconds: How long to listen.
        tone: A recording of the tone, in place of listening now.
        anew: Whether a gain far from the last one is right, as after the input gain
            was turned.

    Raises:
        BadInput: There is no such source, or the tone is refused; nothing is written.
        BenchError: The microphone cannot be heard.
    """
    # Here, because scipy takes a second that no other command should pay.
    from instruments.noise.calibration import calibrate  # noqa: PLC0415

    bench = load_bench(file)
    config = _find(bench, source)
    samples, rate = _sound(config, seconds, tone)
    last = config.keys.get("calibration")
    known = float(last) if isinstance(last, int | float) and not anew else None
    # The bench's own day is meant, as a person would write it down.
    today = datetime.now().astimezone().date()
    found = calibrate(samples, rate, today, tone=level, expected=known)
    keys = {**_written(bench, source), **found.keys}
    save_bench(put_source(bench, "noise", keys, instead_of=source), file)
    return found


def _find(bench: Bench, name: str) -> SourceConfig:
    able = [s for s in bench.sources if s.driver in (microphone.DRIVER, wav.DRIVER)]
    for source in able:
        if source.name == name:
            return source
    names = [source.name for source in able]
    raise BadInput(
        f'there is no microphone "{name}"{did_you_mean(name, names)}',
        where=bench.file,
        way_out=f"Available: {', '.join(names)}."
        if names
        else 'Add a [[noise]] with driver = "microphone".',
    )


def _written(bench: Bench, name: str) -> dict[str, str | int | float | bool]:
    """Get a source's keys as its table has them, without defaults."""
    names = [source.name for source in bench.sources if source.section == "noise"]
    table: dict[str, str | int | float | bool]
    table = parsed_toml(bench.text, "")["noise"][names.index(name)]
    return table


def _sound(
    config: SourceConfig, seconds: float, tone: Path | None
) -> tuple["Floats", int]:
    channel = int(str(config.keys.get("channel", 1)))
    if tone is not None or config.driver is wav.DRIVER:
        from instruments.noise.calibration import tone_of  # noqa: PLC0415
        from instruments.noise.recording import Recording  # noqa: PLC0415

        path = tone or home_path(str(config.keys["file"]))
        recording = Recording(path, channel, f"{config.name} ({path})")
        start = 0.0 if tone else float(str(config.keys.get("start", 0.0)))
        first = round(start * recording.rate)
        count = round(seconds * recording.rate)
        return tone_of(recording, first, count), recording.rate
    from instruments.noise.sound_devices import audio_api, find_input  # noqa: PLC0415
    from instruments.noise.sound_input import SoundInput, record  # noqa: PLC0415

    where = f"{config.name} ({config.address})"
    rate = int(str(config.keys.get("rate", 48_000)))
    api = audio_api(where)
    number, _ = find_input(api, config.address, where)
    sound = SoundInput(api, number, where, rate=rate, channel=channel)
    try:
        record(sound, rate, _SETTLE_S)
        return record(sound, rate, seconds), rate
    finally:
        sound.close()
