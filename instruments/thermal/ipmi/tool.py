"""One BMC by ipmitool, which runs on this machine or on a host of the bench.

Each question is its own session: BMCs have few of them, and one that is held
between reads is not there for others. Against OpenIPMI's simulator a read of
all sensors takes 40 ms, nearly all of it the start of the tool.
"""

import re
from contextlib import suppress

from instruments.errors import SourceError
from instruments.reading import Identity, Status
from instruments.settings import Kind, Option, Settings
from instruments.tools.command import Completed
from instruments.tools.command_errors import errors_of
from instruments.tools.own_there import OwnThere, folder_there

USER_LEVEL, OPERATOR_LEVEL = "USER", "OPERATOR"
"""What an account has to be allowed: to read, and to switch a chassis."""

CIPHERS = (17, 3)
"""Cipher suites, the better one first; BMCs from before 2013 know only 3."""

ADDRESS = Option(
    "address", "Name or IP address of the BMC.", required=True, example="192.0.2.20"
)
PORT = Option("port", "UDP port of the BMC.", Kind.INTEGER, 623, low=1, high=65535)
CIPHER = Option(
    "cipher",
    "Cipher suite; without it, 17, or 3 where the BMC does not know that.",
    Kind.INTEGER,
    choices=CIPHERS,
)

READ_S = 20.0
LIST_S = 60.0
"""The first listing of a BMC with hundreds of sensors takes tens of seconds."""

# What ipmitool says; it has one exit code for everything.
_NO_CIPHER = "Error in open session response message"
_NO_SESSION = "Unable to establish IPMI v2 / RMCP+ session"
# "... (channel=0x0 netfn=0x0 lun=0x0 cmd=0x2 rsp=0xd4): Insufficient privilege level".
_REFUSED = re.compile(r"rsp=0x[0-9a-f]+\): (.+)")


class NoSessionError(SourceError):
    """The BMC did not log us in: nothing was asked of it."""


def login(settings: Settings) -> str:
    """Say where the password goes, and through which machine."""
    place = f"{settings.text('address')}:{settings.integer('port')}"
    by = f" by {settings.host}" if settings.host.name else ""
    return f"ipmi://{settings.text('user')}@{place}{by}"


class IpmiTool:
    """A BMC that is asked by ipmitool, whose password is in the environment only.

    The cipher suite is given, because finding it out by the BMC's list of them cost
    ten seconds against a simulator.

    Args:
        settings: Address, port, user, the cipher suite where one is given, and the
            host that ipmitool runs on.
        password: Password of the account.
        where: Source and address, for errors.
        level: What the session may do: an account that may only read is refused where
            more is asked for.
    """

    def __init__(
        self, settings: Settings, password: str, where: str, level: str = USER_LEVEL
    ) -> None:
        self._host = settings.host
        self._where = where
        self._env = {"IPMI_PASSWORD": password}
        self._words = ["-H", settings.text("address"), "-p", settings.text("port")]
        self._words += ["-U", settings.text("user"), "-E", "-L", level]
        # One retry after 2 s: a BMC that is gone is to be noticed within the deadline.
        self._words += ["-R", "1", "-N", "2"]
        cipher = settings.values.get("cipher")
        self._ciphers = list(CIPHERS) if cipher is None else [cipher]
        self._own: OwnThere | None = None
        self._cache = ""
        self._let_in = False

    def ask(self, netfn: int, command: int, *data: int) -> bytes:
        """Send one command and get the data of its answer.

        Raises:
            SourceError: The BMC refuses it; with the status "timeout" where it was
                sent and no answer came.
        """
        try:
            done = self._run(["raw", *map(str, (netfn, command, *data))], READ_S)
        except NoSessionError as error:
            error.status = Status.ERROR  # it was not sent
            raise
        if not done.code:
            with suppress(ValueError):
                return bytes.fromhex(done.stdout)
        refusal = _REFUSED.search(done.stderr)
        if refusal is None:
            raise SourceError(
                "the BMC does not answer a command",
                where=self._where,
                way_out="Is it switched on, and does the network reach it?",
                status=Status.TIMEOUT,
            )
        raise SourceError(
            f"the BMC refuses a command ({refusal[1].strip()})",
            where=self._where,
            way_out="See what the account may do, and whether the BMC can do it.",
        )

    def identify(self, address: str) -> Identity:
        """Ask the BMC who it is.

        Args:
            address: How it is reached, for the identity.

        Raises:
            SourceError: It does not answer.
        """
        info = self._run(["mc", "info"], READ_S)
        if info.code and not info.stdout.strip():
            raise self._failed(info)
        guid = self._run(["mc", "guid"], READ_S)  # not all of them have one
        facts = {}
        for line in (info.stdout + guid.stdout).splitlines():
            key, _, value = line.partition(":")
            facts[key.strip()] = value.strip()
        return Identity(
            facts.get("Manufacturer Name", ""),
            facts.get("Product Name", "BMC"),
            facts.get("System GUID", ""),
            facts.get("Firmware Revision", ""),
            address,
        )

    def list_sensors(self) -> bytes:
        """Get the records that describe the sensors (SDR), and keep them for reads.

        Raises:
            SourceError: They cannot be had.
        """
        if self._own is None:
            with errors_of(self._where):
                self._own = folder_there(self._host, "bayscope-sdr-")
            self._cache = f"{self._own.path}/records"
        done = self._run(["sdr", "dump", self._cache], LIST_S)
        if done.code:
            raise self._failed(done)
        # As text, because the machine that ipmitool runs on may be another one.
        shown = self._call(["od", "-An", "-v", "-tx1", self._cache], {}, 10.0)
        try:
            return bytes.fromhex(shown.stdout)
        except ValueError:
            return b""

    def read_sensors(self) -> str:
        """Read all sensors, as lines of `name,value,unit,state`.

        Raises:
            SourceError: The BMC no longer answers.
        """
        words = ["-S", self._cache, "-c", "sdr", "list", "full"]
        done = self._run(words, READ_S)
        # One sensor that cannot be read ends it with an error after all the others.
        if done.code and not done.stdout.strip():
            raise self._failed(done)
        return done.stdout

    def close(self) -> None:
        """Remove the file with the list; may be called twice."""
        if self._own is not None:
            self._own.close()
            self._own = None
        self._host.close()

    def _run(self, words: list[str], seconds: float) -> Completed:
        """Run ipmitool, with the first cipher suite that the BMC knows."""
        while True:
            argv = ["ipmitool", "-I", "lanplus", "-C", f"{self._ciphers[0]}"]
            done = self._call([*argv, *self._words, *words], self._env, seconds)
            if _NO_CIPHER not in done.stderr or len(self._ciphers) == 1:
                break
            self._ciphers.pop(0)
        if done.code and _NO_SESSION in done.stderr:
            raise self._failed(done)
        self._let_in = True
        return done

    def _failed(self, done: Completed) -> SourceError:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        causes = [line.rstrip(".") for line in lines if _NO_SESSION not in line]
        if _NO_SESSION in done.stderr:
            # It mostly says the same of silence and of a wrong password.
            why = f" ({causes[-1]})" if causes else ""
            return NoSessionError(
                f"ipmitool gets no session with the BMC{why}",
                where=self._where,
                way_out="Is it switched on, and are address, port, user and password "
                "right, and may the user log in by LAN?",
                status=Status.TIMEOUT if self._let_in else Status.ERROR,
            )
        why = causes[-1] if causes else f"exit code {done.code}"
        return SourceError(
            f"ipmitool fails ({why})",
            where=self._where,
            way_out="See what 'ipmitool sdr list' says of it.",
        )

    def _call(self, argv: list[str], env: dict[str, str], seconds: float) -> Completed:
        with errors_of(self._where):
            return self._host.run(argv, seconds, env=env)
