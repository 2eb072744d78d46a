"""Results of a step, computed from the samples in its measured window."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from app.analysis.ambient import ambient_channels, ambient_result, chosen_ambient
from app.analysis.feeds import Sensor, counted, result_of
from app.analysis.power import (
    apparent_results,
    energy_results,
    power_results,
    with_energy,
)
from app.analysis.samples import Floats, channels_of, never_was, samples_of
from app.analysis.scatter import mean_uncertainty
from app.analysis.uncertainty import budget_of, error_results, with_uncertainty
from app.record.store import Basis, Result, Session, Window
from instruments.base import DUT
from instruments.reading import EXCUSED, Channel
from workloads.disk_trace import SOURCE as DISK

DRIVE_LOCATIONS = ("slot", "bay", "drive")
_FINE_LOG = "fio_log"


def step_results(session: Session, window: Window) -> list[Result]:
    """Compute power, energy, temperature and noise over one window.

    Several meters on one device are its feeds: power is the sum of P and lambda is
    the sum of P over the sum of S. What a source measures is the device under test,
    unless the bench says otherwise: a server has results of its own, such as
    "server.power_w".
    """
    channels = by_device(session)[DUT]
    results = _power(session, channels, window)
    for device, others in by_device(session).items():
        if device != DUT:
            results += [
                replace(result, name=f"{device}.{result.name}")
                for result in _power(session, others, window)
            ]
    results += _noise(session, channels_of(channels, "LAeq", "dB"), window)
    temperatures = channels_of(channels, "temperature", "degC")
    drives = [c for c in temperatures if c.location.startswith(DRIVE_LOCATIONS)]
    results += ambient_result(session, room_channels(session), window)
    results += _temperature(session, drives, "drive_min_c", np.min, window)
    results += _temperature(session, drives, "drive_max_c", np.max, window)
    return results


def by_device(session: Session) -> Mapping[str, Sequence[Channel]]:
    """Sort channels by what their sources measure; the device under test is there."""
    return session.once_at_all(_by_device)


def _by_device(session: Session) -> dict[str, list[Channel]]:
    devices: dict[str, list[Channel]] = {DUT: []}
    measured = {source.name: source.measures for source in session.sources()}
    for channel in session.channels():
        devices.setdefault(measured[channel.source], []).append(channel)
    return devices


def room_channels(session: Session) -> list[Channel]:
    """Get the sensors of the temperature of the room.

    A probe that the bench names may hang at what is not the device.
    """
    chosen = chosen_ambient(session.info.bench)
    channels = session.channels() if chosen else by_device(session)[DUT]
    return ambient_channels(channels, chosen)


def of_meters(session: Session, channels: Iterable[Channel]) -> list[Channel]:
    """Keep what power analysers say, not a BMC."""
    meters = {
        source.name
        for source in session.sources()
        if source.section in ("power", "")  # "" was never introduced
    }
    return [channel for channel in channels if channel.source in meters]


def _power(
    session: Session, channels: Iterable[Channel], window: Window
) -> list[Result]:
    """Compute what the power analysers of one device measured."""
    own = of_meters(session, channels)
    results = power_results(session, channels_of(own, "P", "W"), window)
    results += apparent_results(session, own, window)
    results += energy_results(session, own, window)
    budget = budget_of(session, own, window)
    measured = with_uncertainty(with_energy(results, window), budget)
    return measured + error_results(budget, window)


def whole_loads(channels: Sequence[Channel], loads: Collection[str]) -> list[Channel]:
    """Leave out what is the same again: devices, hosts, fine logs, the disk beneath.

    The disk counts where its engine says nothing itself.
    """
    known = [c for c in channels if c.source in loads and not c.location]
    own = [c for c in known if c.source not in (_FINE_LOG, DISK)]
    return own or [c for c in known if c.source == DISK]


def silent_channels(
    session: Session, window: Window, channels: Iterable[Channel]
) -> list[Channel]:
    """Find channels without one valid value in a window.

    Those do not count that said why they have none: an empty slot, an unsupported
    sensor, a drive in standby. Nor do those whose beat is longer than two thirds of
    the window, which lies between two readings where one is a little late. What never
    was there is not missed either where its source dropped out.
    """
    silent = []
    for channel in channels:
        if 2 * (window[1] - window[0]) < 3 * channel.period_ns:
            continue
        if samples_of(session, channel, window).values.size:
            continue
        reasons = {gap.reason for gap in session.gaps(channel.name, window)}
        if reasons and not reasons - EXCUSED:
            continue
        if not never_was(session, channel, window[1]):
            silent.append(channel)
    return silent


def lost_sources(
    session: Session, window: Window, silent: Iterable[Channel]
) -> dict[str, str]:
    """Find the sources of silent channels that delivered nothing at all.

    Returns:
        Why each of them delivered nothing, by its name; "" where that is not known.
    """
    lost = {}
    for channel in silent:
        source = channel.source
        if source in lost or any(
            samples_of(session, one, window).values.size
            for one in session.channels()
            if one.source == source
        ):
            continue
        gaps = session.gaps(channel.name, window)
        longest = max(gaps, key=lambda gap: gap.end_ns - gap.start_ns, default=None)
        why = longest.detail or str(longest.reason) if longest else ""
        lost[source] = why.removesuffix(".")
    return lost


def energy_mean(levels: Floats) -> float:
    """Average sound levels in dB by energy: 10 lg(mean(10^(L/10)))."""
    return float(10 * np.log10(np.mean(10 ** (levels / 10))))


def energy_mean_u(levels: Floats) -> float:
    """Get the standard uncertainty in dB of the energy mean of two levels or more.

    It is 10 / ln 10 times the relative one of the energy, see `mean_uncertainty`.
    """
    energies = 10 ** ((levels - levels.max()) / 10)
    spread = mean_uncertainty([energies]) or 0.0
    return float(10 / math.log(10) * spread / energies.mean())


def _noise(
    session: Session, channels: Sequence[Channel], window: Window
) -> list[Result]:
    """The first sound meter's level; the others are recorded and not in the table."""
    if not channels:
        return []
    first, *others = channels
    samples = samples_of(session, first, window)
    mean = energy_mean(samples.values) if samples.values.size else None
    note = "energy mean of LAeq" if mean is not None or others else ""
    if others:
        note += f" of {first.source}, not of {_and(c.source for c in others)}"
    level = result_of("noise_db", mean, "dB", window, [samples], note=note)
    found = [replace(level, basis=Basis.ONE_OF_SEVERAL) if others else level]
    if samples.values.size > 1:
        spread = energy_mean_u(samples.values)
        note = "standard uncertainty of the mean by scatter, as levels hang together"
        found.append(
            result_of("noise_u_db", spread, "dB", window, [samples], note=note)
        )
    return found


def _and(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _temperature(
    session: Session,
    channels: Sequence[Channel],
    name: str,
    pick: Callable[[Floats], float],
    window: Window,
) -> list[Result]:
    """Pick one value of all drives that were there; those that were not are named."""
    if not channels:
        return []
    samples = [samples_of(session, channel, window) for channel in channels]
    values = np.concatenate([part.values for part in samples])
    value = float(pick(values)) if values.size else None
    result = result_of(name, value, "degC", window, samples)
    drives = [Sensor(part, part.expected) for part in samples if part.expected]
    word = "lowest" if name == "drive_min_c" else "highest"
    return [counted(result, drives, word)]
