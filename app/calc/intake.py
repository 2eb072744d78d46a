"""How warm the intake may be before the hottest drive is at its limit."""

from app.calc.calculator import Answer, Calculator, Output, wrong
from instruments.settings import Kind, Option, Settings

_C = "\N{DEGREE SIGN}C"

OPTIONS = (
    Option(
        "limit",
        "What a drive is allowed to reach.",
        Kind.NUMBER,
        42.0,
        low=-50.0,
        high=200.0,
        unit=_C,
        name="Limit of a drive",
    ),
    Option(
        "intake",
        "Intake while it was measured.",
        Kind.NUMBER,
        26.0,
        low=-50.0,
        high=100.0,
        unit=_C,
    ),
    Option(
        "hottest",
        "Hottest drive then.",
        Kind.NUMBER,
        46.0,
        low=-50.0,
        high=200.0,
        unit=_C,
        name="Hottest drive",
    ),
    Option(
        "coldest",
        "Coldest drive then.",
        Kind.NUMBER,
        low=-50.0,
        high=200.0,
        unit=_C,
        name="Coldest drive",
    ),
    Option(
        "margin",
        "Kept free: uncertainty, a failed fan.",
        Kind.NUMBER,
        0.0,
        low=0.0,
        high=50.0,
        unit="K",
    ),
)

OUTPUTS = (
    Output("rise", "Rise of the hottest drive", "K", "hottest - intake"),
    Output("rise_low", "Rise of the coldest drive", "K", "coldest - intake"),
    Output("highest", "Highest intake", _C, "limit - rise - margin", is_limit=True),
)


def _work(settings: Settings) -> Answer:
    intake, limit = settings.number("intake"), settings.number("limit")
    rise = settings.number("hottest") - intake
    coldest = settings.optional("coldest")
    if coldest is not None and coldest > settings.number("hottest"):
        raise wrong(
            "coldest",
            f"the coldest drive is warmer, {coldest:g} {_C}, than the hottest",
            f"Expected {settings.number('hottest'):g} {_C} or less.",
        )
    highest = limit - rise - settings.number("margin")
    return Answer(
        {
            "rise": rise,
            "rise_low": None if coldest is None else coldest - intake,
            "highest": highest,
        },
        (
            "The rise over the intake is taken for the same at every intake; fans that "
            "speed up make it smaller.",
            *(
                ("A drive at work is no colder than its intake: check both.",)
                if rise < 0
                else ()
            ),
        ),
    )


INTAKE = Calculator(
    "intake",
    "Highest intake",
    "How warm the intake may be before the hottest drive is at its limit.",
    OPTIONS,
    OUTPUTS,
    _work,
    {"intake": "ambient_c", "hottest": "drive_max_c", "coldest": "drive_min_c"},
)
