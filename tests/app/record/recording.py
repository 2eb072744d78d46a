"""What the tests of recording share: a session's info, channels, readings."""

from collections.abc import Sequence

from app.record.store import SessionInfo
from instruments.reading import SECOND, Channel, Reading, Status

START = 4096 * SECOND
TENTH = SECOND // 10
INFO = SessionInfo(
    name="five loads",
    campaign='name = "five loads"\n',
    bench='name = "bench"\n',
    operator="me",
    app_version="0.1",
    simulated=False,
    dut="JBOD 60",
    boot_id="boot-1",
    monotonic_ns=START,
    realtime_ns=1_700_000_000 * SECOND,
)
POWER = (
    Channel("mains", "P", "W", period_ns=TENTH, latency_ns=5, window_ns=TENTH),
    Channel("mains", "U", "V", period_ns=TENTH),
)
NOISE = (Channel("noise", "LAeq", "dB"),)


def reading(
    channels: tuple[Channel, ...],
    start_ns: int,
    *values: float,
    statuses: Sequence[Status] | None = None,
    raw: bytes = b"",
    took_ns: int = 20_000_000,
) -> Reading:
    """Make a reading that took 20 ms; so its x is 10 ms after its start."""
    given = tuple(statuses or [Status.OK] * len(values))
    return Reading(channels, start_ns, start_ns + took_ns, values, given, raw)


def readings(
    channels: tuple[Channel, ...], count: int, start_ns: int = START
) -> list[Reading]:
    """Make readings on the beat; the first channel counts up, others stand still."""
    period = channels[0].period_ns
    rest = [230.0] * (len(channels) - 1)
    return [
        reading(channels, start_ns + number * period, float(number), *rest)
        for number in range(count)
    ]
