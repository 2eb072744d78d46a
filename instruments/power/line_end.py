"""Lines for meters that want more than a line feed at their end."""

from instruments.link.transport import Transport


class Ended:
    """A transport that ends each line with more than a line feed.

    Args:
        link: The transport beneath; it adds the line feed.
        end: What goes before that, such as a carriage return.
    """

    def __init__(self, link: Transport, end: str) -> None:
        self._link = link
        self._end = end

    def query(self, message: str) -> str:
        """Send a line and get the answer; see `Transport`."""
        return self._link.query(message + self._end)

    def write(self, message: str) -> None:
        """Send a line; see `Transport`."""
        self._link.write(message + self._end)

    def close(self) -> None:
        """Let go of the instrument; see `Transport`."""
        self._link.close()
