"""What power comes to: per unit of work, per terabyte, and as money in a year."""

from dataclasses import dataclass

from app.calc.energy import cost_per_year, mean_of_year


@dataclass(frozen=True, slots=True)
class Economics:
    """What a bench says of its device's size and of the price of energy."""

    # raw capacity in TB of 10^12 bytes; None where it is not said
    capacity_tb: float | None = None
    price_per_kwh: float | None = None  # in `currency`; None where it is not said
    currency: str = "EUR"  # such as "EUR"
    pue: float = 1.0  # power usage effectiveness of the data centre
    # share of the year under load, 0 to 1; the device idles in the rest
    duty: float = 1.0

    def mean_of_year(self, power_w: float, idle_w: float | None) -> float | None:
        """Get the mean power of a year at this load: W x duty + idle W x (1 - duty).

        Args:
            power_w: Under load.
            idle_w: At rest, None where that was not measured; a device that is not
                always under load has no known mean then.
        """
        return mean_of_year(power_w, idle_w, self.duty)

    def watts_per_tb(self, power_w: float) -> float | None:
        """Get W/TB: power over raw capacity, as archive reports quote it."""
        return power_w / self.capacity_tb if self.capacity_tb else None

    def cost_per_year(self, power_w: float) -> float | None:
        """Get the price of a year at this power; None where kWh have no price."""
        if self.price_per_kwh is None:
            return None
        return cost_per_year(power_w, self.price_per_kwh, self.pue)


def per_watt(rate: float | None, power_w: float) -> float | None:
    """Get a rate over the power at which it was had, such as IOPS/W.

    SNIA Emerald calls such ratios power efficiency, of one stable interval.
    """
    return rate / power_w if rate is not None and power_w > 0 else None
