"""Whether a row had its disk to itself: what others may do to it."""

from collections.abc import Mapping
from types import MappingProxyType

from app.plan.limits import FOREIGN, NEAR

NOT_CLEAN = 5.0
"""Per cent of all that a disk moved, from which on a row is marked as not clean.

Rates that repeat well do so within some per cent; what others take of a disk is lost to
the load, and more of it where it is of another kind, as writes beside reads. Judged.
"""

DISTURBED_MB_S = 1.0
DISTURBED_IOPS = 30.0
"""Of a row without a load, at what others do to the disk it is marked as not clean.

From either rate on: a disk that streams moves much in few transfers, one that seeks
little in many, of which a hard disk can do some hundred a second. A session that is
recorded on the disk of the target makes 0.1 MB/s in some 7 of them. Judged.
"""

REST_MB_S, REST_IOPS = "foreign_mb_s", "foreign_iops"
"""What others did to the disk of a row without a load, over all of its window."""

UNCLEAN = ", not clean"
"""What follows the verdict of a row that is not, or of a run with such a row."""

NEAR_LIMIT = ", within the meter's error"
"""What follows the verdict of a row that a meter as good may judge otherwise."""

NO_MARKS: Mapping[int, str] = MappingProxyType({})
"""Of no step anything follows its verdict."""

MOST_FOREIGN = {
    FOREIGN: NOT_CLEAN,
    REST_MB_S: DISTURBED_MB_S,
    REST_IOPS: DISTURBED_IOPS,
}
"""Results of a row that tell of others, and from where on it is not clean."""


def is_clean(values: Mapping[str, object]) -> bool:
    """Tell from the results of a row whether it had its disk to itself.

    A result that it does not have speaks of no other user.
    """

    def is_below(name: str, most: float) -> bool:
        value = values.get(name)
        return not isinstance(value, int | float) or value < most

    return all(is_below(name, most) for name, most in MOST_FOREIGN.items())


def marks_of(values: Mapping[str, object]) -> str:
    """Write what follows the verdict of a row with these results, "" for nothing."""
    return NEAR_LIMIT * bool(values.get(NEAR)) + UNCLEAN * (not is_clean(values))
