"""A conversation in SCPI: settings confirmed, questions asked, errors found."""

from instruments.errors import SourceError
from instruments.link.transport import Transport

# Questions at most: an instrument for which this question is an error never ends.
_QUEUE_LENGTH = 32
_SHOWN = 200
"""Characters of the commands that are named in an error."""


class Scpi:
    """One instrument that speaks SCPI, over a transport it owns.

    Args:
        link: The open transport.
        where: The source and its address, for what is said when something fails.
        line_end: What a line needs before the line feed that the transport adds.
    """

    def __init__(self, link: Transport, where: str, line_end: str = "") -> None:
        self._link = link
        self.where = where
        self._end = line_end
        self._unconfirmed: list[str] = []

    def ask(self, message: str) -> str:
        """Get the answer to a query.

        Raises:
            SourceError: No answer; names what was asked.
        """
        try:
            return self._link.query(message + self._end)
        except SourceError as error:
            raise self._named(error, message) from error

    def set(self, *commands: str) -> None:
        """Send commands one by one, each confirmed by *OPC? before the next.

        Raises:
            SourceError: A command was not confirmed.
        """
        for command in commands:
            self.write(command)
            # Its answer says that the command before was carried out. Sent together,
            # a slow instrument may still be busy when the next one comes.
            answer = self.ask("*OPC?")
            if answer.lstrip("+") != "1":
                raise self.refuse(f'"{answer[:60]}" came as the answer to *OPC?')

    def write(self, command: str) -> None:
        """Send a command that nothing confirms; raises SourceError."""
        self._unconfirmed = [] if command == "*CLS" else [*self._unconfirmed, command]
        try:
            self._link.write(command + self._end)
        except SourceError as error:
            raise self._named(error, command) from error

    def errors(self) -> list[str]:
        """Take all there is in the error queue; raises SourceError."""
        self._unconfirmed = []
        reported: list[str] = []
        for _ in range(_QUEUE_LENGTH):
            answer = self.ask("SYST:ERR?")
            # The space and the quotes of `0,"No error"` differ between makers.
            if answer.split(",")[0].strip().lstrip("+-") == "0":
                break
            reported.append(answer)
        return reported

    def check(self, doing: str) -> None:
        """Refuse the instrument if it has errors to report; raises SourceError."""
        sent = ", ".join(self._unconfirmed)
        reported = self.errors()
        if reported:
            raise SourceError(
                f"it reported {'; '.join(reported[:3])} on {doing}"
                + (f" ({sent[:_SHOWN]})" if sent else ""),
                where=self.where,
                way_out="Its firmware does not take one of these commands now: see its "
                "version and the driver, or restart the instrument.",
            )

    def refuse(self, what: str) -> SourceError:
        """Make the error that says what is wrong with this instrument."""
        way_out = "Check the address, or restart the instrument."
        return SourceError(what, where=self.where, way_out=way_out)

    def close(self) -> None:
        """Let go of the transport; may be called twice."""
        self._link.close()

    def _named(self, error: SourceError, message: str) -> SourceError:
        # Opening begins with *IDN?; that it was sent explains nothing.
        command = "" if message == "*IDN?" else f" (on {message})"
        return SourceError(
            f"{error.what}{command}",
            where=self.where,
            way_out=error.way_out,
            status=error.status,
        )
