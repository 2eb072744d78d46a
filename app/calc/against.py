"""One storage system against another: where both are equally fast, and the cost."""

from app.calc.calculator import Answer, Calculator, Chart, Course, Output, numbered
from app.calc.crossing import crossings
from app.calc.energy import CURRENCY, PRICE, PUE, YEARS, cost_per_year, kwh_per_year
from instruments.settings import Kind, Option, Settings

# Random mixed loads of Toshiba's comparison of HDD and SSD storage (2018).
_SSD = (
    "4:320, 8:416, 16:480, 32:480, 64:454, 128:480, 256:589, 512:768, 1024:1075, "
    "2048:1208, 4096:1352, 8192:1393, 16384:1475, 32768:1475, 65536:1507"
)
_HDD = (
    "4:45, 8:86, 16:160, 32:294, 64:518, 128:883, 256:1382, 512:1434, 1024:1459, "
    "2048:1464, 4096:1679, 8192:1925, 16384:2376, 32768:2785, 65536:3015"
)


def _side(
    letter: str, name: str, power: float, net: float, rates: str
) -> tuple[Option, ...]:
    side = letter.upper()
    return (
        Option(
            f"name_{letter}",
            f"What {side} is called.",
            default=name,
            name=f"Name of {side}",
        ),
        Option(
            f"power_{letter}",
            f"Mean power of {side}.",
            Kind.NUMBER,
            power,
            low=0.0,
            high=1e9,
            unit="W",
            name=f"Power of {side}",
        ),
        Option(
            f"net_{letter}",
            f"Net capacity of {side}.",
            Kind.NUMBER,
            net,
            low=0.001,
            high=1e9,
            unit="TB",
            name=f"Net capacity of {side}",
        ),
        Option(
            f"purchase_{letter}",
            f"What {side} costs to buy.",
            Kind.NUMBER,
            low=0.0,
            high=1e12,
            name=f"Price of {side}",
        ),
        Option(
            f"rates_{letter}",
            f"Block size in KiB and MB/s of {side}, in pairs.",
            default=rates,
            example="4:320, 8:416",
            name=f"Rates of {side}",
        ),
    )


OPTIONS = (
    *_side("a", "SSD", 90.0, 9.6, _SSD),
    *_side("b", "HDD", 230.0, 28.8, _HDD),
    PRICE,
    CURRENCY,
    PUE,
    YEARS,
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
        letter: numbered(settings.text(f"rates_{letter}"), f"rates_{letter}")
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
        notes.append(f"Above {one.size:.4g} KiB {leader} is faster.")
    if found:
        values["crossing_kib"] = found[0].size
        values["crossing_kb"] = found[0].size * 1024 / 1000
        values["below_kib"], values["above_kib"] = found[0].below, found[0].above
    values |= _costs(settings)
    notes.append(
        f"In {settings.text('currency')}, at {settings.number('price_per_kwh'):g} per "
        f"kWh and a PUE of {settings.number('pue'):g}."
    )
    chart = None
    if all(courses.values()):
        lines = tuple(
            Course(names[letter], tuple(sorted(course.items())))
            for letter, course in courses.items()
        )
        chart = Chart("Block size (KiB)", "MB/s", lines, is_log=True)
    return Answer(values, tuple(notes), chart)


def _costs(settings: Settings) -> dict[str, float | None]:
    """Work out the cost of energy of both, and of all where prices are given."""
    price, pue = settings.number("price_per_kwh"), settings.number("pue")
    years = settings.number("years")
    values: dict[str, float | None] = {}
    cost, total = {}, {}
    for letter in "ab":
        power = settings.number(f"power_{letter}")
        cost[letter] = cost_per_year(power, price, pue)
        values[f"kwh_{letter}"] = kwh_per_year(power)
        values[f"cost_{letter}"] = cost[letter]
        purchase = settings.optional(f"purchase_{letter}")
        if purchase is not None:
            total[letter] = purchase + cost[letter] * years
            net_tb = settings.number(f"net_{letter}")
            values[f"total_{letter}"] = total[letter]
            values[f"total_tb_{letter}"] = total[letter] / net_tb
    values["difference"] = cost["b"] - cost["a"]
    if len(total) == 2 and cost["a"] != cost["b"]:
        paid = settings.number("purchase_a") - settings.number("purchase_b")
        even = paid / (cost["b"] - cost["a"])
        # Else the one that costs less to buy costs less each year, too.
        if even > 0:
            values["even_years"] = even
    return values


AGAINST = Calculator(
    "crossover",
    "HDD against SSD",
    "From which block size one system is faster than the other, and what both cost.",
    OPTIONS,
    _outputs(),
    _work,
    {
        "power_a": "power_w",
        "rates_a": "sweep",
        "net_a": "dut.net_capacity_tb",
        "purchase_a": "dut.price",
        "price_per_kwh": "cost.price_per_kwh",
        "currency": "cost.currency",
        "pue": "cost.pue",
    },
)
