"""Sessions are found again: by a query, through an index that may go at any time."""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.__main__ import main
from app.operations.sessions import library as library_module
from app.operations.sessions.labels import Change, relabel, rename
from app.operations.sessions.library import Library
from app.operations.sessions.query import fields, parse_query
from app.plan.step import Step
from app.plan.writing import step_text
from app.record.store import Result, Session, Writer, annotate, summary
from app.record.store.index import Index
from app.record.store.library import look as store_look
from app.record.store.looks import Look
from instruments.errors import BadInput
from instruments.reading import SECOND, Identity
from tests.session_info import session_info

MARCH = 1_772_366_400 * SECOND
"""Noon (UTC) of 1 March 2026."""


def make(
    folder: Path, name: str, *, power: float = 500.0, verdict: str = "PASS"
) -> Path:
    path = folder / f"{name}.bayscope"
    info = session_info(
        name=f"Run {name}", dut="JBOD 947", operator="Ann", realtime_ns=MARCH
    )
    writer = Writer.create(path, info)
    writer.add_source("ses", "thermal", "ses", Identity("", "", "", "FW-0103", ""), "")
    for position, (label, bs) in enumerate((("Random read", "4k"), ("Idle", ""))):
        options = {"bs": bs} if bs else {}
        step = Step(label=label, engine="fio", runtime_s=1, options=options)
        number = writer.add_step(position, label, "fio", step_text(step))
        value = power if bs else 100.0
        writer.result(number, Result("power_w", value, "W", 0, 0))
    writer.set_session(verdict=verdict, ended_ns=90 * SECOND)
    writer.finish()
    return path


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three files; read only."""
    place = tmp_path_factory.mktemp("lab")
    make(place, "low")
    make(place, "high", power=900.0, verdict="FAIL")
    (place / "broken.bayscope").write_text("no session")
    return place


@pytest.fixture
def folder(lab: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(lab, tmp_path / "lab"))


def found(folder: Path, query: str, index: Index | None = None) -> set[str]:
    one = Library(folder, index or Index(None))
    one.read_all()
    return {path.stem for path in one.search(query)}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", {"low", "high", "broken"}),
        ("jbod", {"low", "high"}),
        ('device:"jbod 947" operator:ANN', {"low", "high"}),
        ("verdict:fail", {"high"}),
        ("-verdict:fail jbod", {"low"}),
        ("verdict:unreadable", {"broken"}),
        ("power_w>500", {"high"}),
        ("power_w>=500", {"low", "high"}),
        ("power_w:0.4k..600", {"low"}),
        ("step:random power_w<200", set()),
        ("step:idle power_w<200", {"low", "high"}),
        ("option:bs=4k power_w=900", {"high"}),
        ("firmware:fw-0103 file:low", {"low"}),
        ("date:2026-03", {"low", "high"}),
        ("date:2026", {"low", "high"}),
        ("date<2026-03", set()),
        ("date:2026-02-28..2026-03-02", {"low", "high"}),
        ("duration>=90s duration<2m", {"low", "high"}),
        ("is:simulated", {"low", "high"}),
        ("is:starred", set()),
    ],
)
def test_what_a_query_finds(lab: Path, query: str, names: set[str]) -> None:
    assert found(lab, query) == names


def test_a_file_that_is_gone_is_not_found(folder: Path) -> None:
    index = Index(None)
    assert found(folder, "jbod", index) == {"low", "high"}
    (folder / "low.bayscope").unlink()
    assert found(folder, "jbod", index) == {"high"}


@pytest.mark.parametrize(
    ("query", "way_out"),
    [
        ("devise:x", "device"),
        ("power_w>much", "500"),
        ("date:yesterday", "2026-03-21"),
        ("date:2026-13", "2026-03-21"),
        ("duration>long", "90s"),
        ("device>x", "device:"),
        ("tag:", "no search text"),
        ("power_w>nan", "500"),
    ],
)
def test_a_mistake_is_a_sentence_with_what_is_expected(
    query: str, way_out: str
) -> None:
    with pytest.raises(BadInput, match=query.split("'", maxsplit=1)[0]) as caught:
        parse_query(query)
    assert way_out in str(caught.value)


def test_whatever_is_typed_is_a_query_or_a_sentence() -> None:
    for text in ('"', '""', "-", "--", ":", "a:b:c", "'; DROP TABLE", "\udcff", "%_\0"):
        try:
            terms = parse_query(text)
        except BadInput:
            continue
        Index(None).search(Path("/"), terms)
    assert "power_w" in fields()


def test_only_what_changed_is_read_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def look(path: Path) -> Look:
        read.append(path.stem)
        return store_look(path)

    monkeypatch.setattr(library_module, "look", look)
    index = tmp_path / "index.sqlite"
    first = Library(folder, Index(index)).read_all()
    assert sorted(read) == ["broken", "high", "low"]
    read.clear()
    assert Library(folder, Index(index)).read_all() == first
    assert read == ["broken"], "what cannot be read is looked at each time"
    read.clear()
    before = (folder / "low.bayscope").stat()
    with closing(sqlite3.connect(folder / "low.bayscope")) as connection, connection:
        connection.execute("UPDATE session SET name = 'Else'")
    os.utime(folder / "low.bayscope", ns=(before.st_atime_ns, before.st_mtime_ns))
    again = {
        one.path.stem: one.name for one in Library(folder, Index(index)).read_all()
    }
    assert again["low"] == "Else", "size and mtime alone would hide it"
    assert sorted(read) == ["broken", "low"]


@pytest.mark.parametrize("damage", ["gone", "garbage", "newer", "folder", "cut"])
def test_the_index_may_go_or_break_at_any_time(
    folder: Path, tmp_path: Path, damage: str
) -> None:
    path = tmp_path / "cache" / "index.sqlite"
    kept = Index(path)
    Library(folder, kept).read_all()
    kept.close()
    if damage == "gone":
        shutil.rmtree(path.parent)
    elif damage == "garbage":
        path.write_bytes(b"not a database" * 1000)
    elif damage == "newer":
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA user_version = 99")
    elif damage == "folder":
        for one_file in path.parent.iterdir():
            one_file.unlink()
        path.mkdir()
    else:
        with path.open("r+b") as file:
            file.truncate(5000)
    assert found(folder, "power_w>500", Index(path)) == {"high"}


@pytest.mark.parametrize(
    "line", ["", "[", "[]", "{}", "7", '["a"]', "[" * 100_000, "mistyped", "no tags"]
)
def test_a_damaged_line_is_read_anew(folder: Path, tmp_path: Path, line: str) -> None:
    path = tmp_path / "index.sqlite"
    index = Index(path)
    first = Library(folder, index).read_all()
    index.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        if line in ("mistyped", "no tags"):
            [[old]] = connection.execute("SELECT line FROM session LIMIT 1").fetchall()
            values = json.loads(old)
            kind = str if line == "mistyped" else list
            values = [7 if isinstance(value, kind) else value for value in values]
            line = json.dumps(values)
        connection.execute("UPDATE session SET line = ?", (line,))
    assert Library(folder, Index(path)).read_all() == first


def test_a_search_finds_what_the_index_lost_meanwhile(
    folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "index.sqlite"
    index = Index(path)
    Library(folder, index).read_all()
    index.close()
    library = Library(folder, Index(path))
    count = len(library.begin()[0])
    os.truncate(path, 0)
    assert len(library.search("jbod")) == count > 1


def test_files_that_went_are_not_listed_and_a_live_one_is_read_each_time(
    folder: Path, tmp_path: Path
) -> None:
    index = Index(tmp_path / "index.sqlite")
    one = Library(folder, index)
    one.read_all()
    assert not one.has_changed()
    (folder / "low.bayscope").unlink()
    assert one.has_changed()
    writer = Writer.create(folder / "live.bayscope", session_info(name="Live"))
    assert {s.path.stem for s in one.read_all()} == {"high", "broken", "live"}
    assert found(folder, "verdict:recording", index) == {"live"}
    writer.finish()
    assert one.has_changed()
    assert found(folder, "verdict:complete", index) == {"live"}


def test_labels_travel_with_the_file_and_leave_its_hash_alone(
    folder: Path, tmp_path: Path
) -> None:
    path = folder / "low.bayscope"
    annotate(path, "a mark", author="a", realtime_ns=1, kind="mark", start_ns=5)
    relabel(path, Change(tags=("good", "#fw-7"), starred=True, note=" why \n"))
    after = relabel(path, Change(tags=("late",), no_tags=("GOOD",)))
    assert (after.tags, after.starred, after.note) == (("fw-7", "late"), True, "why")
    copy = tmp_path / "elsewhere"
    copy.mkdir()
    shutil.copy(path, copy / "copy.bayscope")
    assert found(copy, "is:starred tag:fw note:why") == {"copy"}
    with Session.open(copy / "copy.bayscope") as session:
        assert session.is_unchanged()
        assert [a.text for a in session.annotations() if a.start_ns == 5] == ["a mark"]
    again = relabel(path, Change(tags=("LATE", "#fw-7"), no_tags=("late", "#FW-7")))
    assert again.tags == ("fw-7", "LATE")
    cleared = relabel(path, Change(no_tags=("late", "#FW-7"), starred=False, note=""))
    assert (cleared.tags, cleared.starred, cleared.note) == ((), False, "")


@pytest.mark.parametrize("tag", ["", "two words", "a,b", "x" * 101, "a\nb", "\x1b[2J"])
def test_what_is_no_tag(folder: Path, tag: str) -> None:
    with pytest.raises(BadInput, match="is not a tag"):
        relabel(folder / "low.bayscope", Change(tags=(tag,)))


def test_what_is_recorded_or_broken_gets_no_labels(folder: Path) -> None:
    with pytest.raises(BadInput, match="not a Bayscope session"):
        relabel(folder / "broken.bayscope", Change(starred=True))
    writer = Writer.create(folder / "live.bayscope", session_info())
    with pytest.raises(BadInput, match="being recorded"):
        relabel(writer.path, Change(starred=True))
    writer.finish()


def test_a_file_is_renamed_and_none_is_written_over(folder: Path) -> None:
    path = rename(folder / "low.bayscope", "A <b>new one.bayscope")
    assert path.name == "A <b>new one.bayscope"
    assert summary(path).name == "Run low"
    high = (folder / "high.bayscope").read_bytes()
    with pytest.raises(BadInput, match="already"):
        rename(path, "high")
    assert (folder / "high.bayscope").read_bytes() == high
    for name in ("", " ", "../up", "a/b", ".hidden", "x" * 300):
        with pytest.raises(BadInput):
            rename(path, name)
    assert path.exists()
    writer = Writer.create(folder / "live.bayscope", session_info())
    with pytest.raises(BadInput, match="being recorded"):
        rename(writer.path, "other")
    writer.finish()


def test_names_of_any_bytes(folder: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe.bayscope"))
    shutil.copy(folder / "low.bayscope", odd)
    index = Index(None)
    assert odd in {one.path for one in Library(folder, index).read_all()}
    one = Library(folder, index)
    one.begin()
    assert odd in one.search("jbod")


def test_the_command_line_finds_and_labels(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "high.bayscope"
    assert main(["label", str(path), "--tag", "bad-psu", "--star"]) == 0
    assert "#bad-psu" in capsys.readouterr().out
    assert main(["sessions", str(folder), "--find", "tag:psu"]) == 0
    out = capsys.readouterr().out
    assert "high.bayscope" in out
    assert "low.bayscope" not in out
    assert main(["sessions", str(folder), "--find", "colour:red"]) == 2
    assert "device" in capsys.readouterr().err
    assert main(["sessions", str(folder), "--find", "nothing"]) == 0
    assert "No session" in capsys.readouterr().out
