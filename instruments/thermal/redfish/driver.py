"""A server's management controller by Redfish: temperatures, fans, supplies, watts.

No BMC of hardware was at hand: services modelled on DMTF's public mock-ups were.
"""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from instruments.driver import Driver, period
from instruments.errors import BadInput
from instruments.settings import Kind, Option, Settings
from instruments.thermal.redfish.source import Redfish
from instruments.thermal.redfish.tree import AUTO, NEW, OLD
from instruments.thermal.redfish.trust import RedfishTarget
from instruments.tools.pinning import parse_fingerprint
from instruments.tools.secrets import source_password

if TYPE_CHECKING:
    from instruments.thermal.redfish.client import RedfishLink


def base_url(address: str) -> str:
    """Make "https://host" of an address with or without its scheme.

    Raises:
        BadInput: It is not an address of a service; `where` is the key.
    """
    text = address if "://" in address else f"https://{address}"
    parts = urlsplit("")
    try:
        parts = urlsplit(text)
        sound = parts.scheme in ("http", "https") and parts.hostname and not parts.query
        # .port raises ValueError where it is not a number up to 65535.
        sound = sound and parts.port != 0 and parts.username is None
    except ValueError:
        sound = False
    if not sound:
        raise BadInput(
            f'address is "{address}"',
            where="address",
            way_out='Expected one such as "192.0.2.20" or "https://bmc:8443".',
        )
    return f"{parts.scheme}://{parts.netloc}"


def check_options(settings: Settings) -> None:
    """Check what goes together; raises BadInput."""
    base_url(settings.text("address"))
    if pin := settings.text("fingerprint"):
        parse_fingerprint(pin)
        if settings.flag("trust"):
            raise BadInput(
                "both fingerprint and trust are given",
                where="trust",
                way_out="A pinned certificate needs no trust: leave trust out.",
            )


def _build(settings: Settings) -> Redfish:
    check_options(settings)
    return Redfish(settings, lambda where, pin: open_service(settings, where, pin))


def open_service(settings: Settings, where: str, trusted: str = "") -> "RedfishLink":
    """Connect to the service that some options name.

    Args:
        settings: Name and options.
        where: Source and address, for errors.
        trusted: Fingerprint that was trusted before; no other is accepted then.

    Raises:
        SourceError: Not reached, not trusted, not let in.
    """
    # With httpx, which takes a while.
    from instruments.thermal.redfish.client import RedfishLink  # noqa: PLC0415

    pin = trusted or settings.text("fingerprint")
    target = RedfishTarget(
        base_url(settings.text("address")),
        settings.text("user"),
        source_password(settings.name, login(settings), where),
        settings.text("auth") == "session",
        parse_fingerprint(pin) if pin else "",
        settings.flag("trust"),
        settings.number("timeout"),
    )
    return RedfishLink(target, where)


def login(settings: Settings) -> str:
    """Say where the password goes; a port that goes without saying is excluded."""
    scheme, _, place = base_url(settings.text("address")).partition("://")
    return f"{scheme}://{settings.text('user')}@{place}"


ACCESS = (
    Option(
        "address",
        "Address of the BMC, with http:// only where it has no TLS.",
        required=True,
        example="192.0.2.20",
    ),
    Option("user", "Account on the BMC; ReadOnly is enough to read.", required=True),
    Option(
        "auth",
        "A session, or the password with every request.",
        Kind.CHOICE,
        "session",
        choices=("session", "basic"),
    ),
    Option("fingerprint", "SHA-256 of the only certificate to accept."),
    Option(
        "trust",
        "Accept the certificate it shows first; its fingerprint is logged.",
        Kind.FLAG,
        False,
    ),
    Option(
        "timeout",
        "Longest wait for one document.",
        Kind.NUMBER,
        10.0,
        low=0.5,
        high=120.0,
        unit="s",
    ),
)

DRIVER = Driver(
    "thermal",
    "redfish",
    "BMC by Redfish (iDRAC, iLO, XCC, Supermicro, OpenBMC)",
    (
        *ACCESS,
        Option("chassis", "Id of the only chassis to read; without it, all of them."),
        Option(
            "schema",
            "Thermal and Power (old), Sensors (new), or what there is.",
            Kind.CHOICE,
            AUTO,
            choices=(AUTO, OLD, NEW),
        ),
        period(20.0, 1.0),
    ),
    _build,
    secret="password of the BMC's user",
    login=login,
)
