"""IOPS, MB/s, MiB/s and the mean block: do printed figures go together."""

from app.calc.calculator import Answer, Calculator, Output, wrong
from instruments.errors import OptionError
from instruments.settings import Kind, Option, Settings
from workloads.fio.block_sizes import mean_block_size
from workloads.fio.job_check import check_bssplit

_MIB_MB = 2**20 / 1e6

OPTIONS = (
    Option(
        "blocks",
        "Block size, or a mix as fio's bssplit has it.",
        default="4k/20:64k/50:256k/20:2M/10",
        example="1m",
        name="Block size or mix",
    ),
    Option("iops", "I/Os a second.", Kind.NUMBER, low=0.0, high=1e12, name="IOPS"),
    Option("bandwidth", "Bandwidth as it is printed.", Kind.NUMBER, low=0.0, high=1e9),
    Option(
        "unit",
        "Unit of that bandwidth.",
        Kind.CHOICE,
        "MB/s",
        choices=("MB/s", "MiB/s"),
    ),
)

OUTPUTS = (
    Output("mean_kb", "Mean block", "kB", "sum of share x size"),
    Output("mb_s", "Bandwidth", "MB/s", "MiB/s x 2^20 / 10^6"),
    Output("mib_s", "Bandwidth", "MiB/s", "MB/s x 10^6 / 2^20"),
    Output("of_iops_mb_s", "Bandwidth that the IOPS give", "MB/s", "IOPS x mean block"),
    Output(
        "of_bandwidth_iops",
        "IOPS that the bandwidth gives",
        "1/s",
        "bandwidth / mean block",
    ),
    Output("block_kb", "Mean block of both figures", "kB", "bandwidth / IOPS"),
    Output(
        "off",
        "Printed bandwidth above that of the IOPS",
        "%",
        "bandwidth / (IOPS x mean block) - 1",
    ),
)

AGREES = 5.0
"""Percent that printed figures may be apart by rounding to two digits."""


def _work(settings: Settings) -> Answer:
    blocks = settings.text("blocks")
    if "/" in blocks:
        try:
            check_bssplit(blocks)
        except OptionError as error:
            raise wrong("blocks", error.what, error.way_out) from None
    block = mean_block_size({"bssplit" if "/" in blocks else "bs": blocks})
    if block is None:
        raise wrong(
            "blocks",
            f'"{blocks}" is not a block size',
            'Expected one such as "1m" or "4k/20:64k/80".',
        )
    iops, printed = settings.optional("iops"), settings.optional("bandwidth")
    values: dict[str, float | None] = {"mean_kb": block / 1e3}
    rate = None
    if printed is not None:
        rate = printed * (_MIB_MB if settings.text("unit") == "MiB/s" else 1.0)
        values["mb_s"], values["mib_s"] = rate, rate / _MIB_MB
        values["of_bandwidth_iops"] = rate * 1e6 / block
    notes = []
    if iops is not None:
        own = values["of_iops_mb_s"] = iops * block / 1e6
        if rate is not None and iops > 0:
            off = 100 * (rate / own - 1)
            values["block_kb"], values["off"] = rate * 1e3 / iops, off
            notes.append(
                f"The two figures agree within {AGREES:g} %."
                if abs(off) <= AGREES
                else f"The two figures are {abs(off):.0f} % apart: one of them, or the "
                "block size, is not what was measured."
            )
    return Answer(values, tuple(notes))


THROUGHPUT = Calculator(
    "throughput",
    "IOPS against MB/s",
    "Whether IOPS, bandwidth and block size agree, in MB/s and MiB/s.",
    OPTIONS,
    OUTPUTS,
    _work,
    {"iops": "iops", "bandwidth": "bandwidth_mb_s", "blocks": "blocks"},
)
