"""The R&S NPA family: an HMC8015 that answers by another name."""

import pytest

from instruments.errors import SourceError
from instruments.power.hmc8015.driver import NPA, NPA_DRIVER
from instruments.tools.hosts import LocalHost
from tests.instruments.power.dialect_bench import Clock
from tests.instruments.power.hmc8015_script import END, IDN, opening, read
from tests.instruments.scripted import Line, Script


def npa(lines: list[Line]) -> tuple[NPA, Script]:
    script, clock = Script(lines), Clock()
    made = NPA("mains", "VISA", transport=script, clock=clock, sleep=clock.sleep)
    return made, script


@pytest.mark.parametrize("model", ["NPA101", "NPA501", "NPA701"])
def test_it_is_spoken_to_as_an_hmc8015(model: str) -> None:
    lines = [("*IDN?", IDN.replace("HMC8015", model)), *opening()[1:], *read(), *END]
    meter, script = npa(lines)
    assert meter.open().model == model
    assert meter.read().values[0] == 580.2
    meter.close()
    script.finish()


@pytest.mark.parametrize("model", ["HMC8015", "NPA-C101", "HMC8012"])
def test_other_models_are_refused_and_left_alone(model: str) -> None:
    meter, script = npa([("*IDN?", IDN.replace("HMC8015", model))])
    with pytest.raises(SourceError, match=f"the model {model} answers there"):
        meter.open()
    script.finish()


def test_what_is_known_of_the_other_meter_is_not_told_of_this_one() -> None:
    settings = NPA_DRIVER.settings("mains", {"resource": "VISA"}, LocalHost())
    assert not [key for key in settings.values if key.startswith("accuracy")]
    assert NPA_DRIVER.build(settings).driver == "npa"
