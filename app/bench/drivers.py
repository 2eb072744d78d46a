"""Every driver that a bench may name; nothing else names a concrete driver."""

from app.bench.meters import load_meters
from instruments.driver import Driver
from instruments.host import local, ssh, windows
from instruments.noise import dt8852, gm1356, microphone, nsrt, wav
from instruments.noise import simulated as noise_simulated
from instruments.power import chroma, hioki, hmc8015, lmg, npa, yokogawa
from instruments.power.described_driver import described_driver
from instruments.thermal import (
    drive_logs,
    hwmon,
    ipmi,
    nvme,
    raid,
    redfish,
    sas_links,
    sensors,
    ses,
    smart,
    snmp,
)
from instruments.thermal import simulated as thermal_simulated

_DRIVERS: tuple[Driver, ...] = (
    local.DRIVER,
    ssh.DRIVER,
    windows.DRIVER,
    hmc8015.DRIVER,
    yokogawa.DRIVER,
    hioki.DRIVER,
    chroma.DRIVER,
    npa.DRIVER,
    lmg.DRIVER,
    ses.DRIVER,
    smart.DRIVER,
    drive_logs.DRIVER,
    raid.DRIVER,
    sas_links.DRIVER,
    hwmon.DRIVER,
    nvme.DRIVER,
    sensors.DRIVER,
    ipmi.DRIVER,
    redfish.DRIVER,
    snmp.DRIVER,
    snmp.POWER,
    thermal_simulated.DRIVER,
    gm1356.DRIVER,
    dt8852.DRIVER,
    nsrt.DRIVER,
    microphone.DRIVER,
    wav.DRIVER,
    noise_simulated.DRIVER,
)


def drivers() -> dict[tuple[str, str], Driver]:
    """Get the drivers by section and name, in the order they are offered."""
    found = (*_DRIVERS, described_driver(load_meters()))
    return {(driver.section, driver.name): driver for driver in found}
