"""A device that speaks SCPI: command tree, paths, error queue, status registers."""

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from instruments.simulated.meters.scpi_arguments import TEXTS, ScpiError, byte

Numbers = tuple[int, ...]
"""The numeric suffixes of a header; 1 where none was given."""

Query = Callable[[Numbers, Sequence[str]], str]
Setting = Callable[[Numbers, Sequence[str]], object]

# Standard error of SCPI-1999, volume 2.
UNDEFINED_HEADER = -113
QUEUE_LENGTH = 20
OPERATION_COMPLETE = 0x01


@dataclass(frozen=True, slots=True)
class _Command:
    header: re.Pattern[str]
    query: Query | None
    setting: Setting | None


class ScpiDevice:
    """Answers messages; a subclass adds its own commands with `command`.

    After an error the rest of the message is not carried out; what was answered
    until then is sent.

    Attributes:
        terminator: What ends an answer.
        remote: Whether it is under remote control: any message makes it so.
    """

    terminator = "\n"

    def __init__(self) -> None:
        self._commands: list[_Command] = []
        self._errors: deque[int] = deque()
        self._wake()
        self._add_common_commands()

    def _wake(self) -> None:
        self.remote = False
        self._errors.clear()
        self._event_status = 0x80  # power on
        self._event_enable = 0
        self._service_enable = 0

    def command(
        self, header: str, *, query: Query | None = None, setting: Setting | None = None
    ) -> None:
        """Add a command to the tree.

        Args:
            header: Such as "CHANnel<n>[:ACQuisition]:MODE": capitals are the short
                form, <n> a number, brackets what may be omitted.
            query: Answers the header with a question mark.
            setting: Takes its parameters.
        """
        self._commands.append(_Command(_pattern(header), query, setting))

    def handle(self, message: str) -> str | None:
        """Carry out one message.

        Returns:
            The answers joined by ";", or None where nothing is to be answered.
        """
        answers = []
        path = ""
        self.remote = True
        for unit in _split(message, ";"):
            text = unit.strip()
            if not text:
                continue
            header, _, rest = text.partition(" ")
            full, path = _whole_header(header, path)
            arguments = [item.strip() for item in _split(rest, ",")] if rest else []
            try:
                answer = self._carry_out(full.upper(), arguments)
            except ScpiError as error:
                self.fail(error.code)
                break
            if answer is not None:
                answers.append(answer)
        return ";".join(answers) if answers else None

    def fail(self, code: int) -> None:
        """Put an error into the queue and its bit into the event status."""
        # Command, execution, device and query error of the event status (IEEE 488.2).
        self._event_status |= {1: 0x20, 2: 0x10, 3: 0x08, 4: 0x04}[-code // 100]
        # The last one makes way for "Queue overflow", so that the first are not lost.
        if len(self._errors) >= QUEUE_LENGTH:
            self._errors[-1] = -350
        else:
            self._errors.append(code)

    def reset(self) -> None:
        """Go back to the settings of the factory (*RST)."""

    def power_on(self) -> None:
        """Begin as after switching on."""
        self._wake()
        self.reset()

    def unasked(self) -> list[str]:
        """Say nothing by itself; see `MeterModel`."""
        return []

    def _carry_out(self, header: str, arguments: Sequence[str]) -> str | None:
        is_query = header.endswith("?")
        for command in self._commands:
            match = command.header.fullmatch(header.rstrip("?"))
            if match is None:
                continue
            numbers = tuple(int(number or 1) for number in match.groups())
            if is_query and command.query:
                return command.query(numbers, arguments)
            if not is_query and command.setting:
                command.setting(numbers, arguments)
                return None
        raise ScpiError(UNDEFINED_HEADER)

    def _add_common_commands(self) -> None:
        self.command("*CLS", setting=lambda _n, _a: self._clear())
        self.command("*RST", setting=lambda _n, _a: self.reset())
        self.command("*WAI", setting=lambda _n, _a: None)
        self.command("*TST", query=lambda _n, _a: "0")
        self.command(
            "*OPC", query=lambda _n, _a: "1", setting=lambda _n, _a: self._complete()
        )
        self.command(
            "*ESE",
            query=lambda _n, _a: str(self._event_enable),
            setting=lambda _n, a: setattr(self, "_event_enable", byte(a)),
        )
        self.command(
            "*SRE",
            query=lambda _n, _a: str(self._service_enable),
            setting=lambda _n, a: setattr(self, "_service_enable", byte(a)),
        )
        self.command("*ESR", query=lambda _n, _a: self._take_event_status())
        self.command("*STB", query=lambda _n, _a: str(self._status_byte()))
        self.command("SYSTem:ERRor[:NEXT]", query=lambda _n, _a: self._next_error())

    def _clear(self) -> None:
        self._errors.clear()
        self._event_status = 0

    def _complete(self) -> None:
        self._event_status |= OPERATION_COMPLETE

    def _take_event_status(self) -> str:
        status, self._event_status = self._event_status, 0
        return str(status)

    def _status_byte(self) -> int:
        status = 0x04 if self._errors else 0
        if self._event_status & self._event_enable:
            status |= 0x20
        if status & self._service_enable:
            status |= 0x40
        return status

    def _next_error(self) -> str:
        if not self._errors:
            return '0,"No error"'
        code = self._errors.popleft()
        return f'{code},"{TEXTS[code]}"'


def _whole_header(header: str, path: str) -> tuple[str, str]:
    """Get a header from the root on, and the path for the next one of the message.

    A header without a colon before it goes on where the one before it ended, and a
    common command (*) leaves that as it is (SCPI-1999, volume 1, 6.2.4).
    """
    if header.startswith("*"):
        return header, path
    whole = header[1:] if header.startswith(":") else path + header
    node, colon, _ = whole.rpartition(":")
    return whole, node + colon


def _pattern(header: str) -> re.Pattern[str]:
    """Make "CHANnel<n>[:ACQuisition]" an expression for both forms, in capitals."""
    text = header.replace("*", r"\*").replace("[", "(?:").replace("]", ")?")
    text = re.sub(
        r"([A-Z]+)([a-z]+)",
        lambda match: f"{match[1]}(?:{match[2].upper()})?",
        text.replace("<n>", "\0"),
    )
    return re.compile(text.replace("\0", r"(\d*)"))


def _split(text: str, separator: str) -> list[str]:
    """Split outside of quotes."""
    return re.findall(rf'(?:"[^"]*"|[^"{separator}])+', text)
