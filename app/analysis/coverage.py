"""How much of a step its results cover: samples that were values of those expected."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from app.record.store import Result

JUDGED = 0.9
"""A limit is judged only on a result made of this share of its samples, or more."""

MEASURED = 0.5
"""A result made of less than this share of its samples makes its step an ERROR."""

_FEW = 5
"""A channel of fewer expected samples is starred, but too short to be judged by."""

WORDS = {
    "power_w": "power",
    "apparent_va": "apparent power",
    "noise_db": "noise",
    "iops": "IOPS",
    "bandwidth_mb_s": "bandwidth",
    "ambient_c": "ambient temperature",
    "drive_max_c": "drive temperature",
}
"""What a row is made of, by the names of results: as it is said in a sentence."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What one result is made of."""

    result: str  # its name
    n_valid: int  # samples that were values
    n_expected: int  # samples that were expected

    @property
    def share(self) -> float:
        """The share of the expected samples that were values."""
        return self.n_valid / self.n_expected

    @property
    def is_poor(self) -> bool:
        """Whether no limit is judged on it."""
        return self.share < JUDGED

    @property
    def words(self) -> str:
        """What was measured, for a sentence, "" for what follows from others."""
        device, _, name = self.result.rpartition(".")
        word = WORDS.get(name, "")
        return f"{word} of {device}" if word and device else word


def coverage_of(
    results: Iterable[Result], absent: Collection[str] = ()
) -> list[Coverage]:
    """Get the coverage of all results that stored samples are the origin of.

    Energy is left out: an integrator goes on where its readings lack, and there is no
    energy where it does not. What was over range it lacks, too.

    Args:
        results: The results of a step.
        absent: Sources that the operator left out; what they would give does not count.
    """
    return [
        Coverage(result.name, result.n_valid or 0, result.n_expected)
        for result in results
        if (result.channels or result.value is None)
        and (result.over_range_s or not result.name.endswith("energy_wh"))
        and result.n_expected
        and not any(channel.source in absent for channel in result.channels)
        and _is_long(result)
    ]


def _is_long(result: Result) -> bool:
    length = result.end_ns - result.start_ns
    return all(length >= _FEW * channel.period_ns for channel in result.channels)


def unmeasured(coverage: Sequence[Coverage]) -> str:
    """Say which results are made of too little for the step to count; "" for none."""
    poor = [one for one in coverage if one.words and one.share < MEASURED]
    if not poor:
        return ""
    counts = [f"{one.words} in {one.n_valid} of {one.n_expected}" for one in poor]
    first = poor[0]
    counts[0] = (
        f"{first.words} was measured in {first.n_valid} of {first.n_expected} samples"
    )
    return ", ".join(counts)
