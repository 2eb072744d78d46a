"""The pre-flight of what steps name and wait for, on checks made by hand."""

from pathlib import Path

import pytest

from app.bench.file import parse_bench
from app.operations.bench.check import SourceCheck
from app.operations.preflight.finding import Level
from app.operations.preflight.phases import check_phases
from app.plan.campaign import parse_campaign
from instruments.errors import BenchError
from instruments.reading import Channel, Identity, Status

BENCH = """
name = "Bench"
[dut]
name = "Scratch"
target = "scratch"
size = "32m"
[[thermal]]
name = "enclosure"
driver = "simulated"
[[switch]]
name = "pdu"
driver = "simulated"
allow = ["on", "off"]
[simulated]
start = true
"""
WHO = Identity("Bayscope", "ENCLOSURE60", "1", "", "")
SLOT = Channel("enclosure", "temperature", "degC", "slot07")


def found(
    step: str, *, error: BenchError | None = None, beside: Path | None = None
) -> list[tuple[str, str]]:
    campaign = parse_campaign(f'name = "K"\n[[step]]\nlabel = "A"\n{step}', "k.toml")
    answered = SourceCheck(
        *("enclosure", "thermal", "simulated", "", WHO),
        ((SLOT, 30.0, Status.OK),),
        error=error,
    )
    bench = parse_bench(BENCH, "bench.toml")
    findings = check_phases(campaign, bench, [answered], beside)
    assert {finding.level for finding in findings} <= {Level.STOP}
    return [(finding.topic, finding.text) for finding in findings]


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (
            'engine = "startup"\nruntime = "5s"\n[step.startup]\nswitch = "pud"',
            '"A" switches by pud, and there is no such switch (did you mean "pdu"?)',
        ),
        (
            'engine = "startup"\nruntime = "5s"\n[step.startup]\nready = "nix"',
            '"A" is ready by nix, and the bench has no such source, only enclosure',
        ),
        (
            'engine = "cooldown"\nruntime = "5s"\n[step.cooldown]\nuntil = 35\n'
            'channel = "enclosure.temperature.slot70"',
            '"A" waits for enclosure.temperature.slot70, and there is no such channel '
            '(did you mean "enclosure.temperature.slot07"?)',
        ),
        (
            'engine = "cooldown"\nruntime = "5s"\n[step.cooldown]\nuntil = 35\n'
            'at_least = "1h"',
            '"A" lasts 1h at least, and its runtime, 5s, is less',
        ),
        (
            'engine = "prompt"\n[step.prompt]\ntext = "x"\ncheck = "nix.y present"',
            '"A" looks at nix.y, and the bench has no such channel, only '
            "enclosure.temperature.slot07",
        ),
        (
            'engine = "fio"\nruntime = "5s"\n[step.fio]\nrw = "randread"\nbs = "4k"\n'
            '[step.steady]\nround = "60s"',
            '"A" cannot become steady in its runtime, 5s: sss-pts needs 5 rounds of 1m',
        ),
    ],
)
def test_what_a_step_waits_for_in_vain_is_told(step: str, told: str) -> None:
    assert found(step) == [("Steps", told)]


def test_what_is_there_is_no_matter() -> None:
    assert not found(
        'engine = "startup"\nruntime = "5s"\n'
        '[step.startup]\nswitch = "pdu"\nready = "enclosure"'
    )
    wanted = 'check = "*.temperature.slot07 present; enclosure.* < 60"'
    assert not found(f'engine = "prompt"\n[step.prompt]\ntext = "x"\n{wanted}')


def test_channels_of_a_source_that_does_not_answer_are_not_missed() -> None:
    step = 'engine = "prompt"\n[step.prompt]\ntext = "x"\ncheck = "nix.y present"'
    assert not found(step, error=BenchError("it does not answer"))


def test_a_picture_has_to_lie_beside_the_campaign(tmp_path: Path) -> None:
    step = 'engine = "prompt"\n[step.prompt]\ntext = "x"\npicture = "bays.png"'
    assert found(step, beside=tmp_path) == [
        ("Steps", f'"A" shows bays.png, which is not in {tmp_path}')
    ]
    (tmp_path / "bays.png").write_bytes(b"")
    assert not found(step, beside=tmp_path)
