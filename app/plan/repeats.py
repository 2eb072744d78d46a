"""Repeats asked for in a plan: until a confidence interval is narrow enough."""

import re
from dataclasses import dataclass

from app.plan.toml_table import TomlTable
from instruments.metric import RESULT_NAMES

_SHARE = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*%\s*$")


@dataclass(frozen=True, slots=True)
class RepeatPlan:
    """When a step has been repeated often enough.

    Attributes:
        of: The result whose mean is wanted, such as "iops".
        within: Half the width of its interval may be this share of the mean.
        level: Of confidence, 0 to 1.
        least: So often it is run at least.
        most: So often it is run at most.
    """

    of: str
    within: float = 0.02
    level: float = 0.95
    least: int = 5
    most: int = 10


def parse_repeats(table: TomlTable) -> RepeatPlan:
    """Read [step.repeats].

    Raises:
        BadInput: Names the file, the line and the key, and what was expected.
    """
    most = table.integer("most", 10, low=2, high=1000)
    plan = RepeatPlan(
        table.choice("of", RESULT_NAMES, None),
        _share(table),
        table.number("level", 95.0, low=50.0, high=99.99) / 100,
        table.integer("least", min(5, most), low=2, high=1000),
        most,
    )
    table.finish()
    if plan.most < plan.least:
        table.fail("most", "most is below least", f"Expected {plan.least} or more.")
    return plan


def repeats_values(plan: RepeatPlan) -> dict[str, object]:
    """Get what stands in [step.repeats]."""
    return {
        "of": plan.of,
        "within": f"{100 * plan.within:.12g}%",
        "level": float(f"{100 * plan.level:.12g}"),
        "least": plan.least,
        "most": plan.most,
    }


def numbered(label: str, number: int) -> str:
    """Name a repeat of a step."""
    return f"{label} ({number})"


def _share(table: TomlTable) -> float:
    text = table.text("within", "2%")
    match = _SHARE.match(text)
    share = float(match[1]) / 100 if match else 0.0
    if not 0.0 < share < 1.0:
        table.fail("within", f'within is "{text}"', 'Expected such as "2%".')
    return share
