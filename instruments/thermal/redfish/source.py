"""One Redfish service as a source: its documents are found once, then polled."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from instruments.base import Linked
from instruments.errors import SourceError
from instruments.reading import SECOND, Channel, Identity, Reading, Status
from instruments.settings import Settings
from instruments.thermal.redfish.answer import as_modelled
from instruments.thermal.redfish.tree import Losses, Resource
from instruments.thermal.sensor_values import SensorValue, make_channels, make_reading
from instruments.timebase import monotonic_ns

if TYPE_CHECKING:
    from instruments.thermal.redfish.client import RedfishLink

_AT_ONCE = 8
"""Single sensors that are asked in one read, where they do not come together."""

_PATIENCE = 2.0
"""Waits for one document after which a BMC that fails is not asked for the rest."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Answers:
    """What one round of questions brought.

    Attributes:
        values: By their keys; of a sensor in two documents the first counts.
        lost: Why there is no value, by key, of documents that failed.
        error: That of the last document that failed.
        empty: The first document that has none of its sensors any more.
    """

    values: dict[str, SensorValue] = field(default_factory=dict)
    lost: dict[str, Status] = field(default_factory=dict)
    error: SourceError | None = None
    empty: str = ""

    @property
    def troubles(self) -> tuple[str, str]:
        """Say what is missing and why, "" for nothing."""
        empty = f"{self.empty}: none of its sensors is in it now"
        return empty if self.empty else "", str(self.error) if self.lost else ""


class Redfish(Linked["RedfishLink"]):
    """One BMC as a source of section "thermal".

    Args:
        settings: Name and options.
        open_link: Connects and logs in; takes its name for errors, and the fingerprint
            that was trusted first ("" at first); raises SourceError.
        clock: Gives monotonic nanoseconds.
    """

    section = "thermal"
    driver = "redfish"

    def __init__(
        self,
        settings: Settings,
        open_link: "Callable[[str, str], RedfishLink]",
        clock: Callable[[], int] = monotonic_ns,
    ) -> None:
        super().__init__(f"{settings.name} ({settings.text('address')})")
        self.name = settings.name
        self.period_s = settings.number("period")
        self._settings = settings
        self._open_link = open_link
        self._clock = clock
        self._trusted = ""
        self._resources: list[Resource] = []
        self._turn = 0
        self._found: dict[str, SensorValue] = {}
        self._known: set[str] = set()
        self._keys: dict[str, tuple[str, ...]] = {}
        self._by_key: dict[str, Channel] = {}
        self._channels: tuple[Channel, ...] = ()
        self._parts: dict[tuple[str, ...], tuple[Channel, ...]] = {}
        self._notice = ""

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get one channel for each sensor; empty before `open`."""
        return self._channels

    def open(self) -> Identity:
        """Log in, find the documents with sensors and read each once.

        Raises:
            SourceError: Not reached, not trusted, not let in, or there is no sensor.
        """
        self.close()
        where = self._where
        self._turn = 0
        # Compared before the login: whoever shows another one gets no password.
        with self._opening(self._open_link(where, self._trusted)) as link:
            self._remember(link.certificate, where)
            with as_modelled(where):
                identity = link.identify()
                values = self._find(link)
        link.take_raw()  # of no reading
        channels = self._with_turns(
            make_channels(self.name, values.values(), self.period_s)
        )
        if channels != self._by_key:
            self._by_key, self._channels = channels, tuple(channels.values())
            self._parts.clear()
        return identity

    def read(self) -> Reading:
        """Get the documents; a part of the sensors where they come one by one.

        Raises:
            SourceError: Not one of the documents was had.
        """
        link = self._opened()
        start = self._clock()
        asked = self._next()
        answers = self._ask(link, asked, start)
        if answers.error is not None and not answers.values:
            raise answers.error
        end = self._clock()
        keys = tuple(key for r in asked for key in self._keys[r.path])
        channels = self._parts.setdefault(keys, self._channels_of(keys))
        raw = link.take_raw()
        reading = make_reading(channels, keys, answers.values, (start, end), raw)
        statuses = tuple(
            answers.lost.get(key, status)
            for key, status in zip(keys, reading.statuses, strict=True)
        )
        trouble = "; ".join(filter(None, (reading.trouble, *answers.troubles)))
        notice, self._notice = self._notice, ""
        return replace(reading, statuses=statuses, trouble=trouble, notice=notice)

    def _ask(
        self, link: "RedfishLink", resources: Sequence[Resource], start: int
    ) -> "_Answers":
        """Get some documents, and go on without those that fail."""
        answers = _Answers()
        patience_ns = round(_PATIENCE * self._settings.number("timeout") * SECOND)
        for resource in resources:
            keys = self._keys[resource.path]
            where = f"{self._where}, {resource.path}"
            if answers.error is not None and self._clock() - start > patience_ns:
                answers.lost.update(dict.fromkeys(keys, answers.error.status))
                continue
            try:
                with as_modelled(where):
                    values = resource.read(link.get)
            except SourceError as error:
                answers.error = error
                answers.lost.update(dict.fromkeys(keys, error.status))
                continue
            for value in values:
                answers.values.setdefault(value.key, self._judged(value))
            if keys and answers.values.keys().isdisjoint(keys):
                answers.empty = answers.empty or where
        return answers

    def _judged(self, value: SensorValue) -> SensorValue:
        """Tell a reading that is null for a while from a sensor that has none.

        Services list sensors that work and never have a number, such as iDRAC's of
        "power good": these are not missed.
        """
        if value.status.is_value:
            self._known.add(value.key)
        elif value.status is Status.NAN and value.key not in self._known:
            return replace(value, status=Status.UNSUPPORTED)
        return value

    def _find(self, link: "RedfishLink") -> dict[str, SensorValue]:
        """Find the documents, and read each once; what fails is reported and excluded.

        Raises:
            SourceError: There is no sensor, or the service is late too often.
        """
        schema, chassis = self._settings.text("schema"), self._settings.text("chassis")
        losses = Losses()
        before, self._resources = self._resources, []
        values: dict[str, SensorValue] = {}
        unread: set[str] = set()
        for resource in link.find(schema, chassis, losses):
            with losses.without(f"{self._where}, {resource.path}"):
                read = {v.key: self._judged(v) for v in resource.read(link.get)}
                unread |= {v.unit for v in read.values() if not v.quantity}
                # Sensors are listed by several documents; the first one counts.
                fresh = {
                    k: v for k, v in read.items() if v.quantity and k not in values
                }
                self._resources.append(resource)
                self._keys[resource.path] = tuple(fresh)
                values.update(fresh)
        if losses.errors:
            values = self._with_lost(values, before, losses.errors[0])
        if not values:
            raise SourceError(
                "the service has no sensor with a number",
                where=self._where,
                way_out="Check chassis and schema.",
            )
        self._notice = _notice(losses, unread)
        self._found = values
        return values

    def _with_lost(
        self, values: dict[str, SensorValue], before: list[Resource], error: SourceError
    ) -> dict[str, SensorValue]:
        """Keep the channels of what fails now: it is asked again in each read.

        Raises:
            SourceError: Nothing is left; or there are other sensors than before, of
                which nobody can say whether those that are lost are among them.
        """
        is_new = bool(self._found and values.keys() - self._found.keys())
        if is_new or not values:
            self._resources = before
            raise error
        again = {resource.path for resource in self._resources}
        self._resources += [each for each in before if each.path not in again]
        return self._found | values

    def _with_turns(self, channels: dict[str, Channel]) -> dict[str, Channel]:
        """Let channels of single sensors say how rarely their turn comes."""
        single = self._single()
        turns = -(-len(single) // _AT_ONCE)
        in_turn = {key for resource in single for key in self._keys[resource.path]}
        return {
            key: replace(one, period_ns=turns * one.period_ns)
            if key in in_turn
            else one
            for key, one in channels.items()
        }

    def _single(self) -> list[Resource]:
        return [resource for resource in self._resources if resource.single]

    def _next(self) -> list[Resource]:
        """Choose what is asked now: all that come together, and a few single ones."""
        together = [r for r in self._resources if not r.single]
        single = self._single()
        if len(single) <= _AT_ONCE:
            return [*together, *single]
        first = self._turn
        self._turn = first + _AT_ONCE if first + _AT_ONCE < len(single) else 0
        return [*together, *single[first : first + _AT_ONCE]]

    def _channels_of(self, keys: tuple[str, ...]) -> tuple[Channel, ...]:
        return tuple(self._by_key[key] for key in keys)

    def _remember(self, certificate: str, where: str) -> None:
        """Keep the certificate that was trusted first, and log it."""
        if not certificate or certificate == self._trusted:
            return
        self._trusted = certificate
        if self._settings.flag("trust"):
            _log.warning(
                'trusting the certificate of %s; pin it with fingerprint = "%s"',
                where,
                certificate,
            )


def _notice(losses: Losses, unread: set[str]) -> str:
    """Say what goes unread: documents that fail, and sensors in units of no use."""
    notices = [f"it is read without what fails: {losses}"] if losses.errors else []
    if unread:
        units = ", ".join(sorted(filter(None, unread))) or "no unit"
        notices.append(f"sensors in {units} are not read")
    return "; ".join(notices)
