"""The sensors of a BMC by ipmitool, on this machine or on a host of the bench."""

from collections.abc import Mapping
from contextlib import suppress

from instruments.command import Completed
from instruments.command_errors import lost_source
from instruments.errors import BenchError, SourceError
from instruments.hosts import Host
from instruments.reading import Identity, Status
from instruments.thermal.sensor_values import SensorValue, judged, quantity_of

UNITS = {
    "degrees C": ("degC", 1.0, 0.0),
    "degrees F": ("degC", 5 / 9, -160 / 9),
    "degrees K": ("degC", 1.0, -273.15),
    "Volts": ("V", 1.0, 0.0),
    "Amps": ("A", 1.0, 0.0),
    "Watts": ("W", 1.0, 0.0),
    "VA": ("VA", 1.0, 0.0),
    "RPM": ("1/min", 1.0, 0.0),
    "Hz": ("Hz", 1.0, 0.0),
    "percent": ("%", 1.0, 0.0),
}
_STATES = {
    "ok": Status.OK,
    "nc": Status.WARN,
    "lnc": Status.WARN,
    "unc": Status.WARN,
    "cr": Status.CRIT,
    "lcr": Status.CRIT,
    "ucr": Status.CRIT,
    "nr": Status.CRIT,
    "lnr": Status.CRIT,
    "unr": Status.CRIT,
}
_SILENT = "Error: Unable to establish IPMI v2 / RMCP+ session"
READ_S = 20.0
LIST_S = 60.0
"""The first listing of a BMC with hundreds of sensors takes tens of seconds."""


class ToolBmc:
    """A BMC that is asked by ipmitool, whose password is in the environment only.

    The cipher suite is given, because finding it out cost ten seconds against a
    simulator. The list of sensors is kept in a file beside the tool while open.

    Args:
        host: Where ipmitool runs.
        target: Address, port and user.
        cipher: IPMI's cipher suite, 3 or 17.
        password: Password of the account.
        where: Source and address, for errors.

    Raises:
        SourceError: ipmitool is missing, or the BMC does not let it in.
    """

    def __init__(
        self,
        host: Host,
        target: tuple[str, int, str],
        cipher: int,
        password: str,
        where: str,
    ) -> None:
        address, port, user = target
        self._host = host
        self._where = where
        self._env = {"IPMI_PASSWORD": password}
        self._tool = ["ipmitool", "-I", "lanplus", "-C", f"{cipher}", "-H", address]
        self._tool += ["-p", f"{port}", "-U", user, "-E", "-R", "1", "-N", "2"]
        self._cache = ""
        self._let_in = False
        self._units: dict[str, str] = {}
        try:
            made = self._call(["mktemp", "-t", "bayscope-sdr-XXXXXXXX"], 10.0, {})
            self._cache = made.stdout.strip()
            if made.code or not self._cache:
                raise SourceError(
                    f"no temporary file can be made ({made.stderr.strip()[:100]})",
                    where=where,
                    way_out="See whether /tmp is full where ipmitool runs.",
                )
            self._ask("sdr", "dump", self._cache, seconds=LIST_S)
        except BaseException:
            self.close()
            raise

    def identify(self, address: str) -> Identity:
        """Ask the BMC who it is."""
        facts = {}
        for line in self._ask("mc", "info", seconds=READ_S).splitlines():
            key, _, value = line.partition(":")
            facts[key.strip()] = value.strip()
        return Identity(
            facts.get("Manufacturer Name", ""),
            facts.get("Product Name", "BMC"),
            "",
            facts.get("Firmware Revision", ""),
            address,
        )

    def read(self) -> tuple[list[SensorValue], bytes]:
        """Read every sensor; return the values and the text as it came.

        Raises:
            SourceError: The BMC answers no more.
        """
        text = self._ask("-S", self._cache, "-c", "sdr", "list", "full", seconds=READ_S)
        return self._parse(text), text.encode()

    def close(self) -> None:
        """Remove the file with the list; may be called twice."""
        if self._cache:
            with suppress(BenchError):
                self._host.run(["rm", "-f", self._cache], 10.0)
            self._cache = ""
        self._host.close()

    def _parse(self, text: str) -> list[SensorValue]:
        """Parse `name,value,unit,state`.

        A sensor without a reading comes without its unit, so that one which has none
        when the BMC is opened is no channel.
        """
        values: dict[str, SensorValue] = {}
        for line in text.splitlines():
            parts = line.rsplit(",", 3)
            if len(parts) != 4:
                continue
            name, number, unit, state = (part.strip() for part in parts)
            key, count = name, 1
            while key in values:
                count += 1
                key = f"{name} {count}"
            unit = self._units.setdefault(key, unit) or unit
            self._units[key] = unit
            if unit not in UNITS:
                continue
            values[key] = _value(key, name, number, unit, state)
        return list(values.values())

    def _ask(self, *arguments: str, seconds: float) -> str:
        done = self._call([*self._tool, *arguments], seconds, self._env)
        complaint = " ".join(done.stderr.split()).rstrip(".")
        if not done.code or done.stdout.strip():
            self._let_in = True
            return done.stdout
        if complaint == _SILENT:
            # It says the same of silence and of a wrong password.
            raise SourceError(
                "ipmitool gets no session with the BMC",
                where=self._where,
                way_out="Is it switched on, and are address, port, user and password "
                "right?",
                status=Status.TIMEOUT if self._let_in else Status.ERROR,
            )
        raise SourceError(
            f"ipmitool was not let in ({complaint or f'exit code {done.code}'})",
            where=self._where,
            way_out="See user, password and cipher (3 or 17).",
        )

    def _call(
        self, argv: list[str], seconds: float, env: Mapping[str, str]
    ) -> Completed:
        try:
            return self._host.run(argv, seconds, env=env)
        except BenchError as error:
            raise lost_source(self._where, error) from error


def _value(key: str, name: str, number: str, unit: str, state: str) -> SensorValue:
    ours, factor, offset = UNITS[unit]
    status = _STATES.get(state.lower(), Status.ABSENT)
    try:
        found: float | None = float(number) * factor + offset
    except ValueError:
        found = None
        status = Status.ABSENT if not status.is_value else Status.NAN
    quantity = quantity_of(ours)
    if ours == "%" and "fan" in name.lower():
        quantity = "fan_percent"
    return SensorValue(key, name, quantity, ours, *judged(found, status))
