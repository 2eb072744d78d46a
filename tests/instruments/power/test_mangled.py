"""Answers mangled at random: a driver says so, or has values, and never stumbles."""

import math
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from app.bench.meters import load_meters
from instruments.errors import SourceError
from instruments.power.dialects.chroma import Chroma
from instruments.power.dialects.described import Described, Description
from instruments.power.dialects.hioki import Hioki
from instruments.power.dialects.lmg import DRIVER as LMG
from instruments.power.dialects.lmg import Lmg
from instruments.power.dialects.yokogawa import Yokogawa
from instruments.power.points import Timing
from instruments.power.polled import Dialect, PolledMeter
from instruments.power.step_ranges import StepRanges
from instruments.power.unchanged import STALE_AFTER_S
from instruments.reading import Reading, Status
from instruments.settings import Settings
from instruments.simulated.bench import BenchConfig, BenchModel
from instruments.simulated.meters.model import MeterModel
from tests.instruments.given import given
from tests.instruments.power.dialect_bench import Clock

ROUNDS = 120
LETTERS = "0123456789+-.,;:E? NAIFxµ\x00"


def pa1000() -> Dialect:
    meter = load_meters(Path("no such folder"))["pa1000"]
    assert isinstance(meter, Description)
    return Described(meter)


DIALECTS: dict[str, Callable[[], Dialect]] = {
    "yokogawa": lambda: Yokogawa(StepRanges((300.0, 10.0)), ("1", "2")),
    "gwinstek": lambda: Yokogawa(StepRanges((300.0, 10.0))),
    "hioki": lambda: Hioki(StepRanges((300.0, 10.0)), ("1", "2")),
    "chroma": lambda: Chroma(StepRanges((300.0, 20.0)), ("1", "4")),
    "pa1000": pa1000,
}


class Mangler:
    """Changes an answer now and then: cuts it, or puts letters in or in place."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.rate = 0.0

    def __call__(self, answer: str) -> str:
        if self._random.random() >= self.rate:
            return answer
        at = self._random.randrange(len(answer) + 1)
        letter = self._random.choice(LETTERS)
        return self._random.choice(
            [
                answer[:at],
                answer[at:],
                answer[:at] + letter + answer[at:],
                answer[:at] + letter + answer[at + 1 :],
                answer + answer,
                "",
            ]
        )


class MangledTransport:
    """Talks to a simulated meter without a socket, through a mangler."""

    def __init__(self, meter: MeterModel, mangler: Mangler) -> None:
        self._meter = meter
        self._mangler = mangler

    def query(self, message: str) -> str:
        answer = self._meter.handle(message + "\n")
        if answer is None:
            raise SourceError("no answer", status=Status.TIMEOUT)
        return self._mangler(answer).strip()

    def write(self, message: str) -> None:
        self._meter.handle(message + "\n")

    def close(self) -> None:
        pass


def check(reading: Reading) -> None:
    for value, status in zip(reading.values, reading.statuses, strict=True):
        assert math.isnan(value) is not status.is_value
        assert not math.isinf(value)


@pytest.mark.parametrize("name", DIALECTS)
def test_a_mangled_answer_is_an_error_or_a_value(name: str) -> None:
    bench = BenchModel(BenchConfig(meter=name))
    mangler = Mangler(seed=7)
    clock = Clock()
    meter = PolledMeter(
        Settings("mains", {"resource": "VISA", "stale_after": STALE_AFTER_S}),
        "driver",
        DIALECTS[name](),
        Timing(0.25, 0.25, 0.25),
        transport=lambda _resource, _timeout: MangledTransport(bench.meter, mangler),
        clock=clock,
        sleep=clock.sleep,
    )
    good = 0
    failures: list[str] = []
    for number in range(ROUNDS):
        mangler.rate = 0.02 if number % 2 else 0.3
        bench.advance(0.1)
        try:
            meter.open()
            check(meter.read())
            good += 1
        except SourceError as error:
            failures.append(str(error))
    assert failures
    assert good
    assert not [text for text in failures if "\n" in text]


class MangledStream:
    """A simulated LMG without a socket, which sends its rows through a mangler."""

    def __init__(self, bench: BenchModel, mangler: Mangler, clock: Clock) -> None:
        self._bench = bench
        self._mangler = mangler
        self._clock = clock
        self._come = b""

    def send(self, line: bytes) -> None:
        answer = self._bench.meter.handle(line.decode())
        self._come += self._line(answer) if answer is not None else b""

    def receive(self, timeout_s: float) -> bytes:
        if not self._come and timeout_s > 0.0:
            self._clock.sleep(0.1)
            self._bench.advance(0.1)
            rows = self._bench.meter.unasked()
            self._come = b"".join(self._line(row) for row in rows)
        come, self._come = self._come, b""
        return come

    def close(self) -> None:
        pass

    def _line(self, text: str) -> bytes:
        return self._mangler(text).encode() + b"\r\n"


def test_a_mangled_row_is_an_error_or_a_value() -> None:
    bench = BenchModel(BenchConfig(meter="lmg"))
    mangler, clock = Mangler(seed=11), Clock()
    meter = Lmg(
        given(LMG, "mains", address="192.0.2.5:5025"),
        connect=lambda _: MangledStream(bench, mangler, clock),
        clock=clock,
    )
    good = 0
    failures: list[str] = []
    for number in range(ROUNDS // 4):
        mangler.rate = 0.02 if number % 2 else 0.3
        try:
            meter.open()
            check(meter.read())
            good += 1
        except SourceError as error:
            failures.append(str(error))
    assert failures
    assert good
    assert not [text for text in failures if "\n" in text]
