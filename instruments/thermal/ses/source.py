"""An enclosure (JBOD, shelf) through SCSI Enclosure Services, as a source."""

from collections.abc import Callable, Sequence

from instruments.bounds import within_bounds
from instruments.driver import HOST, Driver, Found, period
from instruments.errors import SourceError
from instruments.reading import SECOND, Channel, Identity, Reading
from instruments.settings import Option, Settings
from instruments.thermal.layout import parse_layout
from instruments.thermal.ses.channels import Sensor, list_sensors, values
from instruments.thermal.ses.element import Configuration, Static, StatusPage
from instruments.thermal.ses.nodes import choose, find_shelves, plain_id
from instruments.thermal.ses.tool import SesTool
from instruments.timebase import monotonic_ns
from instruments.tools.command_errors import errors_of, lost_source
from instruments.tools.hosts import Host

_TIMEOUT_S = 5.0


class Ses:
    """One enclosure as a source of section "thermal".

    Where it is seen through several nodes (two IO modules, several paths), one of
    them is asked, and the next one when that does not answer.

    Args:
        settings: Name, host of sg_ses and options.
        clock: Gives monotonic nanoseconds.

    Raises:
        BadInput: The device is neither a node nor an identifier, or no layout is such.
    """

    section = "thermal"
    driver = "ses"

    def __init__(
        self, settings: Settings, clock: Callable[[], int] = monotonic_ns
    ) -> None:
        self._device = settings.text("device")
        if not self._device.startswith("/"):
            plain_id(self._device)
        if layout := settings.text("layout"):
            parse_layout(layout)
        self.name = settings.name
        self.period_s = settings.number("period")
        self._host = settings.host
        self._clock = clock
        self._tool = SesTool(self._host, min(self.period_s, _TIMEOUT_S))
        self._nodes: tuple[str, ...] = ()
        self._notice = ""
        self._static: Static | None = None
        self._sensors: tuple[Sensor, ...] = ()
        self.channels: tuple[Channel, ...] = ()

    @property
    def static(self) -> Static | None:
        """Get configuration, names, bays and limits; None while it is closed."""
        return self._static

    def open(self) -> Identity:
        """Find the enclosure and read what it is made of; raises SourceError."""
        self.close()
        with errors_of(self.name):
            shelf = choose(self._tool, self._device)
            static = self._tool.static(shelf.nodes[0])
        self._nodes = shelf.nodes
        self._adopt(static)
        configuration = static.configuration
        return Identity(
            maker=configuration.vendor,
            model=configuration.product,
            serial=shelf.logical_id,
            firmware=configuration.revision,
            address=" ".join(shelf.nodes),
        )

    def read(self) -> Reading:
        """Read the status page and give all channels; raises SourceError."""
        if self._static is None:
            raise SourceError("the source is not open", where=self.name)
        start = self._clock()
        page, text = self._ask(self._static.configuration)
        if page.generation != self._static.configuration.generation:
            # The enclosure was changed, such as by a new module or firmware.
            static = self._same(self._tool.static(self._nodes[0]))
            self._adopt(static)
            page, text = self._ask(static.configuration)
            if page.generation != static.configuration.generation:
                raise SourceError(
                    "the enclosure was changed while it was read",
                    where=self.name,
                    way_out="It is asked again with the next reading.",
                )
        end = self._clock()
        pairs = values(self._sensors, page)
        notice, self._notice = self._notice, ""
        return within_bounds(
            Reading.of(self.channels, (start, end), pairs, text.encode(), notice=notice)
        )

    def close(self) -> None:
        """Forget the enclosure; nothing is held open between reads."""
        self._nodes = ()
        self._static = None
        self._host.close()

    def _ask(self, config: Configuration) -> tuple[StatusPage, str]:
        """Ask the first node that answers, and put it first from then on."""
        failed: list[SourceError] = []
        for number, node in enumerate(self._nodes):
            try:
                answer = self._tool.statuses(node, config)
            except SourceError as error:
                failed.append(error)
                continue
            if failed:
                self._notice = f"reads by {node} now, {_each(self._nodes, failed)}"
            # Else each reading would wait for those that do not answer.
            self._nodes = (*self._nodes[number:], *self._nodes[:number])
            return answer
        if len(failed) == 1:
            raise lost_source(self.name, failed[0])
        raise SourceError(
            _each(self._nodes, failed),
            where=self.name,
            way_out=failed[-1].way_out,
            status=failed[-1].status,
        )

    def _same(self, static: Static) -> Static:
        """Refuse another enclosure, which may have got the node meanwhile."""
        before = self._static.configuration.logical_id if self._static else ""
        now = static.configuration.logical_id
        if now != before:
            raise SourceError(
                f"the enclosure {now or 'without an identifier'} is there now, not "
                f"{before or 'the one before'}",
                where=f"{self.name} ({self._nodes[0]})",
                way_out="It is searched for again; check the cables.",
            )
        return static

    def _adopt(self, static: Static) -> None:
        sensors = list_sensors(static, self.name, int(self.period_s * SECOND))
        self._static = static
        channels = tuple(sensor.channel for sensor in sensors)
        if channels != self.channels and self.channels:
            # Channels that were declared stay; what they stood for is looked up by
            # name, and what is gone has no element.
            by_name = {sensor.channel.name: sensor for sensor in sensors}
            nowhere = (-1, -1)  # a key that no page has, so that it reads as absent
            sensors = tuple(
                by_name.get(sensor.channel.name)
                or Sensor(sensor.channel, nowhere, sensor.take)
                for sensor in self._sensors
            )
        else:
            self.channels = channels
        self._sensors = sensors


def _each(nodes: Sequence[str], failed: Sequence[SourceError]) -> str:
    """Say why each of the first nodes did not answer."""
    pairs = zip(nodes, failed, strict=False)
    return "; ".join(f"{node}: {error.what}" for node, error in pairs)


def _discover(host: Host) -> list[Found]:
    sources = []
    for shelf in find_shelves(SesTool(host)):
        shown = shelf.configuration
        device = shelf.logical_id or shelf.nodes[0]
        nodes = " ".join(shelf.nodes)
        label = f"{shown.vendor} {shown.product} {device} ({nodes})"
        sources.append(Found(label, {"device": device}))
    return sources


DEVICE = Option(
    "device",
    "Its node or its logical identifier; without it, the only enclosure there.",
    example="/dev/sg5",
)
LAYOUT = Option(
    "layout",
    "How its bays are arranged, for drawing: a name, or rows x columns.",
    example="4x15",
)

DRIVER = Driver(
    "thermal",
    "ses",
    "Enclosure (SES): temperatures, fans, supplies, bays",
    (DEVICE, period(10.0, 5.0), HOST, LAYOUT),
    Ses,
    _discover,
)
