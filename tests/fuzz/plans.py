"""Texts of the user's own: benches, campaigns, layouts, meters, profiles."""

from pathlib import Path

import tomlkit
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from app.bench import edit as bench_edit
from app.bench.file import parse_bench
from app.bench.meters import parse_meter
from app.operations.editing.open import has_steps
from app.plan.blocks import join, split
from app.plan.campaign import parse_campaign
from app.plan.writing import campaign_text
from instruments.thermal.layout import read_layout
from instruments.thermal.snmp.profile import read_profile
from tests.fuzz.texts import mutated
from tests.fuzz.trial import hunt_each

NAME = "plans"

_KEYS = """
name dut target step label engine runtime ramp repeat limits fio sweep bs steady repeats
loop power driver resource cost host rows title value ask interlock configuration order
seed rw needs ranging shortened
"""
_RESOURCES = Path(__file__).parents[2] / "resources"
_BENCH = b"""
name = "Lab"
[dut]
name = "JBOD"
target = "/dev/disk/by-id/ata-X"
size = "4T"
layout = "4x15"
ambient = ["rack.temperature"]
[[power]]
driver = "hmc8015"
resource = "TCPIP::127.0.0.1::5025::SOCKET"
[[power]]
name = "pdu"
driver = "yokogawa"
resource = "TCPIP::127.0.0.1::INSTR"
[[thermal]]
name = "rack"
driver = "snmp"
address = "127.0.0.1"
profile = "apc-rpdu2"
[[thermal]]
driver = "smart"
devices = ["/dev/sda"]
[[host]]
name = "load"
driver = "ssh"
address = "127.0.0.1"
[cost]
price_per_kwh = 0.3
[simulated]
speedup = 20.0
"""


def _files(folder: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted((_RESOURCES / folder).glob("*.toml"))]


def _values() -> SearchStrategy[object]:
    leaves = st.one_of(
        st.booleans(),
        st.integers(-(2**63), 2**63 - 1),
        st.floats(),
        st.text(max_size=12),
        st.dates(),
        st.datetimes(),
        st.sampled_from(("300s", "1e30h", "4k", "9" * 30, "-1s", "100%", "\u0661m")),
    )
    keys = st.sampled_from(_KEYS.split()) | st.text(max_size=5)
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4)
        ),
        max_leaves=12,
    )


def _made(tops: object) -> bytes:
    try:
        return tomlkit.dumps(tops).encode("utf-8", "surrogatepass")  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return b""


def _trees() -> SearchStrategy[bytes]:
    step = st.fixed_dictionaries(
        {"label": _values(), "engine": st.sampled_from(("fio", "idle", "prompt"))},
        optional={
            each: _values()
            for each in (
                *("runtime", "ramp", "repeat", "limits", "fio", "sweep", "steady"),
                *("repeats", "needs", "enabled", "teardown", "devices", "rampdown"),
            )
        },
    )
    top = st.fixed_dictionaries(
        {"name": _values()},
        optional={
            "step": st.lists(step, max_size=3),
            **{
                each: _values()
                for each in (
                    *("dut", "power", "thermal", "cost", "simulated", "loop"),
                    *("interlock", "configuration", "ranging", "host", "load"),
                )
            },
        },
    )
    return st.builds(_made, top)


def _campaign(case: bytes) -> None:
    text = case.decode("utf-8", "replace")
    has_steps(text)
    campaign = parse_campaign(text, "campaign.toml")
    _ = len(campaign.runs), campaign.duration_s, campaign.writes
    parse_campaign(campaign_text(campaign), "written.toml")
    assert join(split(text))


def _bench(case: bytes) -> None:
    bench = parse_bench(case.decode("utf-8", "replace"), "bench.toml")
    for source in bench.sources[:2]:
        bench_edit.remove_source(bench, source.name)


def _meter(case: bytes) -> None:
    parse_meter(case.decode("utf-8", "replace"), "meter.toml")


def _layout(case: bytes) -> None:
    read_layout(case.decode("utf-8", "replace"), "layout.toml")


def _profile(case: bytes) -> None:
    read_profile("own", case.decode("utf-8", "replace"))


def run(seconds: float, seed: int) -> tuple[int, list[str]]:
    """Try for so long; return the cases tried, and what was found."""
    campaigns, trees = _files("campaigns"), _trees()
    benches = [_BENCH, *_files("benches")]
    readers = {
        "campaign": (_campaign, mutated(campaigns) | trees),
        "bench": (_bench, mutated(benches) | trees),
        "meter": (_meter, mutated(_files("meters")) | trees),
        "layout": (_layout, mutated(_files("layouts"))),
        "profile": (_profile, mutated(_files("snmp")) | trees),
    }
    return hunt_each(readers, seconds, seed)
