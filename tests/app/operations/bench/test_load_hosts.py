"""A campaign on a bench with two load hosts: real SSH servers, the real fio."""

import contextlib
import re
import signal
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.analysis.again.verify import Agreement, verify
from app.bench.file import parse_bench
from app.bench.model import Bench
from app.campaign.run.progress import Progress
from app.operations.preflight.preflight import check_load_hosts
from app.operations.run.arming import Arming
from app.operations.run.run import run_campaign
from app.operations.sessions.showing import show_json, show_text
from app.plan.campaign import Campaign, parse_campaign
from app.plan.verdict import Verdict
from app.record.store import Session
from instruments.errors import BadInput, BenchError
from tests.workloads.hosts.documents import Entry, entries_of_client, parsed
from tests.workloads.hosts.rack import Rack, opens, rack

STEP = """
[[step]]
label = "{label}"
engine = "fio"
runtime = {runtime}
[step.fio]
rw = "randread"
bs = "4k"
rate_iops = 120
"""


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Rack]:
    with rack(tmp_path, "load1", "load2") as found:
        yield found


def bench(found: Rack, way: str, **more: str) -> Bench:
    lines = ['name = "Two"', "[dut]", 'name = "JBOD"', 'target = "x"', 'size = "16m"']
    targets = [str(found.scratch(name)) for name in found.servers]
    lines += ["[load]", 'hosts = ["load1", "load2"]', f'way = "{way}"']
    lines += [f"targets = {more.get('targets', targets)}"]
    for name, server in found.servers.items():
        lines += ["[[host]]", f'name = "{name}"', 'driver = "ssh"']
        lines += [f'address = "{server.address}"', f"port = {server.port}"]
        lines += [f'user = "{server.user}"', f'key = "{server.key}"']
        lines += [f'known_hosts = "{server.known_hosts}"']
    return parse_bench("\n".join(lines), "bench.toml")


def campaign(*steps: tuple[str, int]) -> Campaign:
    text = 'name = "Reads"\n'
    text += "".join(
        STEP.format(label=label, runtime=runtime) for label, runtime in steps
    )
    return parse_campaign(text, "campaign.toml")


def own_rate(entry: Entry) -> float:
    """Get the rate of reads that fio itself counted."""
    side = entry["read"]
    assert side["total_ios"] > 0
    return float(side["total_ios"] * 1e3 / side["runtime"])


def check_verified(path: Path, *names: str) -> None:
    """Every result comes out again, and these are among them."""
    with Session.open(path) as session:
        found = verify(session)
    odd = [one for one in found if one.agreement is not Agreement.SAME]
    assert [(one.name, one.agreement, one.values) for one in odd] == []
    assert {*names} <= {one.name for one in found}


def test_each_host_has_its_row_and_the_table_the_sum(two: Rack) -> None:
    done = run_campaign(campaign(("Reads", 1)), bench(two, "ssh"), two.folder / "out")
    assert (done.verdict, done.reason) == (Verdict.PASS, "")
    check_verified(done.session, "iops", "iops.load2", "read_p99_ms.load1", "buffered")
    shown = show_json(done.session)
    steps, parts = shown["steps"], shown["parts"]
    assert isinstance(steps, list)
    assert isinstance(parts, list)
    assert [part["part"] for part in parts] == ["load1", "load2"]
    # A part is of its host's own second, the sum of the time that all share: at each
    # edge of either there is an I/O that counts in one of them alone. These four are a
    # higher rate the less of a second they share, as where one begins late.
    added = sum(part["iops"] for part in parts)
    assert added == pytest.approx(steps[0]["iops"], abs=4 / steps[0]["duration_s"])
    with Session.open(done.session) as session:
        for part in parts:
            kept = session.artefact(f"{part['part']}-fio-output.json.zz")
            last = parsed(zlib.decompress(kept))[-1]["jobs"][0]
            assert part["iops"] == pytest.approx(own_rate(last), rel=1e-6)
    text = show_text(done.session)
    line = re.compile(r"^Reads \(buffered\) +load2 ", re.MULTILINE)
    assert line.search(text)
    assert not line.search(show_text(done.session, form="lab"))
    with Session.open(done.session) as session:
        names = {channel.name for channel in session.channels()}
    assert {"fio.read_iops", "fio.read_iops.load1", "fio.read_p99.load2"} <= names


def moved(path: Path) -> int:
    """Get the bytes that fio read since it has a file open; 0 before."""
    found = 0
    for process in opens(path):
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{process}/io").read_text("ascii").splitlines():
                name, _, count = line.partition(": ")
                found += int(count) if name in ("rchar", "read_bytes") else 0
    return found


@pytest.mark.slow
def test_a_host_cut_off_in_mid_run_does_not_end_the_others(two: Rack) -> None:
    cut = threading.Event()

    def cut_off() -> None:
        # Before both read it would be lost in the ramp, or on its way there.
        begun: dict[str, int] = {}
        for _ in range(1200):
            now = {name: moved(two.scratch(name)) for name in two.servers}
            begun |= {name: n for name, n in now.items() if n and name not in begun}
            if all(now[name] > begun.get(name, now[name]) for name in two.servers):
                break
            cut.wait(0.05)
        two.servers["load2"].stop()
        cut.set()

    cutter = threading.Thread(target=cut_off)

    def progress(now: Progress) -> None:
        if now.step == 1 and not cutter.ident:
            cutter.start()

    done = run_campaign(
        campaign(("First", 6), ("Second", 1)),
        bench(two, "server"),
        two.folder / "out",
        progress=progress,
    )
    cutter.join()
    assert cut.is_set()
    assert done.verdict is Verdict.ERROR
    check_verified(done.session, "iops.load1", "lost_after_s.load2")
    parts = show_json(done.session)["parts"]
    assert isinstance(parts, list)
    told = {(part["step"], part["part"]): part for part in parts}
    for label, how in (("First", "lost_after_s"), ("Second", "not_reached")):
        lost = told[label, "load2"]
        assert sorted(lost) == [how, "part", "step"]
    assert "not reached" in show_text(done.session)
    with Session.open(done.session) as session:
        first, second = session.steps()
        for step in (first, second):
            kept = session.artefact("fio-client.json.zz", step.id)
            last = entries_of_client(zlib.decompress(kept), load1="127.83.0.1")
            shown = told[step.label, "load1"]["iops"]
            assert shown == pytest.approx(own_rate(last["load1"]), rel=1e-6)
    assert "load2 was lost" in (first.reason or "")
    assert "those of load1 alone" in (second.reason or "")


def test_the_preflight_looks_at_the_hosts(two: Rack) -> None:
    def look(plan: Campaign) -> list[tuple[str, str]]:
        told = check_load_hosts(plan, bench(two, "server"), [])
        return [(one.level, one.text) for one in told]

    [(level, text)] = look(campaign(("Reads", 1)))
    assert level == "ok"
    assert text.startswith("2 answer: load1: fio-3.")
    copy = '[[step]]\nlabel = "c"\nengine = "copy"\nruntime = 1\n'
    two.servers["load2"].stop()
    told = look(parse_campaign(f'name = "x"\n{copy}', "c.toml"))
    assert told[0] == ("stop", "c: copy does not run on them")
    assert "cannot be reached" in told[1][1]


def test_what_is_wrong_is_said_before_the_start(two: Rack) -> None:
    out = two.folder / "out"
    plan = campaign(("Reads", 1))
    with pytest.raises(BadInput, match="targets of the load hosts are files"):
        run_campaign(plan, bench(two, "ssh"), out, arming=Arming(("SERIAL",)))
    missing = '["/dev/nothere", "/dev/nothere"]'
    with pytest.raises(BadInput, match="2 load hosts cannot be used: load1: "):
        run_campaign(plan, bench(two, "ssh", targets=missing), out)
    two.servers["load1"].tool("fio", "echo fio-3.1")
    with pytest.raises(BadInput, match=r"fio-3\.1 on load1, fio-3\.\d+ on load2"):
        run_campaign(plan, bench(two, "ssh"), out)
    two.servers["load2"].tool("fio", "echo fio-3.1")
    with pytest.raises(
        BadInput, match=r"fio-3\.\d+ on this machine, fio-3\.1 on load1"
    ):
        run_campaign(plan, bench(two, "server"), out)
    two.servers["load2"].signal_connections(signal.SIGKILL)
    two.servers["load2"].stop()
    with pytest.raises(BenchError, match="cannot be reached"):
        run_campaign(plan, bench(two, "ssh"), out)
    with pytest.raises(BadInput, match="no load host is left"):
        run_campaign(plan, bench(two, "ssh"), out, without=["load1", "load2"])
    assert not out.exists() or not list(out.iterdir())
