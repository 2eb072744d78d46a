"""Rounds asked for in a plan: all points of a sweep again, until one of them is steady.

As SNIA's SSS-PTS tests a drive: the whole matrix of block sizes and read shares is a
round, and one row of it, such as random writes of 4 KiB, is the tracking variable.
"""

from dataclasses import dataclass

from app.plan.toml_table import TomlTable
from instruments.metric import BY_NAME, RESULT_NAMES

LEAST = 5
"""Rounds of the window in which the tracking variable has to be steady."""

MOST = 25
"""After this many SSS-PTS gives up."""


@dataclass(frozen=True, slots=True)
class RoundsPlan:
    """When a sweep has been run often enough.

    Attributes:
        track: The label of the row that has to be steady from round to round.
        of: The result of it that is judged, such as "iops".
        most: After this many rounds it ends in any case.
    """

    track: str
    of: str = "iops"
    most: int = MOST


def parse_rounds(table: TomlTable) -> RoundsPlan:
    """Read [step.rounds].

    Raises:
        BadInput: Names the file, the line and the key, and what was expected.
    """
    plan = RoundsPlan(
        table.text("track"),
        table.choice("of", RESULT_NAMES, "iops"),
        table.integer("most", MOST, low=LEAST, high=1000),
    )
    table.finish()
    if not BY_NAME[plan.of].has_ratio:
        what = f"{plan.of} has no zero, so a share of its mean says nothing"
        table.fail("of", what, 'Expected such as "iops" or "latency_mean_ms".')
    return plan


def rounds_values(plan: RoundsPlan) -> dict[str, object]:
    """Get what stands in [step.rounds]."""
    return {"track": plan.track, "of": plan.of, "most": plan.most}
