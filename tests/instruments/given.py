"""The settings that a source of a test is made of."""

from instruments.driver import Driver
from instruments.settings import Settings, Value
from instruments.tools.hosts import Host, LocalHost


def given(
    driver: Driver, name: str, host: Host | None = None, /, **values: Value
) -> Settings:
    """Fill in a driver's defaults; values may be such as no bench may have."""
    options = driver.options
    defaults = {o.key: o.default for o in options if o.default is not None}
    return Settings(name, {**defaults, **values}, host or LocalHost())
