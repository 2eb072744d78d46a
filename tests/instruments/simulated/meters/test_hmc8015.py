"""The simulated HMC8015 as SCPI: forms, paths, errors, status, values."""

import pytest

from instruments.simulated.meters.acquisition import Acquisition, engineering
from instruments.simulated.meters.hmc8015 import HMC8015, Meter
from instruments.simulated.physics import Electric

MAINS = Electric(580.0, 595.0, 132.0, 230.0, 2.587, 50.0)
NO_ERROR = '0,"No error"'


class Rig:
    """A meter, and the mains in front of it."""

    def __init__(self) -> None:
        self.acquisition = Acquisition()
        self.meter = Meter(self.acquisition)

    def ask(self, message: str) -> str | None:
        return self.meter.handle(message + "\n")

    def refresh(self, times: int = 1, mains: Electric = MAINS) -> None:
        for _ in range(2 * times):
            self.acquisition.add(mains, 0.05)

    def data(self) -> list[str]:
        answer = self.ask("CHAN1:MEAS:DATA?")
        assert answer is not None
        return answer.split(",")


@pytest.fixture
def rig() -> Rig:
    made = Rig()
    made.ask("CHAN:CURR:RANG 10")
    made.refresh(5)
    return made


@pytest.mark.parametrize(
    "query",
    [
        "CHAN1:MEAS:FUNC?",
        "chan1:meas:func?",
        "CHANnel1:MEASurement:FUNCtions?",
        "CHANNEL:MEAS:FUNCTIONS?",
        ":CHAN:MEAS:FUNC?",
    ],
)
def test_short_and_long_forms_are_one_command(rig: Rig, query: str) -> None:
    assert rig.ask("CHAN1:MEAS:FUNC P,LAMBDA,urms") is None
    assert rig.ask(query) == "P,LAMB,URMS"


@pytest.mark.parametrize("query", ["CHA1:MEAS:FUNC?", "CHANN:MEAS:FUNC?", "MEAS?"])
def test_forms_in_between_are_not(rig: Rig, query: str) -> None:
    assert rig.ask(query) is None
    assert rig.ask("SYST:ERR?") == '-113,"Undefined header"'
    assert rig.ask("SYSTem:ERRor:NEXT?") == NO_ERROR


def test_optional_nodes(rig: Rig) -> None:
    rig.ask("CHAN1:ACQ:VOLT:RANG 600")
    assert rig.ask("CHAN1:VOLT:RANG?") == "600E+00"
    rig.ask("INT ON")
    assert rig.ask("INT:STAT?") == "1"


def test_paths_in_one_message(rig: Rig) -> None:
    rig.ask("CHAN1:MEAS:FUNC P,S")
    rig.refresh(5)
    answer = rig.ask("CHAN1:MEAS:FUNC P,S;FUNC?;FORM?;:INT:MODE?;*IDN?;MODE?")
    assert answer == f"P,S;ASC;MAN;{HMC8015};MAN"
    assert rig.ask("CHAN1:MEAS:FORM ASC;:CHAN1:MEAS:DATA?") == "580E+00,595E+00"


def test_an_error_ends_its_message_after_what_was_answered(rig: Rig) -> None:
    assert rig.ask("*OPC?;NONSENSE?;*OPC?") == "1"
    assert rig.ask("SYST:ERR?;*OPC?") == '-113,"Undefined header";1'


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ("CHAN1:VOLT:RANG 230", -224),
        ("CHAN1:VOLT:RANG 1000", -222),
        ("CHAN1:VOLT:RANG", -109),
        ("CHAN1:VOLT:RANG 5,15", -108),
        ("CHAN1:VOLT:RANG many", -224),
        ("CHAN1:VOLT:RANG:AUTO maybe", -224),
        ("CHAN1:VOLT:RANG:AUTO ON;:CHAN1:VOLT:RANG 300", -221),
        ("CHAN1:MEAS:FUNC P,S,Q,LAMB,URMS,IRMS,FU,WH,TIME,PHI,FI", -108),
        ("CHAN1:MEAS:FUNC P,WATT", -224),
        ("VIEW:NUM:PAGE1:CELL7:FUNC P", -222),
        ("VIEW:NUM:PAGE1:SIZE 8", -224),
        ("INT:STAR;RES", -221),
        ("*IDN", -113),
        ("INT:STAR?", -113),
    ],
)
def test_errors_are_queued_by_number(rig: Rig, message: str, error: int) -> None:
    rig.ask(message)
    answer = rig.ask("SYST:ERR?")
    assert answer is not None
    assert answer.startswith(f'{error},"')
    assert rig.ask("SYST:ERR?") == NO_ERROR


def test_the_queue_overflows_and_is_cleared(rig: Rig) -> None:
    for _ in range(30):
        rig.ask("NONSENSE")
    errors = [rig.ask("SYST:ERR?") for _ in range(20)]
    assert errors[-1] == '-350,"Queue overflow"'
    assert rig.ask("SYST:ERR?") == NO_ERROR
    rig.ask("NONSENSE")
    rig.ask("*CLS")
    assert rig.ask("SYST:ERR?") == NO_ERROR


def test_status_registers(rig: Rig) -> None:
    assert rig.ask("*ESR?") == "128"  # power on, once
    assert rig.ask("*ESR?") == "0"
    rig.ask("*CLS;*ESE 61;*SRE 40")
    assert rig.ask("*ESE?;*SRE?;*STB?") == "61;40;0"
    rig.ask("NONSENSE")
    assert rig.ask("*STB?") == str(0x04 | 0x20 | 0x40)
    assert rig.ask("*ESR?") == str(0x20)
    assert rig.ask("*STB?") == str(0x04)


def test_the_opening_of_the_makers_own_library(rig: Rig) -> None:
    """It waits for bit 5 after "c;*OPC" and then reads it away."""
    for message in ("*CLS", "*ESE 1", "*SRE 0", "*CLS"):
        assert rig.ask(message) is None
    assert rig.ask("*OPC?") == "1"
    assert rig.ask("*STB?") == "0"
    assert rig.ask("*RST;*OPC") is None
    assert rig.ask("*STB?") == str(0x20)
    assert rig.ask("*ESR?") == "1"
    assert rig.ask("*STB?") == "0"


def test_values_hold_between_refreshes_and_are_means(rig: Rig) -> None:
    rig.ask("CHAN1:MEAS:FUNC P,URMS,TIME")
    rig.refresh(5)
    assert rig.data() == ["580E+00", "230E+00", "0E+00"]
    rig.acquisition.add(Electric(600, 610, 110, 231, 2.6, 50), 0.05)
    assert rig.data()[0] == "580E+00"
    rig.acquisition.add(Electric(700, 710, 110, 231, 3.0, 50), 0.05)
    assert rig.data()[0] == "650E+00"


def test_one_value_of_many(rig: Rig) -> None:
    rig.ask("CHAN1:MEAS:FUNC P,URMS,IRMS")
    rig.refresh(5)
    assert rig.ask("CHAN1:MEAS:DATA? 2") == "230E+00"
    assert rig.ask("CHAN1:MEAS:FUNC:COUN?") == "3"
    assert rig.ask("CHAN1:MEAS:DATA? 4") is None


def test_a_range_change_costs_three_refreshes(rig: Rig) -> None:
    rig.ask("CHAN1:MEAS:FUNC P,URMS,IRMS")
    rig.refresh(5)
    rig.ask("CHAN1:CURR:RANG 5")
    seen = []
    for _ in range(5):
        rig.refresh()
        seen.append(rig.data())
    assert [row[0] for row in seen] == ["NAN", "NAN", "NAN", "580E+00", "580E+00"]
    assert {row[1] for row in seen} == {"230E+00"}


def test_other_functions_cost_three_refreshes_but_no_energy(rig: Rig) -> None:
    rig.ask("INT:RES;STAR")
    rig.ask("CHAN1:MEAS:FUNC P,URMS,TIME")
    assert rig.data() == ["NAN", "NAN", "0E+00"]
    seen = []
    for _ in range(4):
        rig.refresh()
        seen.append(rig.data())
    assert [row[0] for row in seen] == ["NAN", "NAN", "NAN", "580E+00"]
    assert [row[2] for row in seen] == ["100E-03", "200E-03", "300E-03", "400E-03"]


def test_a_peak_is_clipped_at_the_crest_factor(rig: Rig) -> None:
    rig.acquisition.crest = 4.0
    rig.ask("CHAN1:MEAS:FUNC IRMS,IPP,IMP,UPP;:CHAN1:CURR:RANG 5")
    rig.refresh(5)
    assert rig.data()[1:] == ["10.348E+00", "-10.348E+00", "325.27E+00"]
    rig.ask("CHAN1:MEAS:FUNC IRMS,IPP,IMP;:CHAN1:CURR:RANG 2")
    rig.refresh(5, Electric(450, 460, 100, 230, 2.0, 50))
    assert rig.data() == ["2E+00", "6E+00", "-6E+00"]


def test_harmonics(rig: Rig) -> None:
    rig.ask("CHAN1:MEAS:FUNC UK1,IK3,PK1,IK2,UK50")
    rig.refresh(5)
    assert rig.data() == ["230E+00", "90.545E-03", "580E+00", "0E+00", "0E+00"]
    rig.ask("CHAN1:MEAS:FUNC UK51")
    assert rig.ask("SYST:ERR?") == '-224,"Illegal parameter value"'


def test_direct_current_is_a_rail(rig: Rig) -> None:
    rig.ask("CHAN1:MODE DC;:CHAN1:MEAS:FUNC UAVG,IAVG,P,FU")
    rig.refresh(5)
    assert rig.data() == ["12E+00", "483.33E-03", "5.8E+00", "NAN"]
    assert rig.ask("CHAN1:MODE?") == "DC"


def test_values_freeze_and_stay_away(rig: Rig) -> None:
    rig.ask("CHAN1:MEAS:FUNC P")
    rig.refresh(5)
    rig.acquisition.frozen = True
    rig.refresh(5, Electric(600, 610, 110, 231, 2.6, 50))
    assert rig.data() == ["580E+00"]
    rig.acquisition.frozen = False
    rig.acquisition.bursts = True
    seen = []
    for _ in range(40):
        rig.refresh()
        seen.append(rig.data()[0])
    assert seen.count("NAN") == 6


def test_remote_control_and_its_end(rig: Rig) -> None:
    states = []
    for message in ("*OPC?", "SYST:LOC", "*IDN?"):
        rig.ask(message)
        states.append(rig.meter.remote)
    assert states == [True, False, True]


def test_switching_on_forgets(rig: Rig) -> None:
    rig.ask("CHAN1:MEAS:FUNC P;:INT:STAR;NONSENSE")
    rig.refresh(5)
    rig.meter.power_on()
    assert not rig.meter.remote
    assert rig.ask("SYST:ERR?;*ESR?") == '0,"No error";128'
    assert rig.ask("CHAN1:CURR:RANG?;:CHAN1:MEAS:FUNC:COUN?") == "100E-03;10"
    assert rig.acquisition.integrator.seconds == 0.0


def test_over_range_is_infinite(rig: Rig) -> None:
    rig.ask("CHAN1:MEAS:FUNC P,URMS,IRMS;:CHAN1:CURR:RANG 0.5")
    rig.refresh(10)
    assert rig.data() == ["INF", "230E+00", "INF"]


def test_automatic_ranges_find_one_that_fits(rig: Rig) -> None:
    rig.ask("CHAN1:MEAS:FUNC P,IRAN;:CHAN1:CURR:RANG 0.005;RANG:AUTO ON")
    rig.ask("CHAN1:CURR:RANG:AUTO ON")
    rig.refresh(5)
    assert rig.data() == ["580E+00", "5E+00"]
    rig.refresh(5, Electric(1300, 1333, 290, 230, 5.8, 50))
    assert rig.data() == ["1.3E+03", "10E+00"]


def test_the_integrator(rig: Rig) -> None:
    rig.ask("CHAN1:MEAS:FUNC WH,TIME")
    rig.refresh(10)
    assert rig.data() == ["0E+00", "0E+00"]
    rig.ask("INT:MODE MAN;RES;STAR")
    rig.refresh(36)
    assert [float(token) for token in rig.data()] == pytest.approx([0.58, 3.6])
    rig.ask("INT:STOP")
    rig.refresh(10)
    assert float(rig.data()[1]) == pytest.approx(3.6)
    rig.ask("INT:RES")
    rig.refresh()
    assert rig.data() == ["0E+00", "0E+00"]


def test_reset_goes_back_to_the_factory(rig: Rig) -> None:
    rig.ask("CHAN1:MEAS:FUNC P;*RST")
    assert rig.ask("CHAN1:CURR:RANG?") == "100E-03"
    assert rig.ask("CHAN1:MEAS:FUNC?") == "URMS,IRMS,P,FPLL,URAN,IRAN,S,Q,LAMB,PHI"


def test_cells_of_a_page_under_both_names(rig: Rig) -> None:
    rig.ask("VIEW:NUM:PAGE2:SIZE 10;CELL10:FUNC WHP")
    assert rig.ask("VIEW:NORMAL:PAGE2:CELL10:FUNCTION?") == "WHP"
    assert rig.ask("VIEW:NUM:PAGE2:CELL9:FUNC?") == "EMPT"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (231.27, "231.27E+00"),
        (0.045, "45E-03"),
        (0.0, "0E+00"),
        (-1300.0, "-1.3E+03"),
        (999.999, "1000E+00"),
        (0.016123456, "16.123E-03"),
        (None, "NAN"),
    ],
)
def test_numbers_look_as_the_meter_writes_them(value: float | None, text: str) -> None:
    assert engineering(value) == text
