"""What is found before anything is started."""

from pathlib import Path

import pytest

from app.bench.file import parse_bench
from app.campaign.checks import check_fio, check_plan, has_load
from app.campaign.phases.command import lacking_of_commands
from app.operations.preflight.finding import Level
from app.operations.preflight.preflight import check_campaign
from app.operations.run.run import run_campaign
from app.plan.campaign import parse_campaign
from instruments.errors import BadInput
from resources import read_text
from tests.app.operations.benches import CAMPAIGN, bench

IDLE = 'name = "x"\n[[step]]\nlabel = "Idle"\nengine = "idle"\nruntime = "1s"\n'

IDLE_OFF = '[[step]]\nlabel = "Off"\nengine = "idle"\nruntime = "1s"\nenabled = false\n'


def test_a_good_plan_is_let_through_and_nothing_is_made(tmp_path: Path) -> None:
    campaign = parse_campaign(CAMPAIGN, "c.toml")
    check_plan(campaign, bench(tmp_path), ["mains"])
    assert check_fio(campaign) is None
    assert has_load(campaign)
    assert not list(tmp_path.iterdir())


def test_a_plan_without_a_load_asks_neither_for_fio_nor_for_a_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    campaign = parse_campaign(IDLE, "c.toml")
    check_plan(campaign, bench(tmp_path / "no" / "where"), [])
    assert check_fio(campaign) is None


def test_a_missing_fio_is_given_back_and_not_raised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    trouble = check_fio(parse_campaign(CAMPAIGN, "c.toml"))
    assert "apt install fio" in str(trouble)


def test_what_fio_refuses_is_told_with_the_step() -> None:
    text = CAMPAIGN.replace("iodepth = 4", "rwmixread = 170")
    with pytest.raises(BadInput, match=r'step "Random read 4k".*rwmixread'):
        check_fio(parse_campaign(text, "c.toml"))


def test_a_plan_that_writes_is_kept_off_foreign_files(tmp_path: Path) -> None:
    (tmp_path / "scratch.dat").write_text("mine")
    text = CAMPAIGN.replace("randread", "randwrite")
    with pytest.raises(BadInput, match="Bayscope did not write"):
        check_plan(parse_campaign(text, "c.toml"), bench(tmp_path), [])


def test_a_disk_that_fails_is_not_blamed_on_the_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "fio"
    broken.write_text(
        "#!/bin/sh\n[ $1 = --version ] && echo fio-3.33 && exit\n"
        "echo 'fio: job file: Input/output error' >&2\nexit 1\n"
    )
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    trouble = check_fio(parse_campaign(CAMPAIGN, "c.toml"))
    assert "Input/output error" in str(trouble)
    assert "Check the disks of fio" in str(trouble)
    assert "Correct the options" not in str(trouble)


STEP_RANGES = """
name = "rig"

[dut]
name = "JBOD"
target = "/tmp/none.dat"
size = "1 GiB"

[[power]]
name = "mains"
driver = "hmc8015"
resource = "TCPIP::192.0.2.1::5025::SOCKET"
step_ranges = ["{label} = 300 V, 0.2 A"]
"""


def test_ranges_for_a_step_that_is_not_there_are_refused(tmp_path: Path) -> None:
    campaign = parse_campaign(IDLE, "c.toml")
    check_plan(campaign, parse_bench(STEP_RANGES.format(label="Idle"), "b.toml"), [])
    wrong = parse_bench(STEP_RANGES.format(label="Idel"), "b.toml")
    with pytest.raises(BadInput) as caught:
        check_plan(campaign, wrong, [])
    assert str(caught.value) == (
        'mains: step_ranges names "Idel", and there is no such step '
        '(did you mean "Idle"?). The campaign\'s steps are Idle.'
    )
    (finding,) = check_campaign(campaign, wrong, [], [])
    assert (finding.level, finding.text) == (Level.STOP, str(caught.value))


def test_ranges_for_a_step_that_is_switched_off_are_let_through() -> None:
    campaign = parse_campaign(IDLE + IDLE_OFF, "c.toml")
    check_plan(campaign, parse_bench(STEP_RANGES.format(label="Off"), "b.toml"), [])


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        ("run = 'no-such-tool -x'", "no-such-tool"),
        ("run = 'sh -c true'\nprograms = 'cat no-such-tool'", "no-such-tool"),
        ("""run = "sh -c ': ${NO_SUCH:?say which}; true'" """, "NO_SUCH"),
        ("""run = "sh -c 'echo ${NO_SUCH?}'" """, "NO_SUCH"),
        ("run = 'sh -c true'\nprograms = 'cat'", ""),
        ("""run = "sh -c ': ${PATH:?there is none}; true'" """, ""),
        # The simulated bench brings these along.
        (
            """run = "sh -c ': ${BAYSCOPE_DRIVES:?which}'"\nprograms = 'sg_start'""",
            "",
        ),
    ],
)
def test_what_a_command_needs_is_missed_before_the_run(
    tmp_path: Path, command: str, needed: str
) -> None:
    step = f'[[step]]\nlabel = "Go"\nengine = "command"\n[step.command]\n{command}\n'
    campaign = parse_campaign(f'name = "x"\n{step}', "c.toml")
    simulated = bench(tmp_path)
    assert simulated.has_no_device
    found = lacking_of_commands(campaign, simulated)
    assert [needed in one.what for one in found] == [True] * bool(needed)
    assert all(one.where == 'step "Go"' for one in found)


def test_a_real_bench_has_no_simulated_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dead_meter: str
) -> None:
    monkeypatch.delenv("BAYSCOPE_DRIVES", raising=False)
    text = read_text("campaigns", "drive-power-states.toml")
    campaign = parse_campaign(text, "c.toml")
    real = lacking_of_commands(campaign, bench(tmp_path, dead_meter))
    assert any("BAYSCOPE_DRIVES" in one.what for one in real)
    assert not lacking_of_commands(campaign, bench(tmp_path))
    with pytest.raises(BadInput, match="BAYSCOPE_DRIVES"):
        run_campaign(campaign, bench(tmp_path, dead_meter), tmp_path)
    assert not list(tmp_path.iterdir())
