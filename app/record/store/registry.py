"""What the writer knows of sources, channels and groups: their numbers in the file."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.record.store.ledger import Ledger
from instruments.reading import Channel, Identity

_SOURCE = """
INSERT INTO source (name, section, driver, maker, model, serial, firmware, address,
                    simulated, config, measures)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, coalesce(nullif(?11, ''), 'dut'))
ON CONFLICT (name) DO UPDATE SET
    section = excluded.section, driver = excluded.driver,
    config = CASE excluded.config WHEN '' THEN config ELSE excluded.config END,
    measures = CASE ?11 WHEN '' THEN measures ELSE excluded.measures END,
    maker = excluded.maker, model = excluded.model, serial = excluded.serial,
    firmware = excluded.firmware, address = excluded.address,
    simulated = excluded.simulated
RETURNING id
"""
_CHANNEL = """
INSERT INTO channel (name, source_id, quantity, unit, location, period_ns, latency_ns,
                     window_ns)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (name) DO UPDATE SET
    period_ns = excluded.period_ns, latency_ns = excluded.latency_ns,
    window_ns = excluded.window_ns
RETURNING id
"""
_CHANNELS = """
SELECT channel.id, source.name, quantity, unit, location, period_ns, latency_ns,
       window_ns
FROM channel JOIN source ON source.id = source_id
"""


@dataclass(frozen=True, slots=True)
class Group:
    """Channels that are read together."""

    id: int  # number of the group in the file
    channels: tuple[Channel, ...]  # the channels, in the order of their values
    channel_ids: tuple[int, ...]  # their numbers in the file
    source_id: int  # number of the source of the first of them
    is_load: bool  # whether that source is a workload, which is not always on


class Registry:
    """Numbers of sources, channels and groups; adds what is new."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._sources: dict[str, tuple[int, str]] = {}
        self._channels: dict[str, tuple[int, Channel]] = {}
        self._groups: dict[tuple[Channel, ...], Group] = {}
        self._numbers: dict[tuple[int, ...], int] = {}
        self._by_identity: dict[int, tuple[tuple[Channel, ...], Group]] = {}

    def restore(self) -> list[Group]:
        """Learn what the file holds already; return its groups.

        Raises:
            ValueError: The channels of a group are not in a row.
        """
        for source_id, name, section in self._ledger.fetch(
            "SELECT id, name, section FROM source"
        ):
            self._sources[name] = (source_id, section)
        channels: dict[int, Channel] = {}
        for channel_id, *columns in self._ledger.fetch(_CHANNELS):
            channel = channels[channel_id] = Channel(*columns)
            self._channels[channel.name] = (channel_id, channel)
        members: dict[int, list[int]] = {}
        for number, place, channel_id in self._ledger.fetch(
            "SELECT group_id, position, channel_id FROM channel_group "
            "ORDER BY group_id, position"
        ):
            ids = members.setdefault(number, [])
            if place != len(ids):
                raise ValueError(f"group {number} of its channels has no place {place}")
            ids.append(channel_id)
        self._numbers = {tuple(ids): number for number, ids in members.items()}
        return [
            self.group(tuple(channels[channel_id] for channel_id in ids))
            for ids in members.values()
        ]

    def add_source(
        self,
        name: str,
        section: str,
        driver: str,
        who: Identity | None,
        config: str,
        *,
        measures: str = "",
    ) -> None:
        """Add a source, or write again what is known of it.

        An empty config, or device that it measures, leaves the one there is. One
        simulated source makes the session simulated, also when it comes in late.
        """
        seen = who or Identity("", "", "", "", "")
        values = (name, section, driver, seen.maker, seen.model, seen.serial)
        more = (seen.firmware, seen.address, int(seen.simulated), config, measures)
        row = self._ledger.execute(_SOURCE, (*values, *more)).fetchall()[0]
        if seen.simulated:
            self._ledger.execute("UPDATE session SET simulated = 1")
        self._sources[name] = (int(row[0]), section)
        self._groups.clear()
        self._by_identity.clear()

    def has_source(self, name: str) -> bool:
        """Tell whether a source was introduced."""
        return name in self._sources

    def source_id(self, name: str) -> int:
        """Get the number of a source; one that nobody introduced is added bare."""
        if name not in self._sources:
            self.add_source(name, "", "", None, "")
        return self._sources[name][0]

    def channel_id(self, channel: Channel) -> int:
        """Get the number of a channel; a new one is added.

        Raises:
            ValueError: A channel of this name was recorded in another unit.
        """
        known = self._channels.get(channel.name)
        if known is not None and known[1] == channel:
            return known[0]
        if known is not None and known[1].unit != channel.unit:
            raise ValueError(
                f"{channel.name} is recorded in {known[1].unit!r}, not {channel.unit!r}"
            )
        values = (
            channel.name,
            self.source_id(channel.source),
            channel.quantity,
            channel.unit,
            channel.location,
            channel.period_ns,
            channel.latency_ns,
            channel.window_ns,
        )
        row = self._ledger.execute(_CHANNEL, values).fetchall()[0]
        self._channels[channel.name] = (int(row[0]), channel)
        return int(row[0])

    def group(self, channels: Sequence[Channel]) -> Group:
        """Get the group of these channels; fast for a tuple object seen before."""
        seen = self._by_identity.get(id(channels))
        if seen is not None:
            return seen[1]
        key = tuple(channels)
        group = self._groups.get(key) or self._add_group(key)
        # The tuple is kept, as another one would get its id. A source that makes one
        # for each reading does not fill the memory.
        if isinstance(channels, tuple) and len(self._by_identity) < 10_000:
            self._by_identity[id(channels)] = (channels, group)
        return group

    def _add_group(self, channels: tuple[Channel, ...]) -> Group:
        ids = tuple(self.channel_id(channel) for channel in channels)
        source = channels[0].source
        source_id = self.source_id(source)
        is_load = self._sources[source][1] == "load"
        number = self._number_of(ids)
        group = Group(number, channels, ids, source_id, is_load)
        self._groups[channels] = group
        return group

    def _number_of(self, ids: tuple[int, ...]) -> int:
        number = self._numbers.get(ids)
        if number is None:
            number = self._numbers[ids] = len(self._numbers) + 1
            self._ledger.executemany(
                "INSERT INTO channel_group VALUES (?, ?, ?)",
                [(number, place, channel_id) for place, channel_id in enumerate(ids)],
            )
        return number
