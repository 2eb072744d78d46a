"""What lm-sensors tells of a machine (`sensors -j`), as a source."""

import re

from instruments.driver import HOST, Driver, Found, period
from instruments.errors import BenchError, SourceError
from instruments.reading import Identity, Reading, Status
from instruments.settings import Kind, Option
from instruments.thermal.drives.drive_tool import run_tool
from instruments.thermal.machine.host_sensors import HostSensors
from instruments.thermal.machine.sensors_text import Chips, list_values, parse
from instruments.tools.command_errors import lost_source
from instruments.tools.hosts import Host

_TIMEOUT_S = 10.0


class Sensors(HostSensors):
    """All chips that lm-sensors knows, or some, as a source of section "thermal".

    Chips are named as `sensors` takes them, such as "coretemp-*".
    """

    driver = "sensors"

    def open(self) -> Identity:
        """See which chips there are; raises SourceError."""
        self.close()
        try:
            version = run_tool(self._host, ["sensors", "-v"], _TIMEOUT_S).stdout
        except SourceError as error:
            raise lost_source(self.name, error) from error
        chips, _ = self._ask()
        # One that cannot be read does not even say what it would measure.
        known = [value for value in list_values(chips) if value.unit]
        self._declare(known)
        found = re.search(r"version (\S+)", version)
        names = ", ".join(sorted(chips))
        return Identity(
            "lm-sensors", names, "", found[1] if found else "", str(self._host)
        )

    def read(self) -> Reading:
        """Read all chips; raises SourceError."""
        if not self._keys:
            raise self._not_open()
        start = self._clock()
        chips, text = self._ask()
        end = self._clock()
        values = {value.key: value for value in list_values(chips)}
        return self._reading(values, (start, end), text)

    def _ask(self) -> tuple[Chips, str]:
        argv = ["sensors", "-j", *self._names]
        try:
            done = run_tool(self._host, argv, _TIMEOUT_S)
        except SourceError as error:
            raise lost_source(self.name, error) from error
        chips = parse(done.stdout)
        if chips:
            return chips, done.stdout
        said = (done.stderr.strip().splitlines() or ["it printed nothing"])[0]
        if "invalid option" in done.stderr or "nknown option" in done.stderr:
            way_out = "Install lm-sensors 3.5 or newer, or use the driver hwmon."
        else:
            way_out = "See what 'sensors -j' prints there; 'sensors-detect' helps."
        raise SourceError(
            f"it has no sensors ({said.rstrip('!.')})",
            where=f"{self.name} (sensors on {self._host})",
            way_out=way_out,
            status=Status.ERROR if chips is None else Status.ABSENT,
        )


def _discover(host: Host) -> list[Found]:
    try:
        chips = parse(host.run(["sensors", "-j"], _TIMEOUT_S).stdout)
    except BenchError:
        return []
    label = f"lm-sensors: {', '.join(sorted(chips))}" if chips else ""
    return [Found(label, {})] if label else []


DRIVER = Driver(
    "thermal",
    "sensors",
    "lm-sensors: boards, processors, drives",
    (
        Option(
            "chips",
            "Chips to read, as 'sensors' takes them; left out, all of them.",
            Kind.TEXTS,
            example="coretemp-*",
        ),
        period(5.0, 0.5),
        HOST,
    ),
    lambda settings: Sensors(
        settings.name,
        settings.host,
        chips=settings.texts("chips"),
        period_s=settings.number("period"),
    ),
    _discover,
)
