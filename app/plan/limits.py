"""Limits on results: "power_w <= 800"."""

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

FOREIGN = "foreign_percent"
"""What others moved on the disk of a load, of all that it moved."""

RESULT_NAMES = (
    "power_w",
    "iops",
    "bandwidth_mb_s",
    "lambda",
    "energy_wh",
    "noise_db",
    "ambient_c",
    "drive_min_c",
    "drive_max_c",
    "read_iops",
    "write_iops",
    "read_mb_s",
    "write_mb_s",
    "latency_mean_ms",
    "latency_p99_ms",
    "apparent_va",
    "power_peak_w",
    "startup_peak_500ms_w",
    "startup_steps",
    "time_to_ready_s",
    "energy_to_ready_wh",
    FOREIGN,
)
"""Results a limit can name, spelled as in the view report_table."""

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_LIMIT = re.compile(r"^\s*(\w+)\s*(<=|>=|<|>)\s*(-?\d+(?:\.\d+)?(?:[eE]\d+)?)\s*$")


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit: a result, a comparison and a number in the result's unit."""

    result: str
    comparison: str
    value: float

    def __str__(self) -> str:
        return f"{self.result} {self.comparison} {self.value:.12g}"

    def broken_by(self, results: Mapping[str, float | None]) -> str:
        """Say how the results break the limit; "" where they keep it.

        What was not measured breaks nothing: see `can_judge`.
        """
        value = results.get(self.result)
        if value is None or _COMPARE[self.comparison](value, self.value):
            return ""
        return f"{self.result} is {value:.6g}, the limit is {self}"

    def can_judge(self, results: Mapping[str, float | None]) -> bool:
        """Tell whether its result was measured at all."""
        return results.get(self.result) is not None


def parse_limit(text: str) -> Limit:
    """Read a limit such as "power_w <= 800".

    Raises:
        ValueError: With a sentence of what was expected.
    """
    match = _LIMIT.match(text)
    if not match:
        raise ValueError('Expected a limit such as "power_w <= 800".')
    if match[1] not in RESULT_NAMES:
        raise ValueError(f"Expected one of the results {', '.join(RESULT_NAMES)}.")
    if not math.isfinite(value := float(match[3])):
        raise ValueError("Expected a number that can be reached.")
    return Limit(match[1], match[2], value)
