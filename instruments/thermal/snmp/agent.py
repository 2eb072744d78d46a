"""An SNMP agent: its address, the account, and what it answers."""

import socket
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from instruments.errors import SourceError
from instruments.link.errors import explain
from instruments.settings import Kind, Option, Settings
from instruments.tools.secrets import password_or, source_password

if TYPE_CHECKING:
    from instruments.thermal.snmp.session import SnmpSession

WAIT_S = 1.0
"""Wait for one answer; the question is then repeated."""

REPEATS = 1  # a datagram that was lost; two that were are a device that is gone
DEADLINE_S = 5.0
"""Longest wait for one question, its repeats and the discovery of a v3 engine."""


@dataclass(frozen=True, slots=True)
class SnmpAgent:
    """The address of an agent and the account on it.

    Attributes:
        address: Name or IP address.
        port: UDP port, usually 161.
        version: "2c" or "3".
        secret: The community, or the passphrase of a v3 user.
        user: The v3 user.
        auth: "sha", "sha256", "sha512", "md5" or "none".
        priv: "aes", "aes256" or "none".
        priv_secret: The passphrase for privacy.
        context: The v3 context, usually "".
    """

    address: str
    port: int = 161
    version: str = "2c"
    secret: str = field(default="public", repr=False)
    user: str = ""
    auth: str = "none"
    priv: str = "none"
    priv_secret: str = field(default="", repr=False)
    context: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """One value as the agent gave it.

    Attributes:
        number: Its number, where it is one.
        text: Its text, where it is one.
        bits: 32 or 64 for a counter, which wraps there; 0 for a gauge.
        missing: Whether the agent has no such object or instance.
    """

    number: float | None = None
    text: str = ""
    bits: int = 0
    missing: bool = False

    @property
    def shown(self) -> str:
        """What a person would read."""
        if self.missing:
            return "no such object"
        return self.text or ("" if self.number is None else f"{self.number:.15g}")


OPTIONS = (
    Option(
        "address",
        "Name or IP address of the device.",
        required=True,
        example="192.0.2.30",
    ),
    Option("port", "UDP port of the device.", Kind.INTEGER, 161, low=1, high=65535),
    Option("version", "SNMP version.", Kind.CHOICE, "2c", choices=("2c", "3")),
    Option("user", "User of SNMP v3; its password is kept under the source's name."),
    Option(
        "auth",
        "Authentication of the v3 user.",
        Kind.CHOICE,
        "sha",
        choices=("sha", "sha256", "sha512", "md5", "none"),
    ),
    Option(
        "priv",
        "Privacy of the v3 user; its own password is kept under "
        "the source's name with -privacy.",
        Kind.CHOICE,
        "aes",
        choices=("aes", "aes256", "none"),
    ),
    Option("context", "Context of SNMP v3, where the device has several."),
)


def agent_of(settings: Settings, where: str) -> SnmpAgent:
    """Make the agent with its secrets; called when it is opened, not before.

    For v2c the password of the source is the community, "public" where none is known.

    Args:
        settings: Name and options of the source.
        where: Source and address, for errors.

    Raises:
        SourceError: SNMP v3 needs a password and none is known for this address.
    """
    name = settings.name
    version = settings.text("version")
    if version == "2c":
        secret = password_or(name, login(settings), where, "public")
        return SnmpAgent(
            settings.text("address"), settings.integer("port"), secret=secret
        )
    auth, priv = settings.text("auth"), settings.text("priv")
    secret = "" if auth == "none" else source_password(name, login(settings), where)
    priv_secret = secret
    if priv != "none":  # many accounts have one pass phrase for both
        priv_secret = password_or(f"{name}-privacy", login(settings), where, secret)
    return SnmpAgent(
        settings.text("address"),
        settings.integer("port"),
        version,
        secret,
        settings.text("user"),
        auth,
        priv,
        priv_secret,
        settings.text("context"),
    )


def login(settings: Settings) -> str:
    """Say where the password goes; v2c sends it as it is, v3 never does."""
    user = f"{settings.text('user')}@" if settings.text("version") == "3" else ""
    place = f"{settings.text('address')}:{settings.integer('port')}"
    return f"snmp{settings.text('version')}://{user}{place}"


def open_session(agent: SnmpAgent, where: str) -> "SnmpSession":
    """Open a conversation; pysnmp is imported here, as it takes a while.

    Raises:
        SourceError: The address is invalid, or the account's options do not fit.
    """
    from instruments.thermal.snmp.session import SnmpSession  # noqa: PLC0415

    return SnmpSession(agent, where)


def resolve(agent: SnmpAgent, where: str) -> tuple[tuple[str, int], bool]:
    """Find the IP address, and whether it is one of IPv6.

    Raises:
        SourceError: There is no such host.
    """
    try:
        addresses = socket.getaddrinfo(
            agent.address, agent.port, type=socket.SOCK_DGRAM
        )
    except OSError as error:
        raise explain(error, where, WAIT_S) from None
    if not addresses:
        raise SourceError("no such host", where=where)
    family, *_, address = addresses[0]
    return (str(address[0]), agent.port), family == socket.AF_INET6
