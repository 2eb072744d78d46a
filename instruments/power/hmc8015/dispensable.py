"""What an instrument's firmware does not know, and reading goes on without."""

import re
from collections.abc import Sequence

from instruments.link.scpi import Scpi


class Dispensable:
    """Keeps what was not known, to be told with the readings.

    Args:
        scpi: The open link, for what is refused.
    """

    def __init__(self, scpi: Scpi) -> None:
        self._scpi = scpi
        self._remarks: dict[str, str] = {}

    def __contains__(self, what: str) -> bool:
        """Whether it goes without this."""
        return what in self._remarks

    @property
    def remarks(self) -> str:
        """What it goes without, with the instrument; "" for nothing."""
        told = "; ".join(self._remarks.values())
        return f"{self._scpi.where}: {told}" if told else ""

    def note(self, what: str, remark: str) -> None:
        """Take note that it goes without something."""
        self._remarks[what] = remark

    def tolerate(
        self, what: str, told: Sequence[str], commands: str, *, so: str = ""
    ) -> None:
        """Go on where a command is not known; any other error is one.

        Args:
            what: What it would go without.
            told: What is in its error queue; nothing where all was taken.
            commands: What was sent.
            so: What follows from it.

        Raises:
            SourceError: It knows the command, and did not take it.
        """
        if not told:
            return
        codes = (answer.split(",")[0].strip() for answer in told)
        if not all(re.fullmatch(r"-1\d\d", code) for code in codes):  # command errors
            raise self._scpi.refuse(f"it reported {'; '.join(told[:3])} on {commands}")
        unknown = f"its firmware does not know {commands} ({told[0]})"
        self._remarks[what] = f"{so}, {unknown}" if so else unknown
