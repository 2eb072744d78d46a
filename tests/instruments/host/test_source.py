"""A machine whose counters the test moves, and this machine, here and over SSH."""

import signal
from collections.abc import Iterator
from math import isnan
from pathlib import Path

import pytest

from app.bench.build import build_host, build_source
from app.bench.file import parse_bench
from instruments.errors import BadInput, SourceError
from instruments.host.source import DRIVER, HostSource
from instruments.reading import Status
from instruments.settings import Value
from instruments.ssh.host import SshHost
from instruments.tools.hosts import LocalHost
from tests.instruments.given import given
from tests.instruments.rooted import RootedHost, write_tree
from tests.instruments.seen import Seen, seen_below
from tests.sshd import Sshd, sshd

NET = "a|b\n c|d\n  eth0: {} 1 0 0 0 0 0 0 {} 1 0 0 0 0 0 0\n"
DISK = "   8 0 sda {} 0 {} 0 {} 0 {} 0 0 {} 0\n"


class Machine:
    """A machine made up of files, and a clock that ticks a second between looks."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.now = 0
        self.host = RootedHost(root)
        write_tree(
            root,
            {
                "/sys/block/sda/size": "1",
                "/sys/block/loop0/size": "1",
                "/sys/class/dmi/id/sys_vendor": "Maker\n",
                "/sys/class/dmi/id/product_name": "Box 9\n",
                "/proc/sys/kernel/osrelease": "6.1.0-9\n",
                "/proc/sys/kernel/hostname": "head\n",
                "/proc/loadavg": "0.50 0.40 0.30 1/200 999\n",
                "/proc/meminfo": "MemTotal: 1000 kB\nMemAvailable: 500 kB\n",
                "/proc/stat": "cpu 0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\n",
                "/proc/net/dev": NET.format(0, 0),
                "/proc/diskstats": DISK.format(0, 0, 0, 0, 0),
            },
        )

    def set(self, path: str, text: str) -> None:
        write_tree(self.root, {path: text})

    def clock(self) -> int:
        return self.now

    def source(self, **keys: Value) -> HostSource:
        return HostSource(given(DRIVER, "pc", self.host, **keys), clock=self.clock)

    def read(self, source: HostSource) -> Seen:
        self.now += 1_000_000_000
        return seen_below(source.read())


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_it_says_who_it_is(machine: Machine) -> None:
    identity = machine.source().open()
    assert (identity.maker, identity.model) == ("Maker", "Box 9")
    assert identity.firmware == "Linux 6.1.0-9"


def test_rates_are_what_was_added_a_second(machine: Machine) -> None:
    source = machine.source(per_core=True)
    source.open()
    first = machine.read(source)
    assert first == {
        "load_1min": (0.5, Status.OK),
        "memory_available": (50.0, Status.OK),
    }
    machine.set("/proc/stat", "cpu 30 0 20 40 10 0 0 0 0 0\ncpu0 1 0 0 3 0 0 0 0\n")
    machine.set("/proc/net/dev", NET.format(1000, 500))
    machine.set("/proc/diskstats", DISK.format(10, 16, 20, 8, 250))
    second = machine.read(source)
    values = {name: value for name, (value, _) in second.items()}
    assert values == {
        "load_1min": 0.5,
        "memory_available": 50.0,
        "cpu_busy": 50.0,
        "cpu_iowait": 10.0,
        "cpu_busy.core00": 25.0,
        "net_rx.eth0": 1000.0,
        "net_tx.eth0": 500.0,
        "disk_read_iops.sda": 10.0,
        "disk_write_iops.sda": 20.0,
        "disk_read_bw.sda": 16 * 512.0,
        "disk_write_bw.sda": 8 * 512.0,
        "disk_busy.sda": 25.0,
    }
    assert {status for _, status in second.values()} == {Status.OK}
    assert [channel.name for channel in source.channels] == [
        f"pc.{name}" for name in second
    ]


def test_counts_of_throttling_are_added(machine: Machine) -> None:
    path = "/sys/devices/system/cpu/cpu{}/thermal_throttle/{}_throttle_count"
    for cpu, kind, count in ((0, "core", 3), (0, "package", 4), (1, "core", 5)):
        machine.set(path.format(cpu, kind), f"{count}\n")
    source = machine.source()
    source.open()
    assert machine.read(source)["cpu_throttle_count"] == (12.0, Status.OK)
    machine.set(path.format(1, "core"), "6\n")
    found = machine.read(source)
    assert found["cpu_throttle_count"] == (13.0, Status.OK)
    assert "cpu_busy" in found
    (machine.root / path.format(1, "core").lstrip("/")).unlink()
    assert machine.read(source)["cpu_throttle_count"][1] is Status.NAN


def test_a_rate_is_the_mean_of_the_period_before(machine: Machine) -> None:
    source = machine.source(period=2.0)
    source.open()
    channel = next(c for c in source.channels if c.quantity == "net_rx")
    assert (channel.window_ns, channel.latency_ns) == (2_000_000_000, 1_000_000_000)


def test_counters_that_went_back_are_a_gap_once(machine: Machine) -> None:
    source = machine.source()
    source.open()
    machine.set("/proc/net/dev", NET.format(5000, 500))
    machine.set("/proc/diskstats", DISK.format(10, 16, 20, 8, 250))
    machine.read(source)
    machine.set("/proc/net/dev", NET.format(100, 600))
    machine.set("/proc/diskstats", DISK.format(1, 16, 30, 8, 250))
    found = machine.read(source)
    gaps = {name for name, (_, status) in found.items() if status is Status.NAN}
    assert "net_rx.eth0" in gaps
    assert "net_tx.eth0" not in gaps
    assert {name for name in gaps if "disk" in name} == {
        name for name in found if "disk" in name
    }
    assert all(isnan(found[name][0]) for name in gaps)
    machine.set("/proc/diskstats", DISK.format(3, 16, 30, 8, 250))
    assert machine.read(source)["disk_read_iops.sda"] == (2.0, Status.OK)


def test_a_disk_that_was_pulled_is_absent_and_comes_back(machine: Machine) -> None:
    source = machine.source()
    source.open()
    machine.read(source)
    machine.set("/proc/diskstats", "")
    assert machine.read(source)["disk_busy.sda"][1] is Status.ABSENT
    machine.set("/proc/diskstats", DISK.format(0, 0, 0, 0, 0))
    assert machine.read(source)["disk_busy.sda"][1] is Status.NAN
    assert machine.read(source)["disk_busy.sda"] == (0.0, Status.OK)


def test_named_disks_keep_the_name_they_were_given(machine: Machine) -> None:
    by_id = "/dev/disk/by-id/ata-DISK 1_S.9"
    write_tree(machine.root, {"/dev/sda": "", by_id: "-> /dev/sda"})
    source = machine.source(disks=(by_id,), interfaces=("eth0",))
    source.open()
    places = {c.location for c in source.channels if c.quantity == "disk_busy"}
    assert places == {"ata-DISK-1_S-9"}
    machine.read(source)
    assert machine.read(source)["disk_busy.ata-DISK-1_S-9"] == (0.0, Status.OK)


def test_a_disk_that_nobody_named_and_the_kernel_does_not_count_is_left_out(
    machine: Machine,
) -> None:
    machine.set("/sys/block/sdaa/size", "1")
    source = machine.source()
    source.open()
    assert {c.location for c in source.channels if c.quantity == "disk_busy"} == {"sda"}
    assert source.read().notice == "sdaa has no line in /proc/diskstats: excluded"
    assert source.read().notice == ""
    with pytest.raises(SourceError, match="it has no disk sdaa"):
        machine.source(disks=("sdaa",)).open()


def test_what_is_not_there_is_said_at_once(machine: Machine) -> None:
    with pytest.raises(
        SourceError, match=r"no disk sdq.*Available there: sda"
    ) as caught:
        machine.source(disks=("sdq",)).open()
    assert caught.value.status is Status.ABSENT
    with pytest.raises(SourceError, match=r"no interface eth7.*Available there: eth0"):
        machine.source(interfaces=("eth7",)).open()
    with pytest.raises(SourceError, match="not open"):
        machine.source().read()


def test_counters_that_are_no_numbers_are_a_sentence(machine: Machine) -> None:
    source = machine.source()
    source.open()
    machine.set("/proc/loadavg", "busy\n")
    assert machine.read(source)["load_1min"][1] is Status.NAN
    machine.set("/proc/stat", "cpu a b c d e f g h\n")
    with pytest.raises(SourceError, match="what it counts cannot be read"):
        machine.read(source)


def test_two_reads_at_once_give_no_rate(machine: Machine) -> None:
    source = machine.source()
    source.open()
    machine.read(source)
    assert len(source.read().channels) == 2
    assert len(machine.read(source)) == len(source.channels)


def test_this_machine_can_be_found(machine: Machine) -> None:
    assert DRIVER.discover(machine.host)[0].label == "This machine (head)"


BENCH = """
name = "two machines"
[dut]
name = "none"
target = "scratch"
[[host]]
driver = "local"
name = "pc"
[[host]]
driver = "ssh"
name = "head"
address = "127.0.0.1"
user = "{user}"
port = {port}
key = "{key}"
known_hosts = "{known_hosts}"
sudo = false
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Sshd]:
    with sshd(tmp_path) as found:
        yield found


@pytest.fixture
def bench(server: Sshd) -> str:
    return BENCH.format(
        user=server.user,
        port=server.port,
        key=server.key,
        known_hosts=server.known_hosts,
    )


def test_a_bench_measures_this_machine_and_another(bench: str) -> None:
    found = parse_bench(bench, "bench.toml")
    for config in found.sources:
        source = build_source(found, config)
        identity = source.open()
        assert identity.firmware.startswith("Linux ")
        names = {channel.name for channel in source.channels}
        assert f"{config.name}.cpu_busy" in names
        reading = source.read()
        assert reading.statuses == (Status.OK, Status.OK)
        assert reading.end_ns > reading.start_ns
        assert b"cpu " in reading.raw
        assert b"intr " not in reading.raw
        assert b"MemAvailable:" in reading.raw
        assert b"SwapTotal:" not in reading.raw
        source.close()


def test_a_bench_makes_its_hosts(bench: str) -> None:
    found = parse_bench(bench, "bench.toml")
    assert isinstance(build_host(found, "head"), SshHost)
    assert isinstance(build_host(found, "pc"), LocalHost)
    assert isinstance(build_host(found, ""), LocalHost)
    with pytest.raises(BadInput, match='no host "tail"'):
        build_host(found, "tail")


def test_a_machine_that_goes_down_is_lost_and_comes_back(
    bench: str, server: Sshd
) -> None:
    found = parse_bench(bench, "bench.toml")
    source = build_source(found, found.sources[1])
    source.open()
    source.read()
    server.stop()
    for _ in range(2):
        with pytest.raises(SourceError, match=r"head \(") as caught:
            source.read()
        assert caught.value.status is Status.ERROR
        source.close()
    with pytest.raises(SourceError, match="Connection refused"):
        source.open()
    server.start()
    source.open()
    assert len(source.read().channels) == 2
    source.close()


def test_a_machine_that_hangs_is_late(
    bench: str, server: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = parse_bench(bench, "bench.toml")
    source = build_source(found, found.sources[1])
    source.open()
    server.signal_connections(signal.Signals.SIGSTOP)
    monkeypatch.setattr("instruments.host.source._LATEST_S", 0.5)
    with pytest.raises(SourceError, match="does not answer") as caught:
        source.read()
    assert caught.value.status is Status.TIMEOUT
    source.close()
