"""Failures of drives over years, and how likely a layout loses data."""

import math

from app.calc.calculator import Answer, Calculator, Chart, Course, Output, wrong
from app.calc.loss import (
    HOURS_A_YEAR,
    Group,
    any_of,
    at_least,
    course_of,
    interval_of,
    loss_probability,
    simulated_losses,
)
from instruments.settings import Kind, Option, Settings
from instruments.sizes import counted

OPTIONS = (
    Option(
        "mttf",
        "Mean time to failure of a drive.",
        Kind.NUMBER,
        2.5e6,
        low=1.0,
        high=1e12,
        unit="h",
        name="MTTF",
    ),
    Option("drives", "Drives in all.", Kind.INTEGER, 60, low=1, high=100000),
    Option(
        "group",
        "Drives that protect each other.",
        Kind.INTEGER,
        10,
        low=1,
        high=1000,
        name="Drives in a group",
    ),
    Option(
        "parity",
        "Drives of a group that may fail: RAID 6 and RAID-Z2 have 2.",
        Kind.INTEGER,
        2,
        low=0,
        high=6,
        name="Drives that may fail",
    ),
    Option(
        "years",
        "Years of the mission.",
        Kind.NUMBER,
        5.0,
        low=0.001,
        high=100.0,
        unit="years",
    ),
    Option(
        "at_least",
        "Lowest number of failures that the probability is for.",
        Kind.INTEGER,
        1,
        low=1,
        high=10000,
        name="Failures or more",
    ),
    Option(
        "size",
        "Capacity of a drive.",
        Kind.NUMBER,
        20.0,
        low=0.001,
        high=1e6,
        unit="TB",
        name="Size of a drive",
    ),
    Option(
        "fill",
        "How full the drives are; only that much is rebuilt.",
        Kind.NUMBER,
        100.0,
        low=1.0,
        high=100.0,
        unit="%",
        name="Filled up to",
    ),
    Option(
        "rebuild_rate",
        "How fast a drive is rebuilt, beside the load.",
        Kind.NUMBER,
        100.0,
        low=0.001,
        high=1e6,
        unit="MB/s",
    ),
    Option(
        "replaced_after",
        "Hours until a failed drive is replaced; 0 with a spare.",
        Kind.NUMBER,
        24.0,
        low=0.0,
        high=1e6,
        unit="h",
    ),
    Option(
        "error_bits",
        "Bits read per unrecoverable error; 0 for none.",
        Kind.NUMBER,
        1e15,
        low=0.0,
        high=1e30,
        unit="bits",
        example="1e15",
        name="Bits an error",
    ),
    Option(
        "trials",
        "Missions simulated beside the formula; 0 for none.",
        Kind.INTEGER,
        0,
        low=0,
        high=20000,
        name="Simulated missions",
    ),
)

_MOST_EVENTS = 20_000_000
"""Drives that a simulation looks at: what an operator waits for, not more."""

_CHAIN = "1 - (1 - P of a group)^groups; P by a Markov chain over failed drives"
OUTPUTS = (
    Output("afr", "Annual failure rate", "%", "1 - exp(-8760 / MTTF)"),
    Output("afr_simple", "Annual failure rate of data sheets", "%", "8760 / MTTF"),
    Output("per_year", "Failures expected in a year", "", "drives x 8760 / MTTF"),
    Output(
        "expected",
        "Failures expected in the mission",
        "",
        "drives x 8760 x years / MTTF, failed drives being replaced",
    ),
    Output(
        "probability",
        "Probability of at least that many failures",
        "%",
        "Poisson with that expectation",
    ),
    Output(
        "rebuild_h",
        "Time without the drive",
        "h",
        "replaced after + size x fill / rebuild rate",
    ),
    Output(
        "unreadable",
        "Error in a rebuild without redundancy",
        "%",
        "1 - exp(-8 x (group - parity) x size x fill / bits an error)",
    ),
    Output("groups", "Groups", "", "drives / group"),
    Output("loss", "Data loss in the mission", "%", _CHAIN),
    Output("loss_year", "Data loss in a year", "%", "the same over one year"),
    Output(
        "mttdl_years",
        "Mean years between losses, as from one year",
        "years",
        "-1 / ln(1 - loss in a year)",
    ),
    Output("simulated", "Data loss, simulated", "%", "missions with a loss / trials"),
    Output("simulated_low", "95 % interval, from", "%", "Wilson"),
    Output("simulated_high", "95 % interval, to", "%", "Wilson"),
)


def _work(settings: Settings) -> Answer:
    mttf, years = settings.number("mttf"), settings.number("years")
    drives, size = settings.integer("drives"), settings.integer("group")
    parity, trials = settings.integer("parity"), settings.integer("trials")
    if size <= parity:
        raise wrong(
            "parity",
            f"{parity} of {counted(size, 'drive')} cannot fail without a loss",
            f"Expected fewer than {size}, or a larger group.",
        )
    if drives % size:
        raise wrong(
            "group",
            f"{counted(drives, 'drive')} cannot be parted into groups of {size}",
            f"Expected a group that {drives} is a multiple of.",
        )
    groups = drives // size
    held = settings.number("size") * 1e12 * settings.number("fill") / 100
    rebuild_h = (
        settings.number("replaced_after")
        + held / settings.number("rebuild_rate") / 1e6 / 3600
    )
    bits = settings.number("error_bits")
    unreadable = -math.expm1(-8 * (size - parity) * held / bits) if bits else 0.0
    group = Group(size, parity, mttf, rebuild_h, unreadable)

    def loss(duration: float) -> float:
        return any_of(loss_probability(group, duration * HOURS_A_YEAR), groups)

    a_year, expected = loss(1.0), drives * years * HOURS_A_YEAR / mttf
    values: dict[str, float | None] = {
        "afr": -100 * math.expm1(-HOURS_A_YEAR / mttf),
        "afr_simple": 100 * HOURS_A_YEAR / mttf,
        "per_year": drives * HOURS_A_YEAR / mttf,
        "expected": expected,
        "probability": 100 * at_least(expected, settings.integer("at_least")),
        "rebuild_h": rebuild_h,
        "unreadable": 100 * unreadable,
        "groups": groups,
        "loss": 100 * loss(years),
        "loss_year": 100 * a_year,
        "mttdl_years": -1 / math.log1p(-a_year) if 0 < a_year < 1 else None,
    }
    notes = [
        "Drives fail independently and at an even rate; batches, heat and age are not "
        "in it, so real losses are likelier.",
        "An unrecoverable error counts as a loss of data; ZFS may lose one file by it.",
    ]
    if trials:
        # Each drive is drawn, and each failure looks at its whole group; to begin with
        # a group takes as long as four drives.
        most = int(_MOST_EVENTS / (drives + 4 * groups + 2 * expected * size))
        if trials > most:
            raise wrong(
                "trials",
                f"{trials} missions of so many drives and failures take too long",
                f"Expected {most} or fewer, or fewer drives or years.",
            )
        count = simulated_losses(group, groups, years * HOURS_A_YEAR, trials)
        low, high = interval_of(count, trials)
        values["simulated"] = 100 * count / trials
        values["simulated_low"], values["simulated_high"] = 100 * low, 100 * high
        notes.append(f"{count} of {trials} simulated missions lost data.")
    points = tuple((x, 100 * y) for x, y in course_of(loss, years))
    return Answer(
        values,
        tuple(notes),
        Chart("Years", "Data loss (%)", (Course("Data loss", points),)),
    )


RELIABILITY = Calculator(
    "reliability",
    "Failures and data loss",
    "How many drives fail, and how likely a layout is to lose data over the years.",
    OPTIONS,
    OUTPUTS,
    _work,
    {"drives": "dut.drives"},
)
