"""All calculators, in the order of the window."""

from app.calc.against import AGAINST
from app.calc.energy import COST
from app.calc.intake import INTAKE
from app.calc.link import LINK
from app.calc.raid import RAID
from app.calc.reliability import RELIABILITY
from app.calc.shares import SHARES
from app.calc.streams import STREAMS
from app.calc.throughput import THROUGHPUT
from app.calc.zfs import ZFS

CALCULATORS = {
    one.word: one
    for one in (
        *(RAID, ZFS, RELIABILITY, LINK, COST),
        *(AGAINST, SHARES, THROUGHPUT, STREAMS, INTAKE),
    )
}
"""By the words of the command line."""
