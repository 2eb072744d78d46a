"""The bench: bench.toml to sources and loads."""

from app.bench.build import (
    build_host,
    build_load,
    build_source,
    build_sources,
    login_of,
)
from app.bench.drivers import drivers
from app.bench.file import default_bench, load_bench, parse_bench
from app.bench.model import (
    CALIBRATION_DAYS,
    DUT,
    SIMULATED,
    Bench,
    Cost,
    Dut,
    SourceConfig,
    round_size,
)

__all__ = [
    "CALIBRATION_DAYS",
    "DUT",
    "SIMULATED",
    "Bench",
    "Cost",
    "Dut",
    "SourceConfig",
    "build_host",
    "build_load",
    "build_source",
    "build_sources",
    "default_bench",
    "drivers",
    "load_bench",
    "login_of",
    "parse_bench",
    "round_size",
]
