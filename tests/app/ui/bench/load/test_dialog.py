"""The form of [load]: hosts, targets, a try on real SSH servers, mistakes in place."""
# mypy: disallow-untyped-calls=False

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from app.bench.file import parse_bench
from app.bench.load import LoadHosts
from app.bench.model import Bench
from app.operations.bench.load_try import HostTry, try_host
from app.ui.bench.load import dialog as load_dialog
from app.ui.bench.load import hosts as load_hosts
from app.ui.bench.load.dialog import LoadDialog
from app.ui.bench.load.rows import read_targets
from app.ui.bench.target.disks import LoadDisksDialog
from app.ui.kit.background import Background
from app.ui.kit.context import Context
from app.ui.kit.icons import Icons
from tests.sshd import Sshd, sshd
from tests.workloads.guard.loops import loop

Make = Callable[[Bench], LoadDialog]

HEAD = """# Kept as it stands.
name = "Two hosts"
[dut]
name = "JBOD"
target = "/scratch/bayscope.bin"
size = "64m"
"""
PLAIN = HEAD + '[[host]]\nname = "a"\ndriver = "ssh"\naddress = "a.lab"\n'


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Sshd]:
    (tmp_path / "sshd").mkdir()
    with sshd(tmp_path / "sshd") as found:
        yield found


@pytest.fixture
def make(qtbot: QtBot, context: Context) -> Make:
    def build(bench: Bench) -> LoadDialog:
        found = LoadDialog(bench, context)
        qtbot.addWidget(found)
        found.show()
        return found

    return build


def kind_of_key(server: Sshd) -> str:
    algorithm = server.known_hosts.read_text().split()[1]
    return algorithm.removeprefix("ssh-").split("-")[0]


def on(server: Sshd, known_hosts: Path, target: str) -> Bench:
    text = f"""[load]
hosts = ["load1"]
targets = ["{target}"]
[[host]]
name = "load1"
driver = "ssh"
address = "{server.address}"
port = {server.port}
user = "{server.user}"
key = "{server.key}"
known_hosts = "{known_hosts}"
"""
    return parse_bench(HEAD + text, "bench.toml")


def test_hosts_are_added_aimed_and_removed(make: Make) -> None:
    text = PLAIN + '[[host]]\nname = "b"\ndriver = "ssh"\naddress = "b.lab"\n'
    dialog = make(parse_bench(text, "bench.toml"))
    assert "Loads run on this machine" in dialog.answer.toPlainText()
    assert not dialog.targets.isEnabled()
    assert dialog.hosts.others == ["a", "b"]
    dialog.hosts.add("a")
    dialog.targets.text.setPlainText("/dev/sda\n/dev/sdb\n\n/dev/sda")
    dialog.hosts.add("b")
    assert dialog.targets.targets == ()
    dialog.accept()
    assert not dialog.result()
    assert "it has none" in dialog.targets.mistake.text()
    dialog.targets.text.setPlainText("/dev/sdc\n/scratch/x")
    dialog.accept()
    assert "files and disks stand side by side" in dialog.targets.mistake.text().lower()
    dialog.targets.text.setPlainText("/dev/sdc")
    dialog.accept()
    assert dialog.bench is not None
    assert dialog.bench.load is not None
    assert dialog.bench.load.targets == (("/dev/sda", "/dev/sdb"), ("/dev/sdc",))
    assert "# Kept as it stands." in dialog.bench.text
    check_again(make, dialog.bench)


def check_again(make: Make, bench: Bench) -> None:
    again = make(bench)
    assert [row.targets_text for row in again.hosts.rows] == [
        "2: /dev/sda ... /dev/sdb",
        "/dev/sdc",
    ]
    again.remove()
    again.remove()
    again.accept()
    assert again.bench is not None
    assert again.bench.load is None
    assert "[load]" not in again.bench.text


def test_mistakes_stand_where_they_are(make: Make) -> None:
    dialog = make(parse_bench(PLAIN, "bench.toml"))
    dialog.hosts.add("a")
    dialog.ways.start.setChecked(False)
    dialog.ways.port.setText("70000")
    dialog.show()
    place = dialog.table.geometry()
    dialog.accept()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
    assert '"70000" is not a port' in dialog.ways.mistake.text()
    assert dialog.table.geometry() == place
    dialog.ways.port.setText("8800")
    dialog.accept()
    assert dialog.bench is not None
    assert dialog.bench.load is not None
    assert (dialog.bench.load.start, dialog.bench.load.port) == (False, 8800)
    again = make(dialog.bench)
    assert again.ways.port.text() == "8800"
    again.ways.way.setCurrentIndex(1)
    again.accept()
    assert again.bench is not None
    assert again.bench.load is not None
    assert (again.bench.load.way, again.bench.load.start) == ("ssh", True)


def test_a_key_is_trusted_only_by_a_person_and_then_it_answers(
    make: Make,
    qtbot: QtBot,
    server: Sshd,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = tmp_path / "known_hosts"
    known.touch()
    dialog = make(on(server, known, str(tmp_path / "scratch.bin")))
    asked: list[str] = []

    def answer(yes: bool) -> None:
        def ask(_icons: Icons, _title: str, text: str, **_: object) -> bool:
            asked.append(text)
            return yes

        monkeypatch.setattr(load_dialog, "ask", ask)

    dialog.try_all()
    assert dialog.hosts.rows[0].state == "asking"
    qtbot.waitUntil(lambda: dialog.hosts.rows[0].state == "key")
    assert dialog.buttons["trust"].isEnabled()
    assert "SHA256:" in dialog.answer.toPlainText()
    answer(yes=False)
    dialog.trust()
    assert known.read_text() == ""
    answer(yes=True)
    dialog.trust()
    assert known.read_text() == server.known_hosts.read_text()
    qtbot.waitUntil(lambda: dialog.hosts.rows[0].state == "ok")
    told = dialog.answer.toPlainText()
    assert "It answers, with fio-3." in told
    assert "Its clock is" in told
    assert "It has " in told
    assert asked
    for text in asked:
        assert "SHA256:" in text
        assert text.count("is not known") == 1
        assert f"/etc/ssh/ssh_host_{kind_of_key(server)}_key.pub" in text
    server.tool("fio", "echo fio-3.1")
    dialog.try_one()
    qtbot.waitUntil(lambda: dialog.hosts.rows[0].state == "warns")
    assert "fio's client and its servers must be" in dialog.answer.toPlainText()
    server.change_host_key()
    dialog.try_one()
    qtbot.waitUntil(lambda: dialog.hosts.rows[0].state == "lost")
    assert not dialog.buttons["trust"].isEnabled()


def test_an_answer_to_an_older_question_is_dropped(
    make: Make, qtbot: QtBot, server: Sshd, tmp_path: Path
) -> None:
    known = tmp_path / "known_hosts"
    known.touch()
    dialog = make(on(server, known, str(tmp_path / "scratch.bin")))
    come: list[HostTry] = []
    takes = threading.Event()

    def slow(bench: Bench, load: LoadHosts, name: str) -> HostTry:
        takes.wait(60)
        come.append(found := try_host(bench, load, name))
        return found

    changes: list[Callable[[], object]] = [
        lambda: dialog.targets.text.setPlainText("/dev/sdz"),
        lambda: dialog.hosts.take_bench(dialog.hosts.bench),
        lambda: dialog.ways.way.setCurrentIndex(1),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load_hosts, "try_host", slow)
        for change in changes:
            dialog.try_all()
            assert dialog.hosts.rows[0].state == "asking"
            change()
            assert dialog.hosts.rows[0].state == "untried"
        takes.set()
        qtbot.waitUntil(lambda: len(come) == len(changes), timeout=60_000)
    dialog.try_one()
    qtbot.waitUntil(lambda: dialog.hosts.rows[0].state == "key", timeout=60_000)
    assert all(one.key is not None for one in come)
    assert not any(dialog.hosts.rows[0].tried is one for one in come)


def test_a_question_that_fails_leaves_the_host_untried(
    context: Context, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> HostTry:
        raise RuntimeError("broken")

    monkeypatch.setattr(load_hosts, "try_host", fail)
    background = Background()  # whose failures do not fail the test
    unwatched = replace(context, background=background)
    dialog = LoadDialog(parse_bench(PLAIN, "bench.toml"), unwatched)
    qtbot.addWidget(dialog)
    dialog.hosts.add("a")
    with qtbot.waitSignal(background.failed, timeout=60_000):
        dialog.try_all()
    assert background.close(120)
    assert dialog.hosts.rows[0].state == "untried"


def test_a_mistake_stands_at_the_host_that_has_it(make: Make) -> None:
    """The name of one host ends as that of another does."""
    text = PLAIN + '[[host]]\nname = "ba"\ndriver = "ssh"\naddress = "b.lab"\n'
    dialog = make(parse_bench(text, "bench.toml"))
    dialog.hosts.add("a")
    dialog.targets.text.setPlainText("/dev/sda")
    dialog.hosts.add("ba")
    dialog.targets.text.setPlainText("/dev/sdb\n/scratch/x")
    dialog.table.choose_row(0)
    dialog.accept()
    assert dialog.chosen is not None
    assert dialog.chosen.name == "ba"
    assert "side by side" in dialog.targets.mistake.text()


def test_disks_of_the_host_are_chosen_with_their_reasons(
    context: Context, qtbot: QtBot, server: Sshd, tmp_path: Path
) -> None:
    with loop(tmp_path / "blank.img") as path:
        bench = on(server, server.known_hosts, "/x")
        dialog = LoadDisksDialog(bench, context, host="load1")
        qtbot.addWidget(dialog)
        dialog.show()
        qtbot.waitUntil(dialog.disks.again.isEnabled)
        assert not dialog.take.isEnabled()
        names = [record.disk.path for record in dialog.disks.model.records]
        dialog.disks.table.choose_row(names.index(path))
        assert dialog.take.isEnabled()
        assert dialog.paths == (path,)
        assert dialog.disks.choices[0].is_safe
        dialog.accept()
        assert dialog.result()


def test_targets_are_read_one_a_line() -> None:
    assert read_targets(" /dev/sda \n\n/dev/sdb\n/dev/sda\n") == (
        "/dev/sda",
        "/dev/sdb",
    )
