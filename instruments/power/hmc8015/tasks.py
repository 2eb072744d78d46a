"""What an HMC8015 is set to measure at a time, and the channels made of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from instruments.power.hmc8015.config import MOST_FUNCTIONS, REFRESH_S, Config, Mode
from instruments.power.hmc8015.functions import Group, by_token
from instruments.power.hmc8015.instrument import Parsed
from instruments.power.ranging import Observed
from instruments.reading import ONCE_NS, SECOND, Channel, Status

WINDOW_NS = round(REFRESH_S * SECOND)
LATENCY_NS = round(REFRESH_S * SECOND)
"""Assumed: half the window, and half of the 100 ms for which a value is repeated."""

# As few as there can be: the fewer functions, the sooner the answer.
CAPTURE = {Mode.AC: ("P", "URMS", "IRMS"), Mode.DC: ("P", "UAVG", "IAVG")}
_PEAKS = ("UPP", "UMP", "IPP", "IMP")
_RANGES = ("URAN", "IRAN")


@dataclass(frozen=True, slots=True)
class Task:
    """One list of functions.

    Attributes:
        tokens: The functions that the meter is set to, in order.
        shown: What becomes a channel, with the two ranges.
        channels: One for each that is shown.
    """

    tokens: tuple[str, ...]
    shown: tuple[str, ...]
    channels: tuple[Channel, ...]

    @property
    def integrates(self) -> bool:
        """Whether it reads energy and the integrator's time."""
        # Energy without its time cannot be told from that of a stopped integrator.
        return "TIME" in self.tokens and "WH" in self.tokens

    @property
    def has_harmonics(self) -> bool:
        """Whether harmonics are among them."""
        return any(by_token(t).group is Group.HARMONICS for t in self.shown)


class Tasks:
    """All that one source does, with its channels.

    Args:
        name: Name of the source.
        config: What the bench says.

    Attributes:
        measure: Every reading.
        energy: The energy of a step, out of what `measure` asks for.
        extra: What is read once a step, by ten.
        capture: A start-up.
        ranging: The look at peaks, with automatic ranges.
    """

    def __init__(self, name: str, config: Config) -> None:
        self._name = name
        self._config = config
        self._channels: dict[str, Channel] = {}
        resident = tuple(function.token for function in config.resident)
        self.measure = self._task((*resident, "TIME"), (*resident, *_RANGES))
        self.energy = Task(
            self.measure.tokens,
            ("WH", "TIME"),
            (
                self._channel("Wh_step", "Wh", ONCE_NS),
                self._channel("integration_time", "s", ONCE_NS),
            ),
        )
        extra = [f.token for f in config.extra if f.token not in resident]
        self.extra = tuple(self._once(part) for part in _by_ten(extra))
        few = CAPTURE[config.mode]
        # The ranges are shown without being asked for: a capture has fixed ones, which
        # are known. The ranging pass has automatic ones, and asks.
        self.capture = self._task(few, (*few, *_RANGES))
        self.ranging = self._task((*few, *_PEAKS, *_RANGES), (*few, *_RANGES))

    def _task(self, tokens: Sequence[str], shown: Sequence[str]) -> Task:
        channels = tuple(self._of(token) for token in shown)
        return Task(tuple(tokens), tuple(shown), channels)

    def _once(self, tokens: Sequence[str]) -> Task:
        """Make the task of what is read once, after each step."""
        channels = tuple(self._channel(*self._named(t), ONCE_NS) for t in tokens)
        return Task(tuple(tokens), tuple(tokens), channels)

    def _of(self, token: str) -> Channel:
        """Get the one channel of a function."""
        if token not in self._channels:
            self._channels[token] = self._channel(*self._named(token))
        return self._channels[token]

    def _named(self, token: str) -> tuple[str, str]:
        """Get quantity and unit of a function."""
        if token in _RANGES:
            return (("U_range", "V"), ("I_range", "A"))[_RANGES.index(token)]
        function = self._config.named(by_token(token))
        return function.quantity, function.unit

    def _channel(self, quantity: str, unit: str, period_ns: int = 0) -> Channel:
        period = period_ns or round(self._config.period_s * SECOND)
        return Channel(self._name, quantity, unit, "", period, LATENCY_NS, WINDOW_NS)


@dataclass
class Seen:
    """What both inputs saw during a ranging pass."""

    voltage: Observed = field(default_factory=Observed)
    current: Observed = field(default_factory=Observed)

    def add(self, parsed: Parsed, crest_factor: float) -> None:
        """Add one set of values of the ranging task.

        Args:
            parsed: What was read.
            crest_factor: The meter's setting; times the range it is the least peak
                of an input that overflowed.
        """
        self.voltage = _added(self.voltage, parsed, "U", crest_factor)
        self.current = _added(self.current, parsed, "I", crest_factor)


def _added(seen: Observed, parsed: Parsed, letter: str, crest: float) -> Observed:
    rms, status = parsed.get(f"{letter}RMS") or parsed[f"{letter}AVG"]
    seen = seen.with_sample(rms, [parsed[f"{letter}{p}"][0] for p in ("PP", "MP")])
    size = parsed[f"{letter}RAN"][0]
    return seen.with_overflow(size * crest) if status is Status.OVERRANGE else seen


def _by_ten(tokens: Sequence[str]) -> Iterable[Sequence[str]]:
    for start in range(0, len(tokens), MOST_FUNCTIONS):
        yield tokens[start : start + MOST_FUNCTIONS]
