"""An alignment step: its bursts of reads, in [step.align]."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.plan import clap
from app.plan.phase_options import only, whole

LEAD_S = 3.0
"""Pause before the first burst and after the last one."""


@dataclass(frozen=True, slots=True)
class AlignPlan:
    """The bursts of an alignment step.

    Attributes:
        bursts: How many there are.
        seed: Of their lengths.
        rate_iops: So many reads a second they do at most, which a busy machine keeps,
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
    only(options, "bursts", "seed", "rate_iops")
    return AlignPlan(
        whole(options, "bursts", clap.BURSTS, low=3, high=50),
        whole(options, "seed", 1, low=0, high=2**31),
        whole(options, "rate_iops", 0, low=1, high=10**9),
    )
