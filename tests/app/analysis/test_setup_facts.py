"""Set-ups side by side: parts that are called otherwise, more of them and fewer."""

from collections.abc import Sequence
from pathlib import Path

from app.analysis.setup_facts import LACKING, Facts, Part, differing, facts_of
from app.operations.sessions.compare import compare_sessions
from app.operations.sessions.comparison_file import comparison_document
from app.operations.sessions.comparison_text import comparison_json, comparison_text
from app.record.store import Session, Writer
from instruments.reading import Identity
from tests.app.ui.sample import write_sample
from tests.session_info import session_info


def write(
    path: Path, meters: Sequence[tuple[str, str, str]], *, names: bool = True
) -> Path:
    """Write a session of meters: what each is called, its serial, what it measures."""
    tables = (
        f'[[power]]\ndriver = "hmc8015"\nresource = "{serial}"\nmeasures = "{of}"\n'
        + (f'name = "{name}"\n' if names else "")
        for name, serial, of in meters
    )
    writer = Writer.create(path, session_info(bench="".join(tables)))
    for name, serial, of in meters:
        who = Identity("R&S", "HMC8015", serial, "1", "a")
        writer.add_source(name, "power", "hmc8015", who, "", measures=of)
    step = writer.add_step(1, "Idle", "idle", "")
    writer.update_step(step, outcome="DONE", verdict="PASS", start_ns=0, end_ns=1)
    writer.set_session(verdict="PASS")
    writer.finish()
    return path


def found(*paths: Path) -> dict[str, tuple[str, ...]]:
    facts = []
    for path in paths:
        with Session.open(path) as session:
            facts.append(facts_of(session))
    return dict(differing(facts))


def test_facts_that_are_the_same_everywhere_do_not_differ(tmp_path: Path) -> None:
    one = write_sample(tmp_path / "one.bayscope", step_s=2)
    two = write_sample(tmp_path / "two.bayscope", step_s=2, name="Another")
    told = found(one, two, one)
    campaign = "Demo: five workloads"
    assert told["Campaign"] == (campaign, "Another", campaign)
    assert "Device under test" not in told
    pair = [Facts({"Bench: a": "1"}), Facts()]
    assert differing(pair) == [("Bench: a", ("1", "-"))]


def test_steps_that_not_all_have_are_one_line() -> None:
    def facts(**blocks: str) -> Facts:
        steps = {
            step: {"fio.bs": size, "fio.rw": "read"} for step, size in blocks.items()
        }
        return Facts(steps=steps)

    one, two = facts(A="4k", B="8k", C="1M"), facts(A="16k")
    assert differing([one, two]) == [
        ("Step A: fio.bs", ("4k", "16k")),
        (LACKING, ("B, C", "-")),
    ]
    many = facts(A="16k", **dict.fromkeys("ZYXWVU", "4k"))
    assert differing([two, many]) == [(LACKING, ("-", "Z, Y, X, W and 2 more"))]
    assert not differing([one, one])


def test_a_meter_of_another_name_differs_in_its_name_alone(tmp_path: Path) -> None:
    one = write(tmp_path / "a.bayscope", [("mains", "1", "dut")])
    two = write(tmp_path / "b.bayscope", [("hmc", "1", "dut")])
    names = ("mains", "hmc")
    assert found(one, two) == {"Power mains: name": names}
    comparison = compare_sessions([one, two])
    assert "  Power mains: name: mains / hmc" in comparison_text(comparison)
    assert comparison_json(comparison)["differing"] == [
        {"what": "Power mains: name", "values": [*names]}
    ]
    tables = dict(comparison_document(comparison).more)
    table = tables["What differs"]
    assert table is not None
    assert table.rows == (("Power mains: name", *names),)


def test_a_meter_without_a_name_is_called_by_its_section(tmp_path: Path) -> None:
    feeds = [("power", "1", "dut"), ("power2", "2", "dut")]
    named = write(tmp_path / "a.bayscope", feeds)
    nameless = write(tmp_path / "b.bayscope", feeds, names=False)
    assert not found(named, nameless)


def test_meters_match_by_name_then_by_what_they_measure(tmp_path: Path) -> None:
    one = write(
        tmp_path / "a.bayscope",
        [("host", "9", "server"), ("left", "1", "dut"), ("right", "2", "dut")],
    )
    two = write(
        tmp_path / "b.bayscope",
        [("right", "2", "dut"), ("psu1", "1", "dut"), ("box", "9", "server")],
    )
    assert found(one, two) == {
        "Power host: name": ("host", "box"),
        "Power left: name": ("left", "psu1"),
    }


def test_a_meter_more_stands_beside_none(tmp_path: Path) -> None:
    one = write(tmp_path / "a.bayscope", [("mains", "1", "dut")])
    two = write(tmp_path / "b.bayscope", [("psu1", "1", "dut"), ("psu2", "2", "dut")])
    more, fewer = found(one, two), found(two, one)
    assert more["Power mains: name"] == ("mains", "psu1")
    assert more["Power psu2: name"] == ("-", "psu2")
    assert more["Power psu2: serial"] == ("-", "2")
    assert more["Bench: power psu2.resource"] == ("-", "2")
    assert "Power mains: serial" not in more
    assert fewer["Power psu1: name"] == ("psu1", "mains")
    assert fewer["Power psu2: serial"] == ("2", "-")


def test_what_is_left_of_a_kind_stands_side_by_side_and_kinds_never_do() -> None:
    def part(kind: str, name: str, measures: str) -> Part:
        return Part(kind, name, measures, {(kind.capitalize(), ": serial"): name})

    one = Facts({}, (part("power", "a", "dut"),))
    two = Facts({}, (part("noise", "ear", "dut"), part("power", "b", "server")))
    assert differing([one, two]) == [
        ("Power a: name", ("a", "b")),
        ("Power a: serial", ("a", "b")),
        ("Noise ear: name", ("-", "ear")),
        ("Noise ear: serial", ("-", "ear")),
    ]
