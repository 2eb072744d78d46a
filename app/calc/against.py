"""One storage system against another: where both are equally fast, and the cost."""

from app.calc.calculator import Answer, Calculator, Chart, Course, Output, numbered
from app.calc.crossing import crossings
from app.calc.energy import CURRENCY, PRICE, PUE, cost_per_year, kwh_per_year
from instruments.settings import Kind, Option, Settings

_SIZES = "Size in KiB and MB/s of each"


def _side(letter: str, name: str, power: float, net: float) -> tuple[Option, ...]:
    return (
        Option(f"name_{letter}", f"What {letter.upper()} is called.", default=name),
        Option(
            f"power_{letter}",
            f"Mean power of {letter.upper()}.",
            Kind.NUMBER,
            power,
            low=0.0,
            high=1e9,
            unit="W",
        ),
        Option(
            f"net_{letter}",
            f"Net capacity of {letter.upper()}.",
            Kind.NUMBER,
            net,
            low=0.001,
            high=1e9,
            unit="TB",
        ),
        Option(
            f"purchase_{letter}",
            f"What {letter.upper()} costs to buy.",
            Kind.NUMBER,
            low=0.0,
            high=1e12,
        ),
        Option(
            f"rates_{letter}",
            f"{_SIZES} block size of {letter.upper()}.",
            Kind.LINES,
            example="4:320, 8:416",
        ),
    )


OPTIONS = (
    *_side("a", "SSD", 90.0, 9.6),
    *_side("b", "HDD", 230.0, 28.8),
    PRICE,
    CURRENCY,
    PUE,
    Option(
        "years",
        "Years of the mission.",
        Kind.NUMBER,
        5.0,
        low=0.01,
        high=100.0,
        unit="years",
    ),
)


def _outputs() -> tuple[Output, ...]:
    rows = [
        Output(
            "crossing_kib",
            "Equally fast at",
            "KiB",
            "lines through the measured sizes over the logarithm of the size",
        ),
        Output("crossing_kb", "Equally fast at", "kB"),
        Output("below_kib", "Between a measured size of", "KiB"),
        Output("above_kib", "and one of", "KiB"),
        Output("net_ratio", "Net capacity, B over A", "", "net of B / net of A"),
        Output("kwh_a", "Energy in a year, A", "kWh", "power x 8760 h / 1000"),
        Output("kwh_b", "Energy in a year, B", "kWh", "power x 8760 h / 1000"),
        Output(
            "cost_a",
            "Cost of energy in a year, A",
            "currency",
            "energy x price per kWh x PUE",
        ),
        Output(
            "cost_b",
            "Cost of energy in a year, B",
            "currency",
            "energy x price per kWh x PUE",
        ),
        Output("difference", "Cost of energy in a year, B - A", "currency"),
        Output(
            "total_a",
            "Purchase and energy of all years, A",
            "currency",
            "purchase + cost of a year x years",
        ),
        Output(
            "total_b",
            "Purchase and energy of all years, B",
            "currency",
            "purchase + cost of a year x years",
        ),
        Output("total_tb_a", "Of which each net TB, A", "currency/TB", "total / net"),
        Output("total_tb_b", "Of which each net TB, B", "currency/TB", "total / net"),
        Output(
            "even_years",
            "Years after which A and B cost the same",
            "years",
            "difference of purchase / difference of the cost of a year",
        ),
    ]
    return tuple(rows)


def _work(settings: Settings) -> Answer:
    courses = {
        letter: {
            round(size * 1024): rate
            for size, rate in numbered(
                settings.text(f"rates_{letter}"), f"rates_{letter}"
            )
            if size > 0
        }
        for letter in "ab"
    }
    found = crossings(courses["a"], courses["b"])
    values: dict[str, float | None] = {
        "net_ratio": settings.number("net_b") / settings.number("net_a")
    }
    names = {letter: settings.text(f"name_{letter}") for letter in "ab"}
    notes = []
    for one in found:
        leader = names["b" if one.second_leads else "a"]
        notes.append(f"Above {one.size / 1024:.4g} KiB {leader} is faster.")
    if found:
        values["crossing_kib"] = found[0].size / 1024
        values["crossing_kb"] = found[0].size / 1000
        values["below_kib"], values["above_kib"] = (
            found[0].below / 1024,
            found[0].above / 1024,
        )
    price, pue = settings.number("price_per_kwh"), settings.number("pue")
    years = settings.number("years")
    cost, total = {}, {}
    for letter in "ab":
        power = settings.number(f"power_{letter}")
        cost[letter] = cost_per_year(power, price, pue)
        values[f"kwh_{letter}"] = kwh_per_year(power)
        values[f"cost_{letter}"] = cost[letter]
        purchase = settings.optional(f"purchase_{letter}")
        if purchase is not None:
            total[letter] = purchase + cost[letter] * years
            values[f"total_{letter}"] = total[letter]
            values[f"total_tb_{letter}"] = total[letter] / settings.number(
                f"net_{letter}"
            )
    values["difference"] = cost["b"] - cost["a"]
    if len(total) == 2 and cost["a"] != cost["b"]:
        paid = settings.number("purchase_a") - settings.number("purchase_b")
        even = paid / (cost["b"] - cost["a"])
        if even > 0:
            values["even_years"] = even
    notes.append(
        f"In {settings.text('currency')}, at {price:g} per kWh and a PUE of {pue:g}."
    )
    chart = None
    if all(courses.values()):
        lines = tuple(
            Course(
                names[letter],
                tuple((size / 1024, rate) for size, rate in sorted(of.items())),
            )
            for letter, of in courses.items()
        )
        chart = Chart("Block size (KiB)", "MB/s", lines, is_log=True)
    return Answer(values, tuple(notes), chart)


AGAINST = Calculator(
    "crossover",
    "HDD against SSD",
    "From which block size one system is faster than the other, and what both cost.",
    OPTIONS,
    _outputs(),
    _work,
    {
        "power_a": "power_w",
        "net_a": "dut.net_capacity_tb",
        "purchase_a": "dut.price",
        "price_per_kwh": "cost.price_per_kwh",
        "currency": "cost.currency",
        "pue": "cost.pue",
    },
)
