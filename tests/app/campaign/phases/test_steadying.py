"""Rounds of a load that is still running: each is judged once all of it is told."""

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from app.analysis.steady.rounds import NEAR_NS, PERFORMANCE, POWER, TEMPERATURE, Rounds
from app.campaign.phases.phase import StepFindings
from app.campaign.phases.steady import Steadying
from app.plan.steady import SteadyPlan
from app.record.clock import SystemClock
from app.record.poll import SourceHealth
from app.record.recorder import Recorder
from app.record.store import Session, Writer
from instruments.reading import SECOND, Channel, Identity, Reading, Status
from tests.app.record.recording import INFO
from workloads.base import LoadOutcome, LoadResult, Measured

BEGIN = 4096 * SECOND
RATE = Channel("fio", "read_iops", "1/s", "", SECOND // 2)


class Stand:
    """A load that is told by hand, at a time that is set by hand."""

    def __init__(self, folder: Path, quantities: tuple[str, ...] = ("iops",)) -> None:
        self.recorder = Recorder(folder / "s.bayscope", INFO, clock=SystemClock())
        self.recorder.start()
        self.recorder.call(lambda writer: writer.introduce_load("fio"))
        self.session = Session.open(self.recorder.path)
        self.now = BEGIN
        run = SimpleNamespace(
            step=SimpleNamespace(is_load=True, engine="fio"),
            label="Load",
            session=self.session,
            recorder=self.recorder,
            clock=SimpleNamespace(monotonic_ns=lambda: self.now),
            findings=StepFindings(),
            refresh=self._refresh,
            tell=lambda _: None,
        )
        plan = SteadyPlan(quantities=quantities, round_s=2.0)
        self.steadying = Steadying(cast("Any", run), plan)
        self.steadying.begin(BEGIN)

    def _refresh(self) -> None:
        self.recorder.call(lambda writer: writer.commit())
        self.session.refresh()

    def tell(
        self, start_s: float, end_s: float, rate: float, channel: Channel = RATE
    ) -> None:
        start, end = (BEGIN + round(s * SECOND) for s in (start_s, end_s))
        self.recorder.append(Reading((channel,), start, end, (rate,), (Status.OK,)))

    def finish(self, end_s: float) -> LoadResult:
        """Let its program have ended, and tell until when it ran."""
        window = BEGIN, BEGIN + round(end_s * SECOND)
        values = {"iops": Measured(100.0, "1/s", "")}
        return self.steadying.finish(
            LoadResult(LoadOutcome.DONE, window=window, values=values)
        )

    def means_at(self, seconds: float) -> Mapping[str, list[float]]:
        """Let it judge what there is, and get the means of all rounds."""
        self.now = BEGIN + round(seconds * SECOND)
        self.steadying.is_done()
        watch = self.steadying._watch
        return watch.means if watch is not None else {}


@pytest.fixture
def stand(tmp_path: Path) -> Any:
    found = Stand(tmp_path)
    yield found
    found.session.close()
    found.recorder.close()


def test_a_round_waits_for_the_document_that_reaches_over_its_end(stand: Stand) -> None:
    """fio is late on a busy machine, and then tells at once of all that was meanwhile.

    Else the round is of what came in by chance, and nobody finds it again.
    """
    stand.tell(0.0, 0.5, 100.0)
    stand.tell(0.5, 1.5, 100.0)
    assert stand.means_at(3.5) == {}
    stand.tell(1.5, 3.6, 500.0)
    expected = (1.5 * 100 + 0.5 * 500) / 2
    assert stand.means_at(3.7) == {PERFORMANCE: [pytest.approx(expected)]}
    again = Rounds(stand.session, BEGIN).means((BEGIN, BEGIN + 2 * SECOND))
    assert again == {PERFORMANCE: stand.means_at(3.7)[PERFORMANCE][0]}


def test_a_load_that_says_nothing_any_more_is_not_waited_for(stand: Stand) -> None:
    stand.tell(0.0, 1.5, 100.0)
    assert stand.means_at(3.5) == {}
    late_s = (RATE.period_ns + NEAR_NS) / SECOND
    assert stand.means_at(1.9 + late_s) == {}
    assert stand.means_at(2 + late_s) == {PERFORMANCE: [100.0]}


def test_a_load_that_tells_every_minute_is_waited_for_as_long(stand: Stand) -> None:
    slow = replace(RATE, period_ns=60 * SECOND)
    stand.tell(0.0, 1.5, 100.0, slow)
    assert stand.means_at(2 + 65) == {}
    stand.tell(1.5, 61.5, 500.0, slow)
    assert stand.means_at(2 + 65) == {PERFORMANCE: [pytest.approx(200)]}


def test_a_load_that_has_told_nothing_yet_is_not_judged(stand: Stand) -> None:
    assert stand.means_at(3.5) == {}
    assert stand.means_at(60) == {}
    stand.tell(0.0, 4.0, 300.0)
    assert stand.means_at(60.1) == {PERFORMANCE: [300.0]}


def test_a_round_waits_for_what_was_being_read_at_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand = Stand(tmp_path, ("temperature",))
    try:
        add = partial(Writer.add_source, name="shelf", section="thermal", driver="t")
        nobody = Identity("", "", "", "", "")
        stand.recorder.call(partial(add, identity=nobody, config=""))
        slot = Channel("shelf", "temperature", "degC", "slot01")
        stand.tell(0.5, 0.5, 40.0, slot)
        began = BEGIN + 3 * SECOND // 2
        reading = {"shelf": SourceHealth("ok", reading_ns=began)}
        monkeypatch.setattr(stand.recorder, "health", lambda: reading)
        assert stand.means_at(5) == {}
        stand.tell(1.5, 1.9, 42.0, slot)
        reading["shelf"] = SourceHealth("ok")
        assert stand.means_at(5.1) == {TEMPERATURE: [41.0]}
    finally:
        stand.session.close()
        stand.recorder.close()


def test_a_round_waits_for_the_reading_of_power_at_its_end(tmp_path: Path) -> None:
    """Power goes straight from the last reading of a round over its end."""
    stand = Stand(tmp_path, ("power",))
    try:
        add = partial(Writer.add_source, name="mains", section="power", driver="t")
        nobody = Identity("", "", "", "", "")
        stand.recorder.call(partial(add, identity=nobody, config=""))
        power = Channel("mains", "P", "W")
        for number in range(-1, 2):
            stand.tell(number + 0.5, number + 0.5, 100.0, power)
        assert stand.means_at(3.1) == {}
        stand.tell(2.5, 2.5, 300.0, power)
        expected = {POWER: [pytest.approx((1.5 * 100 + 0.5 * 150) / 2)]}
        assert stand.means_at(3.2) == expected
        # One that is not there by then is not waited for any longer. Of a round of
        # which a quarter is known alone, the rest may be unlike that.
        assert stand.means_at(6.4) == expected
        first, second = stand.means_at(6.5)[POWER]
        assert first == expected[POWER][0]
        assert math.isnan(second)
    finally:
        stand.session.close()
        stand.recorder.close()


def test_a_round_after_the_end_of_a_load_does_not_count(stand: Stand) -> None:
    """A program that takes seconds to end tells that nothing was done in them."""
    for number in range(4):
        stand.tell(2.0 * number, 2.0 * number + 2, 100.0)
        stand.means_at(2.0 * number + 3.5)
    stand.tell(8.0, 10.5, 90.0)
    assert len(stand.means_at(11.5)[PERFORMANCE]) == 5
    result = stand.finish(8.2)
    [rounds, steady] = stand.steadying._run.findings.results
    assert (rounds.name, rounds.value) == ("steady_rounds", 4)
    assert (steady.name, steady.value) == ("steady.performance", 0)
    assert "not reached in 4 rounds" in stand.steadying._run.findings.missed
    [kept] = result.artefacts
    assert json.loads(kept.content)["means"] == {PERFORMANCE: [100.0] * 4}


def test_a_load_that_ended_in_its_first_round_was_not_judged(stand: Stand) -> None:
    stand.tell(0.0, 2.5, 100.0)
    assert len(stand.means_at(3.5)[PERFORMANCE]) == 1
    [kept] = stand.finish(1.5).artefacts
    assert json.loads(kept.content)["means"] == {}
    assert stand.steadying._run.findings.results == []
