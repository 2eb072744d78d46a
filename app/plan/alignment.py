"""An alignment step: its bursts of reads, in [step.align]."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.plan import clap
from instruments.settings import Kind, Option, read_step

OPTIONS = (
    Option("bursts", "Short loads of reads", Kind.INTEGER, clap.BURSTS, low=3, high=50),
    Option("seed", "Of the lengths of the bursts", Kind.INTEGER, 1, low=0, high=2**31),
    Option(
        "rate_iops",
        "Highest number of reads per second",
        Kind.INTEGER,
        low=1,
        high=10**9,
    ),
)
"""What [step.align] may say."""

LEAD_S = 3.0
"""Pause before the first burst and after the last one."""


@dataclass(frozen=True, slots=True)
class AlignPlan:
    """The bursts of an alignment step.

    Attributes:
        bursts: How many there are.
        seed: Of their lengths.
        rate_iops: This many reads a second they do at most, which a busy machine keeps,
            too; 0 is as many as go.
    """

    bursts: int = clap.BURSTS
    seed: int = 1
    rate_iops: int = 0

    @property
    def options(self) -> Mapping[str, str]:
        """The options of fio in a burst."""
        if not self.rate_iops:
            return clap.OPTIONS
        return {**clap.OPTIONS, "numjobs": "1", "rate_iops": str(self.rate_iops)}

    @property
    def pattern(self) -> tuple[clap.Beat, ...]:
        """The bursts and the pause after each."""
        return clap.beats(self.bursts, self.seed)

    @property
    def duration_s(self) -> float:
        """How long it takes at least, in seconds."""
        return 2 * LEAD_S + clap.duration_s(self.pattern)


def check_align(options: Mapping[str, str]) -> AlignPlan:
    """Read the options of an alignment step; raises OptionError."""
    found = read_step("align", OPTIONS, options)
    return AlignPlan(
        found.integer("bursts"),
        found.integer("seed"),
        int(found.optional("rate_iops") or 0),
    )
