"""PDUs, UPS and probes by SNMP: temperatures and humidity, or the power of outlets.

The scale of a number stands in the maker's MIB and not in the number: profiles (text
files) say it for common devices, and a bench can name identifiers itself. What an
agent does not have (noSuchObject, noSuchInstance) is a gap. Only a UPS's recorded walk
was at hand, no device.
"""

from collections.abc import Callable

from instruments.driver import Driver, period
from instruments.errors import BadInput
from instruments.settings import Kind, Option, Settings
from instruments.thermal.snmp.agent import OPTIONS, login
from instruments.thermal.snmp.points import own_points
from instruments.thermal.snmp.profile import SCOPES, load_profile, profile_names
from instruments.thermal.snmp.source import Snmp

NO_PROFILE = "none"


def _builder(section: str) -> Callable[[Settings], Snmp]:
    def build(settings: Settings) -> Snmp:
        name = settings.text("profile")
        own = own_points(settings.texts("oids"))
        if name == NO_PROFILE and not own:
            raise BadInput(
                "neither a profile nor oids is given",
                where="profile",
                way_out=f"Choose one of {', '.join(profile_names())}, or add oids.",
            )
        if settings.text("version") == "3" and not settings.text("user"):
            raise BadInput(
                "user is missing", where="user", way_out="SNMP v3 needs a user."
            )
        # Only now, and not for the choices above: a profile with a mistake is that of a
        # source that uses it.
        profile = None if name == NO_PROFILE else load_profile(name)
        return Snmp(settings, section, profile, own)

    return build


def _options(scopes: tuple[str, ...], units: str) -> tuple[Option, ...]:
    return (
        *OPTIONS,
        Option(
            "profile",
            "What kind of device it is.",
            Kind.CHOICE,
            NO_PROFILE,
            choices=(NO_PROFILE, *profile_names()),
        ),
        Option(
            "scopes",
            "Which of the profile's values are read.",
            Kind.TEXTS,
            scopes,
            choices=SCOPES,
        ),
        Option(
            "outlets",
            "Outlets to be measured, such as 3 or unit2-3; one alone counts as a meter "
            "of its own.",
            Kind.TEXTS,
        ),
        Option("units", units, Kind.TEXTS),
        Option(
            "oids",
            "Further values, as quantity.location = identifier unit * factor + offset "
            "missing numbers; the units K and degF become degC.",
            Kind.TEXTS,
            example="temperature.inlet = 1.3.6.1.4.1.9.1.0 degC * 0.1",
        ),
        period(10.0, 0.5),
    )


DRIVER = Driver(
    "thermal",
    "snmp",
    "PDU, UPS or probe by SNMP",
    _options(
        ("probe",),
        "Numbers of the units of a chain to be read; without it, all of them.",
    ),
    _builder("thermal"),
    secret="community, 'public' where none is known, or the pass phrase of SNMP v3",
    login=login,
)
POWER = Driver(
    "power",
    "snmp",
    "Metered PDU outlets, PDU or UPS by SNMP",
    _options(
        ("device", "phase"),
        "Numbers of the units that feed the device, where a chain has several; their "
        "power is added up.",
    ),
    _builder("power"),
    secret="community, 'public' where none is known, or the pass phrase of SNMP v3",
    login=login,
)
