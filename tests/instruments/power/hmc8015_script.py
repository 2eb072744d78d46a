"""What is sent to an HMC8015 and answered by it, for scripts of its driver's tests."""

from collections.abc import Sequence

from instruments.power.hmc8015.config import Config
from instruments.power.hmc8015.driver import HMC8015
from tests.instruments.power.dialect_bench import Clock
from tests.instruments.scripted import Line, Script

IDN = "Rohde&Schwarz,HMC8015,034889436,HW42000000,SW01.403"
ORDER = "P,S,LAMB,URMS,IRMS,WH,Q,FU,IPP,TIME"
NO_ERROR = ("SYST:ERR?", '0,"No error"')
DATA = (
    "580.2E+00,595.1E+00,975E-03,230.1E+00,2.586E+00,16E-03,132.3E+00,50.0E+00,"
    "3.9E+00,1.0E+00"
)


def confirmed(*commands: str) -> list[Line]:
    return [line for c in commands for line in ((c, None), ("*OPC?", "1"))]


def start(mode: str = "AC", crest: int = 3) -> list[Line]:
    return [
        *confirmed("INT:STOP", "*CLS", "SYST:REM", "CHAN1:MEAS:FORM ASC"),
        *confirmed(f"CHAN1:MODE {mode}"),
        *confirmed(f"CHAN1:VOLT:CFAC {crest}", f"CHAN1:CURR:CFAC {crest}"),
        NO_ERROR,
    ]


START = start()
NOT_TRIPPED: Line = ("CHAN1:CURR:PROT?", "0")


def ranges(volts: str = "300", amps: str = "10") -> list[Line]:
    return [
        *confirmed("CHAN1:VOLT:RANG:AUTO OFF", f"CHAN1:VOLT:RANG {volts}"),
        ("CHAN1:VOLT:RANG:AUTO?", "0"),
        ("CHAN1:VOLT:RANG?", f"{float(volts):.2E}"),
        NO_ERROR,
        *confirmed("CHAN1:CURR:RANG:AUTO OFF", f"CHAN1:CURR:RANG {amps}"),
        ("CHAN1:CURR:RANG:AUTO?", "0"),
        ("CHAN1:CURR:RANG?", f"{float(amps):.2E}"),
        NO_ERROR,
    ]


def functions(read_back: str = ORDER, sent: str = ORDER) -> list[Line]:
    return [
        *confirmed(f"CHAN1:MEAS:FUNC {sent}"),
        ("CHAN1:MEAS:FUNC?", read_back),
        NO_ERROR,
    ]


def page(view: str = "VIEW:NUM", order: str = ORDER) -> list[Line]:
    cells = order.split(",")
    cells += ["EMPT"] * (10 - len(cells))
    return [
        *confirmed(f"{view}:PAGE1:SIZE 10"),
        NO_ERROR,
        *confirmed(*(f"{view}:PAGE1:CELL{i}:FUNC {c}" for i, c in enumerate(cells, 1))),
        NO_ERROR,
    ]


def use(order: str) -> list[Line]:
    return [*functions(order, order), *page(order=order)]


INTEGRATE: list[Line] = [
    *(*confirmed("INT:STOP"), NO_ERROR),
    *(*confirmed("INT:MODE MAN", "INT:RES", "INT:STAR"), NO_ERROR),
]
END = [*confirmed("INT:STOP"), ("SYST:LOC", None)]


def opening(first: str = DATA, order: str = ORDER) -> list[Line]:
    return [
        ("*IDN?", IDN),
        *START,
        *ranges(),
        NOT_TRIPPED,
        *use(order),
        *INTEGRATE,
        data(first),
    ]


def data(answer: str = DATA) -> Line:
    return ("CHAN1:MEAS:DATA?", answer)


def read(answer: str = DATA, order: str = ORDER) -> list[Line]:
    return [data(answer), ("CHAN1:MEAS:FUNC?", order)]


def meter(
    *connections: Sequence[Line],
    clock: Clock | None = None,
    config: Config | None = None,
) -> tuple[HMC8015, Script]:
    script = Script(*connections)
    clock = clock or Clock()
    made = HMC8015(
        "mains", "VISA", config, transport=script, clock=clock, sleep=clock.sleep
    )
    return made, script
