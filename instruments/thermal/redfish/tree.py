"""Which documents of a Redfish service hold its sensors: found once, then polled."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from instruments.errors import SourceError
from instruments.files.foreign_text import object_at, objects_at
from instruments.reading import Status
from instruments.thermal.redfish.answer import ElsewhereError, as_modelled
from instruments.thermal.redfish.values import (
    fan_values,
    metrics_values,
    power_values,
    sensor_values,
    supply_values,
    thermal_values,
)
from instruments.thermal.sensor_values import SensorValue

Document = dict[str, Any]
Get = Callable[[str], Document]
Parse = Callable[[Mapping[str, Any]], Iterator[SensorValue]]

ROOT = "/redfish/v1/"
# Thermal and Power of a chassis, or ThermalSubsystem, PowerSubsystem and Sensors, by
# which DMTF has replaced them.
AUTO, OLD, NEW = "auto", "thermal", "sensors"
_MOST_PAGES = 20  # of one collection, whose links to the next page may go round
# A BMC that hangs answers nothing else either, and there may be many documents.
_MOST_LATE = 3
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Resource:
    """One document to be polled.

    Attributes:
        path: Where it is, with its query.
        parse: Reads the numbers of the document, or of each of its members.
        members: Whether it is a collection whose members come with it.
        single: Whether it is one sensor of many, polled in turn.
    """

    path: str
    parse: Parse
    members: bool = False
    single: bool = False

    def read(self, get: Get) -> list[SensorValue]:
        """Get it and read its numbers; raises SourceError."""
        if not self.members:
            return list(self.parse(get(self.path)))
        members = _pages(get, self.path)
        return [value for member in members for value in self.parse(member)]


class Losses:
    """What could not be had while documents are found: the others go on without it.

    Attributes:
        errors: Why, one for each document.
    """

    def __init__(self) -> None:
        self.errors: list[SourceError] = []

    @contextmanager
    def without(self, where: str) -> Iterator[None]:
        """Go on without a document that fails.

        Args:
            where: Service and document, for errors.

        Raises:
            SourceError: The service has been late too often, or leads elsewhere.
        """
        try:
            with as_modelled(where):
                yield
        except ElsewhereError:
            raise
        except SourceError as error:
            self.errors.append(error)
            late = sum(each.status is Status.TIMEOUT for each in self.errors)
            if late >= _MOST_LATE:
                raise

    def __str__(self) -> str:
        shown = [str(error) for error in self.errors[:_SHOWN]]
        more = len(self.errors) - len(shown)
        return " ".join([*shown, f"And {more} more." if more else ""]).strip()


def members_of(get: Get, name: str) -> list[str]:
    """List where the members of a collection of the root are; raises SourceError."""
    path = _link(get(ROOT), name)
    return _links(_pages(get, path)) if path else []


def find_resources(
    get: Get, schema: str, chassis: str, losses: Losses
) -> list[Resource]:
    """Find the documents with sensors.

    The old schema is preferred where a service has both: it needs two requests, and a
    BMC takes 0.3 to 5 s (judged, not measured) for each.

    Args:
        get: Gets a document.
        schema: `AUTO`, `OLD` or `NEW`.
        chassis: Id of the only chassis to look at, "" for all.
        losses: Takes what could not be had.

    Raises:
        SourceError: There is no chassis at all, or the service is late too often.
    """
    root = get(ROOT)
    query = _expand_query(root)
    resources: list[Resource] = []
    for path in _members(get, root, "Chassis"):
        if chassis and path.rstrip("/").rsplit("/", 1)[-1] != chassis:
            continue
        with losses.without(path):
            document = get(path)
            old = list(_old(document)) if schema != NEW else []
            # Newer services may have the old documents, and nothing in them.
            if any(_has_values(resource, get, losses) for resource in old):
                resources += old
            elif schema != OLD:
                resources += _new(get, document, query, losses)
    return list({resource.path: resource for resource in resources}.values())


def _old(chassis: Document) -> Iterator[Resource]:
    for name, parse in (("Thermal", thermal_values), ("Power", power_values)):
        if path := _link(chassis, name):
            yield Resource(path, parse)


def _has_values(resource: Resource, get: Get, losses: Losses) -> bool:
    values: list[SensorValue] = []
    with losses.without(resource.path):
        values += resource.read(get)
    return bool(values)


def _new(get: Get, chassis: Document, query: str, losses: Losses) -> list[Resource]:
    resources: list[Resource] = []
    with losses.without(sensors := _link(chassis, "Sensors")):
        resources += _collection(get, sensors, query, sensor_values)
    if thermal := _link(chassis, "ThermalSubsystem"):
        with losses.without(thermal):
            subsystem = get(thermal)
            # Excerpts of sensors, which would come twice.
            if not resources and (metrics := _link(subsystem, "ThermalMetrics")):
                resources.append(Resource(metrics, metrics_values))
            resources += _collection(get, _link(subsystem, "Fans"), query, fan_values)
    if not any(resource.parse is sensor_values for resource in resources):
        with losses.without(power := _link(chassis, "PowerSubsystem")):
            resources += _supplies(get, power)
    if metrics := _link(chassis, "EnvironmentMetrics"):
        resources.append(Resource(metrics, metrics_values))
    return resources


def _supplies(get: Get, path: str) -> Iterator[Resource]:
    supplies = _link(get(path), "PowerSupplies") if path else ""
    for supply in _links(_pages(get, supplies)) if supplies else ():
        if metrics := _link(get(supply), "Metrics"):
            yield Resource(metrics, supply_values, single=True)


def _collection(get: Get, path: str, query: str, parse: Parse) -> Iterator[Resource]:
    """Take a collection with its members where that works, else member by member.

    Some services announce the query and refuse it, or answer with links all the same.
    """
    if not path:
        return
    page: Document = {}
    if query:
        with suppress(SourceError):
            page = get(f"{path}?{query}")
    members = objects_at(page, "Members")
    # A member with one key is a link, "@odata.id", and no document.
    if not any(len(member) > 1 for member in members):
        members = list(_pages(get, path))
    links = _links(members)
    if page and any(len(member) > 1 for member in members):
        yield Resource(f"{path}?{query}", parse, members=True)
    else:
        for link in links:
            yield Resource(link, parse, single=True)


def _expand_query(root: Document) -> str:
    """Say how a collection is asked for with its members; "" where it cannot be."""
    features = object_at(root, "ProtocolFeaturesSupported")
    expand = object_at(features, "ExpandQuery")
    # "." is the members alone; "*" brings the documents that these link to as well.
    if expand.get("NoLinks"):
        return "$expand=."
    return "$expand=*" if expand.get("ExpandAll") else ""


def _members(get: Get, root: Document, name: str) -> list[str]:
    path = _link(root, name)
    if not path:
        raise SourceError(
            f"the service has no {name}",
            way_out="Is the address that of a BMC, and its firmware not too old?",
        )
    return _links(_pages(get, path))


def _pages(get: Get, path: str) -> Iterator[Document]:
    """Give the members of a collection, which may come in several documents."""
    for _ in range(_MOST_PAGES):
        page = get(path)
        yield from objects_at(page, "Members")
        path = str(page.get("Members@odata.nextLink") or "")
        if not path:
            return


def _links(members: Iterable[Document]) -> list[str]:
    return [m["@odata.id"] for m in members if isinstance(m.get("@odata.id"), str)]


def _link(document: Document, name: str) -> str:
    return str(object_at(document, name).get("@odata.id") or "")
