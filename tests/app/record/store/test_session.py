"""A session is read along while it is written, by several threads."""

import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from app.plan.limits import FOREIGN
from app.record.store import Result, Session, Writer, tables
from app.record.store.session import _of_judged
from instruments.errors import BadInput
from instruments.reading import SECOND, Status
from tests.app.record.recording import INFO, NOISE, POWER, START, TENTH, readings


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    return Writer.create(tmp_path / "s.bayscope", INFO)


def test_new_sources_and_channels_appear(writer: Writer) -> None:
    with Session.open(writer.path) as session:
        assert session.channels() == []
        writer.append(readings(POWER, 1))
        writer.commit()
        assert len(session.trace("mains.P")) == 1
        writer.append(readings(NOISE, 1))
        writer.commit()
        session.refresh()
        assert [source.name for source in session.sources()] == ["mains", "noise"]
        assert len(session.trace(NOISE[0])) == 1
        writer.set_session(simulated=True, verdict="PASS")
        writer.commit()
        session.refresh()
        assert session.info.simulated
        assert session.info.verdict == "PASS"
    writer.finish()


def test_extent_covers_readings_gaps_and_steps(writer: Writer) -> None:
    writer.append(readings(POWER, 2))
    writer.commit()
    with Session.open(writer.path) as session:
        assert session.extent()[0] == START + 10_000_000
        step = writer.add_step(1, "Idle", "idle", "")
        writer.update_step(step, start_ns=START - SECOND)
        writer.gap(POWER, START, START + 9 * SECOND, Status.TIMEOUT, "")
        writer.commit()
        assert session.extent() == (START - SECOND, START + 9 * SECOND)
    writer.finish()


def test_a_seal_is_not_noticed_by_readers(writer: Writer) -> None:
    with Session.open(writer.path) as session:
        seen = 0
        for place in range(0, 2300, 50):
            writer.append(readings(NOISE, 50, START + place * SECOND))
            writer.commit()
            values = session.trace("noise.LAeq").mean
            assert len(values) == place + 50
            seen += 1
        assert session.trace("noise.LAeq", None, 100).exact is False
        assert seen == 46
    writer.finish()


def test_a_seal_that_empties_the_tail_is_not_noticed_either(writer: Writer) -> None:
    writer.append(readings(NOISE, 1024))
    writer.append(readings(POWER, 10, START + 1030 * SECOND))
    writer.commit()
    with Session.open(writer.path) as session:
        assert len(session.trace("noise.LAeq")) == 1024
        writer.seal()
        assert len(session.trace("noise.LAeq")) == 1024
        assert len(session.trace("mains.P")) == 10
    writer.finish()


def test_threads_share_a_session(writer: Writer) -> None:
    stop = threading.Event()
    lengths: list[int] = []
    wrong: list[str] = []

    def read(session: Session) -> None:
        last = 0
        while not stop.is_set():
            found = session.trace("mains.P", None, 50)
            session.gaps("mains.P")
            length = len(session.trace("mains.P"))
            if length < last or (found.times[1:] < found.times[:-1]).any():
                wrong.append(f"{last} then {length}")
            last = length
        lengths.append(last)

    writer.append(readings(POWER, 10))
    writer.commit()
    with Session.open(writer.path) as session:
        threads = [threading.Thread(target=read, args=(session,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for number in range(1, 400):
            writer.append(readings(POWER, 50, START + 50 * number * TENTH))
            writer.commit()
        stop.set()
        for thread in threads:
            thread.join()
        assert len(session.trace("mains.P")) == 50 * 399 + 10 + 1
    writer.finish()
    assert wrong == []
    assert len(lengths) == 3


def _count(session: Session, factor: int) -> list[int]:
    return [factor * len(session.steps())]


def test_what_is_worked_out_once_is_so_until_more_is_stored(writer: Writer) -> None:
    writer.append(readings(POWER, 2))
    writer.add_step(1, "Idle", "idle", "")
    writer.commit()
    with Session.open(writer.path) as session:
        first = session.once(_count, 3)
        assert first == [3]
        assert session.once(_count, 3) is first
        assert session.once(_count, 4) == [4]
        session.steps().clear()  # A list of its own for each who asks.
        assert len(session.steps()) == 1
        step = writer.add_step(2, "Read", "fio", "")
        writer.result(step, Result("iops", 7.0, "1/s", START, START + SECOND, 1, 1))
        writer.commit()
        assert session.once(_count, 3) == [6]
        assert [one.value for one in session.results(step)] == [7.0]
    writer.finish()


def test_steps_that_are_not_clean_are_looked_for_when_others_are_judged(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []
    look = tables.unclean_steps

    def count(connection: sqlite3.Connection) -> frozenset[int]:
        looks.append(1)
        return look(connection)

    monkeypatch.setattr(Session, "unclean_steps", _of_judged(count))
    unclean: list[int] = []
    with Session.open(writer.path) as session:
        for share in (50.0, 0.0, 50.0):
            step = writer.add_step(1, "Read", "fio", "")
            foreign = (FOREIGN, share, "%", START, START + SECOND, 1, 1)
            writer.result(step, Result(*foreign))
            writer.commit()
            assert session.unclean_steps() == {*unclean}
            writer.update_step(step, verdict="PASS")
            unclean += [step] * bool(share)
            for _ in range(3):
                writer.append(readings(POWER, 1, START + len(looks) * SECOND))
                writer.commit()
                assert session.unclean_steps() == {*unclean}
        assert len(looks) == 4  # the first of them while none was judged
        writer.finish()
        assert session.unclean_steps() == {*unclean}


def test_an_error_names_the_file_as_it_is_called_now(writer: Writer) -> None:
    writer.finish()
    with Session.open(writer.path) as session:
        session.follow(writer.path.rename(writer.path.with_name("new.bayscope")))
        with pytest.raises(BadInput, match=r"new\.bayscope"):
            session.trace("no.P")


def test_a_finished_session_that_another_process_changes_is_read_anew(
    writer: Writer,
) -> None:
    step = writer.add_step(1, "Idle", "idle", "")
    writer.result(step, Result("iops", 7.0, "1/s", START, START + SECOND, 1, 1))
    writer.finish()
    with Session.open(writer.path) as session:
        assert [one.value for one in session.results(step)] == [7.0]
        other = sqlite3.connect(writer.path)
        with closing(other), other:
            other.execute("UPDATE result SET value = 8.0")
        assert [one.value for one in session.results(step)] == [8.0]
        assert session.results() == session.results(step)


def _power(session: Session) -> list[int]:
    return [int(time) for time in session.trace("mains.P").times]


def test_what_is_worked_out_once_is_of_the_offsets_that_are_shown(
    writer: Writer,
) -> None:
    writer.append(readings(POWER, 2))
    writer.finish()
    with Session.open(writer.path) as session:
        first = session.once(_power)
        for _ in range(2):
            with session.with_offsets(None, {"mains": 5}):
                assert session.once(_power) == [time + 5 for time in first]
            assert session.once(_power) is first


def test_what_no_offset_changes_is_worked_out_once_for_all_of_them(
    writer: Writer,
) -> None:
    step = writer.add_step(1, "Idle", "idle", "")
    writer.result(step, Result("iops", 7.0, "1/s", START, START + SECOND, 1, 1))
    writer.finish()
    with Session.open(writer.path) as session:
        [first] = session.results(step)
        for number in range(3):
            with session.with_offsets(number, {"mains": number}):
                assert session.results(step)[0] is first
                assert session.steps()[0] is session.steps()[0]
        assert session.results()[0] is first
        [row] = session.steps()
        with session.with_offsets(1):
            assert session.steps()[0] is row


def test_closing_twice_is_fine(writer: Writer) -> None:
    session = Session.open(writer.path)
    session.close()
    session.close()
    writer.finish()
    assert not list(writer.path.parent.glob("*-wal"))


def test_a_closed_session_stays_closed_when_its_recording_ends(tmp_path: Path) -> None:
    path = tmp_path / "s.bayscope"
    writer = Writer.create(path, INFO)
    session = Session.open(path)
    assert session.state == "recording"
    session.close()
    writer.finish()
    with pytest.raises(sqlite3.ProgrammingError, match="is closed"):
        session.refresh()
    links = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    assert path not in {link.readlink() for link in links if link.exists()}


_READ_ALL = """
import sys
from pathlib import Path
from app.record.store import Session

def private_mb():
    status = Path("/proc/self/status").read_text().split()
    return int(status[status.index("RssAnon:") + 1]) / 1000

def read(session):
    for name in names:
        session.artefact(name)

sessions = [Session.open(Path(sys.argv[1])) for _ in range(6)]
names = [artefact.name for artefact in sessions[0].artefacts()]
read(sessions[0])
before = private_mb()
for session in sessions[1:]:
    read(session)
print(private_mb() - before)
"""


def test_a_session_that_was_read_is_not_kept_in_memory(writer: Writer) -> None:
    for number in range(40):
        content = os.urandom(500_000)
        writer.artefact(None, f"{number}.bin", "application/octet-stream", content)
    writer.finish()
    command = [sys.executable, "-c", _READ_ALL, str(writer.path)]
    grown = float(subprocess.check_output(command))
    assert grown < 30  # MB for five of them, each of a file of 20 MB
