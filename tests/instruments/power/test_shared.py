"""A meter that somebody else is using: left alone by a look, freed when asked to."""

import pytest

from app.operations.bench.check import look
from instruments.base import Shared, Source
from instruments.errors import SourceError
from instruments.exclusion import excluding
from instruments.power.dialects.chroma import Chroma
from instruments.power.dialects.hioki import Hioki
from instruments.power.dialects.yokogawa import Yokogawa
from instruments.power.step_ranges import StepRanges
from tests.instruments.power.dialect_bench import scripted, written
from tests.instruments.power.dialects import test_chroma, test_hioki, test_yokogawa
from tests.instruments.power.hmc8015_script import DATA, END, IDN, ORDER, data, meter
from tests.instruments.scripted import Line, Script

RANGES = StepRanges((300.0, 0.5))
LATER = DATA.replace("1.0E+00", "2.0E+00")
FUNCTIONS: Line = ("CHAN1:MEAS:FUNC?", ORDER)
WT310 = "YOKOGAWA,WT310,C2PH13047V,F1.03"


def hmc(*lines: Line) -> tuple[Source, Script]:
    return meter([("*IDN?", IDN), *lines])


def yokogawa(*lines: Line) -> tuple[Source, Script]:
    made, script, _ = scripted(Yokogawa(RANGES), [("*IDN?", WT310), *lines])
    return made, script


def hioki(*lines: Line) -> tuple[Source, Script]:
    made, script, _ = scripted(Hioki(RANGES), [("*IDN?", test_hioki.IDN), *lines])
    return made, script


def chroma(*lines: Line) -> tuple[Source, Script]:
    made, script, _ = scripted(Chroma(RANGES), [("*IDN?", test_chroma.IDN), *lines])
    return made, script


IN_USE = [
    hmc(FUNCTIONS, data(), data(LATER)),
    yokogawa((":INTEG:STAT?", "STAR")),
    hioki(test_hioki.state("START")),
    chroma(("TRIG? 1", "RUNNING")),
]
FREED = [
    hmc(*END),
    yokogawa(*test_yokogawa.END),
    hioki(*test_hioki.END),
    chroma(*test_chroma.END),
]
NAMES = ["hmc8015", "yokogawa", "hioki", "chroma"]


@pytest.mark.parametrize(("source", "script"), IN_USE, ids=NAMES)
def test_a_look_ends_nobodys_integration(source: Source, script: Script) -> None:
    found = look(excluding(source, ("f",)))
    assert found.error is not None
    assert str(found.error).startswith(
        "mains (VISA): energy is being integrated on it, and setting it up would end "
        "that. Wait, or stop it at the meter"
    )
    script.finish()


@pytest.mark.parametrize(("source", "script"), FREED, ids=NAMES)
def test_it_is_given_back_when_asked_for(source: Source, script: Script) -> None:
    assert isinstance(source, Shared)
    assert source.free().model
    script.finish()


@pytest.mark.parametrize(
    "lines",
    [
        [("CHAN1:MEAS:FUNC?", "URMS,IRMS,P,FPLL,URAN,IRAN,S,Q,LAMB,PHI")],
        [FUNCTIONS, data(DATA.replace("1.0E+00", "NAN"))],
        [FUNCTIONS, data(), data()],
    ],
    ids=["not among its functions", "never begun", "stopped"],
)
def test_one_that_does_not_integrate_is_set_up(lines: list[Line]) -> None:
    source, _ = hmc(*lines, ("INT:STOP", SourceError("gone")))
    assert isinstance(source, Shared)
    source.yields = True
    with pytest.raises(SourceError, match="INT:STOP"):
        source.open()


def test_another_instrument_is_not_freed() -> None:
    source, script, _ = scripted(Yokogawa(RANGES), [("*IDN?", "ACME,PSU,1,2")])
    with pytest.raises(SourceError, match="ACME"):
        source.free()
    script.finish()


def test_a_run_takes_the_meter_over() -> None:
    source, _, _ = scripted(
        Hioki(RANGES),
        [
            ("*IDN?", test_hioki.IDN),
            *written(":HEADER ON"),
            (":INTEGRATE:STATE?", SourceError("gone")),
        ],
    )
    with pytest.raises(SourceError, match="gone"):
        source.open()
