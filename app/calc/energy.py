"""What power comes to in a year: energy, money, CO2; per terabyte, per work."""

from app.calc.calculator import TB, TIB, Answer, Calculator, Output
from instruments.settings import Kind, Option, Settings

HOURS_A_YEAR = 8760.0
GRAMS_A_KG = 1000.0


def mean_of_year(power_w: float, idle_w: float | None, duty: float) -> float | None:
    """Get the mean power of a year: W x duty + idle W x (1 - duty).

    Args:
        power_w: Under load.
        idle_w: At rest, None where that is not known; a device that is not always
            under load has no known mean then.
        duty: Share of the year under load, 0 to 1.
    """
    if duty >= 1.0:
        return power_w
    return None if idle_w is None else duty * power_w + (1.0 - duty) * idle_w


def kwh_per_year(power_w: float) -> float:
    """Get the energy of a year at this power: W x 8760 h / 1000."""
    return power_w * HOURS_A_YEAR / 1000


def cost_per_year(power_w: float, price_per_kwh: float, pue: float) -> float:
    """Get the price of a year at this power: kWh x price x PUE.

    As in Toshiba's comparison of HDD and SSD storage (2018): 230 W, 0.07 EUR/kWh and a
    PUE of 1.3 are 183 EUR.
    """
    return kwh_per_year(power_w) * price_per_kwh * pue


POWER = Option(
    "power", "Mean power under load.", Kind.NUMBER, 580.0, low=0.0, high=1e9, unit="W"
)
PRICE = Option(
    "price_per_kwh",
    "What a kWh costs.",
    Kind.NUMBER,
    0.30,
    low=0.0,
    high=1000.0,
    name="Price per kWh",
)
CURRENCY = Option("currency", "The currency of prices.", default="EUR")
YEARS = Option(
    "years",
    "Years of the mission.",
    Kind.NUMBER,
    5.0,
    low=0.01,
    high=100.0,
    unit="years",
)
PUE = Option(
    "pue",
    "Power usage effectiveness of the data centre.",
    Kind.NUMBER,
    1.3,
    low=1.0,
    high=10.0,
    name="PUE",
)
COST_TAKES = {
    "price_per_kwh": "cost.price_per_kwh",
    "currency": "cost.currency",
    "pue": "cost.pue",
}

OPTIONS = (
    POWER,
    Option(
        "idle",
        "Mean power at rest, for a duty below 100 %.",
        Kind.NUMBER,
        low=0.0,
        high=1e9,
        unit="W",
        name="Power at rest",
    ),
    Option(
        "duty",
        "Share of the year under load.",
        Kind.NUMBER,
        100.0,
        low=0.0,
        high=100.0,
        unit="%",
    ),
    PRICE,
    CURRENCY,
    PUE,
    Option(
        "co2",
        "CO2 of a kWh.",
        Kind.NUMBER,
        low=0.0,
        high=10000.0,
        unit="g/kWh",
        name="CO2",
    ),
    YEARS,
    Option(
        "capacity",
        "Capacity that W/TB is of.",
        Kind.NUMBER,
        low=0.001,
        high=1e9,
        unit="TB",
    ),
    Option(
        "iops",
        "I/Os a second at this power.",
        Kind.NUMBER,
        low=0.0,
        high=1e12,
        name="IOPS",
    ),
    Option(
        "bandwidth", "Moved at this power.", Kind.NUMBER, low=0.0, high=1e9, unit="MB/s"
    ),
    Option(
        "purchase",
        "What the device costs to buy.",
        Kind.NUMBER,
        low=0.0,
        high=1e12,
        name="Purchase price",
    ),
)

OUTPUTS = (
    Output("mean_w", "Mean power of the year", "W", "power x duty + idle x (1 - duty)"),
    Output("kwh", "Energy in a year", "kWh", "mean power x 8760 h / 1000"),
    Output("kwh_pue", "Energy in a year with the data centre", "kWh", "energy x PUE"),
    Output(
        "cost", "Cost of energy in a year", "currency", "energy x price per kWh x PUE"
    ),
    Output(
        "cost_years",
        "Cost of energy in all years",
        "currency",
        "cost of a year x years",
    ),
    Output("co2_kg", "CO2 in a year", "kg", "energy x PUE x CO2 of a kWh"),
    Output("w_per_tb", "W/TB", "W/TB", "power / capacity"),
    Output("w_per_tib", "W/TiB", "W/TiB", "power / capacity in TiB"),
    Output("tb_per_w", "TB/W", "TB/W", "capacity / power"),
    Output("iops_per_w", "IOPS/W", "1/(s W)", "IOPS / power"),
    Output("j_per_io", "Energy per I/O", "J", "power / IOPS"),
    Output("mb_s_per_w", "MB/s/W", "MB/(s W)", "bandwidth / power"),
    Output("j_per_gb", "Energy per GB", "J", "1000 x power / bandwidth"),
    Output("kwh_per_pb", "Energy per PB moved", "kWh", "energy per GB / 3.6"),
    Output("purchase_per_tb", "Price per TB", "currency/TB", "purchase / capacity"),
    Output("purchase_per_iops", "Price per IOPS", "currency s", "purchase / IOPS"),
    Output(
        "total",
        "Purchase and energy of all years",
        "currency",
        "purchase + cost of energy",
    ),
    Output(
        "total_per_tb",
        "Purchase and energy of all years, per TB",
        "currency/TB",
        "(purchase + cost of energy) / capacity",
    ),
)


def _ratio(one: float | None, other: float | None, times: float = 1.0) -> float | None:
    return None if one is None or not other else times * one / other


def _work(settings: Settings) -> Answer:
    power, capacity = settings.number("power"), settings.optional("capacity")
    iops, bandwidth = settings.optional("iops"), settings.optional("bandwidth")
    duty, idle = settings.number("duty") / 100, settings.optional("idle")
    mean, pue = mean_of_year(power, idle, duty), settings.number("pue")
    purchase, years = settings.optional("purchase"), settings.number("years")
    values: dict[str, float | None] = {
        "mean_w": mean,
        "w_per_tb": _ratio(power, capacity),
        "w_per_tib": _ratio(power, capacity, TIB / TB),
        "tb_per_w": _ratio(capacity, power),
        "iops_per_w": _ratio(iops, power),
        "j_per_io": _ratio(power, iops),
        "mb_s_per_w": _ratio(bandwidth, power),
        "j_per_gb": _ratio(power, bandwidth, 1000),
        "kwh_per_pb": _ratio(power, bandwidth, 1000 / 3.6),
        "purchase_per_tb": _ratio(purchase, capacity),
        "purchase_per_iops": _ratio(purchase, iops),
    }
    notes = []
    if mean is not None:
        price = settings.number("price_per_kwh")
        cost = cost_per_year(mean, price, pue)
        energy = kwh_per_year(mean)
        values |= {
            "kwh": energy,
            "kwh_pue": energy * pue,
            "cost": cost,
            "cost_years": cost * years,
            "co2_kg": _ratio(settings.optional("co2"), GRAMS_A_KG, energy * pue),
        }
        if purchase is not None:
            total = values["total"] = purchase + cost * years
            values["total_per_tb"] = _ratio(total, capacity)
        notes.append(
            f"In {settings.text('currency')}, at {price:g} per kWh, a PUE of {pue:g} "
            f"and {duty:.0%} of the year under load."
        )
    else:
        notes.append(
            "Without the power at rest there is no mean of a year that is not all "
            "under load."
        )
    return Answer(values, tuple(notes))


COST = Calculator(
    "cost",
    "Operating cost",
    "What power costs: energy, money and CO2 per year, per terabyte and per work.",
    OPTIONS,
    OUTPUTS,
    _work,
    {
        "power": "power_w",
        "idle": "idle.power_w",
        "iops": "iops",
        "bandwidth": "bandwidth_mb_s",
        "capacity": "dut.capacity_tb",
        "purchase": "dut.price",
        "duty": "cost.duty_percent",
        "co2": "cost.co2_g_per_kwh",
        **COST_TAKES,
    },
)
