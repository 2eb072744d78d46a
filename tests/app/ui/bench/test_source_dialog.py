"""Adding and changing a source: form, try, mistakes beside their fields."""
# mypy: disallow-untyped-calls=False

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.bench.drivers import drivers
from app.bench.edit import remove_source
from app.bench.file import default_bench
from app.bench.model import Bench
from app.ui.bench.source_dialog import SourceDialog
from app.ui.bench.source_form import SourceForm, form_values, suggest_name
from app.ui.kit.context import Context
from instruments.driver import Driver
from instruments.errors import BadInput, Place

Make = Callable[..., SourceDialog]


def driver(section: str, name: str) -> Driver:
    return next(
        one for one in drivers().values() if (one.section, one.name) == (section, name)
    )


@pytest.fixture
def make(qtbot: QtBot, context: Context) -> Make:
    def build(bench: Bench, **more: object) -> SourceDialog:
        found = SourceDialog(bench, context, **more)  # type: ignore[arg-type]
        qtbot.addWidget(found)
        found.show()
        return found

    return build


def type_into(dialog: SourceDialog, key: str, text: str) -> None:
    editor = dialog.form.fields[key].editor
    assert isinstance(editor, QLineEdit)
    editor.setText(text)


def test_it_begins_with_what_the_bench_lacks(make: Make) -> None:
    bench = default_bench()
    assert make(bench).kind.driver.section == "host"
    assert make(remove_source(bench, "mains")).kind.driver.section == "power"


def test_a_typed_in_meter_is_added(make: Make) -> None:
    dialog = make(default_bench(), driver=driver("power", "hmc8015"))
    assert dialog.form.fields["name"].value() == "mains2"
    dialog.accept()
    assert not dialog.result()
    assert dialog.form.fields["resource"].mistake.isVisible()
    type_into(dialog, "resource", "TCPIP::192.0.2.5::5025::SOCKET")
    dialog.accept()
    assert dialog.bench is not None
    assert dialog.name == "mains2"
    assert dialog.check is None
    assert "voltage_range" not in dialog.bench.text.split("mains2")[1].split("[[")[0]


def test_every_mistake_is_said_at_once(make: Make) -> None:
    dialog = make(default_bench(), driver=driver("power", "hmc8015"))
    type_into(dialog, "resource", "TCPIP::192.0.2.5::5025::SOCKET")
    type_into(dialog, "period", "fast")
    type_into(dialog, "calibrated", "last year")
    # The style sheet reaches the fields after the first layout of the window.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
    places = [one.pos() for one in dialog.form.fields.values()]
    dialog.accept()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
    assert [one.pos() for one in dialog.form.fields.values()] == places
    assert dialog.bench is None
    said = {k: f.mistake.text() for k, f in dialog.form.fields.items()}
    assert "number" in said["period"]
    assert "2026-03-31" in said["calibrated"]


def test_a_name_that_is_taken_is_refused_beside_the_field(make: Make) -> None:
    dialog = make(default_bench(), driver=driver("thermal", "hwmon"))
    type_into(dialog, "name", "mains")
    dialog.accept()
    assert dialog.bench is None
    said = dialog.form.fields["name"].mistake.text() + dialog.error.text()
    assert "used twice" in said


def test_a_try_tells_what_it_answers(make: Make, qtbot: QtBot) -> None:
    bench = default_bench()
    dialog = make(bench, config=bench.sources[0])
    dialog.try_button.click()
    assert not dialog.try_button.isEnabled()
    qtbot.waitUntil(dialog.try_button.isEnabled)
    said = dialog.answer.toPlainText()
    assert "HMC8015" in said
    assert "Raw reply" in said
    dialog.accept()
    assert dialog.check is not None
    assert dialog.check.ok


def test_an_answer_goes_with_the_address_that_it_was_of(
    make: Make, qtbot: QtBot
) -> None:
    dialog = make(default_bench(), driver=driver("power", "hmc8015"))
    type_into(dialog, "resource", "TCPIP::127.0.0.1::9::SOCKET")
    dialog.try_button.click()
    qtbot.waitUntil(dialog.try_button.isEnabled)
    assert "127.0.0.1" in dialog.answer.toPlainText()
    qtbot.keyClicks(dialog.form.fields["resource"].editor, "x")
    assert dialog.answer.toPlainText() == ""
    dialog.accept()
    assert dialog.check is None


def test_a_driver_with_a_secret_offers_a_password(make: Make) -> None:
    dialog = make(default_bench(), driver=driver("thermal", "ipmi"))
    assert dialog.password_button.isVisible()
    other = make(default_bench(), driver=driver("thermal", "hwmon"))
    assert not other.password_button.isVisible()


def test_another_kind_draws_another_form(make: Make) -> None:
    dialog = make(default_bench(), driver=driver("thermal", "ses"))
    before = dialog.form
    row = dialog.kind.findText("Noise: Simulated sound meter")
    dialog.kind.setCurrentIndex(row)
    assert dialog.form is not before
    assert dialog.kind.driver.section == "noise"
    assert dialog.form.fields["name"].value() == "noise2"


def test_a_form_offers_the_hosts_of_the_bench(qtbot: QtBot) -> None:
    bench = default_bench()
    form = SourceForm(bench, driver("thermal", "ses"), {"name": "shelf"})
    qtbot.addWidget(form)
    assert form.host is not None
    assert [form.host.itemText(n) for n in range(form.host.count())] == ["this machine"]
    assert form.values() == {"driver": "ses", "name": "shelf"}
    other = BadInput("it is wrong", where=Place("bench.toml", 3, "thermal#1.no_device"))
    assert not form.complain(other)
    wrong = BadInput("it is wrong", where=Place("bench.toml", 3, "thermal#1.device"))
    assert form.complain(wrong)
    assert not form.complain(BadInput("it is wrong", where="elsewhere"))


def test_a_form_shows_what_the_bench_says(qtbot: QtBot) -> None:
    bench = default_bench()
    config = bench.sources[0]
    form = SourceForm(bench, config.driver, form_values(config))
    qtbot.addWidget(form)
    assert form.values()["resource"] == "simulated"


def test_names_are_suggested_that_nobody_has() -> None:
    bench = default_bench()
    assert suggest_name(bench, driver("power", "hmc8015")) == "mains2"
    assert suggest_name(bench, driver("thermal", "ses")) == "enclosure2"
    assert suggest_name(bench, driver("thermal", "smart")) == "smart"
    assert suggest_name(bench, driver("host", "local")) == "host"


def test_a_background_that_the_bench_names_is_kept(qtbot: QtBot) -> None:
    bench = default_bench()
    config = replace(bench.sources[2], background="Room")
    assert config.section == "noise"
    form = SourceForm(bench, config.driver, form_values(config))
    qtbot.addWidget(form)
    assert form.values()["background"] == "Room"


def test_host_and_port_become_the_address_of_a_socket(make: Make) -> None:
    dialog = make(default_bench(), driver=driver("power", "hmc8015"))
    for wrong in ("127.0.0.1", "meter", "127.0.0.1:99999", "http://meter:80"):
        type_into(dialog, "resource", wrong)
        dialog.accept()
        assert dialog.bench is None
        mistake = dialog.form.fields["resource"].mistake
        assert mistake.isVisible()
        assert "host:port" in mistake.text()
    type_into(dialog, "resource", "127.0.0.1:15575")
    dialog.accept()
    assert dialog.bench is not None
    assert 'resource = "TCPIP::127.0.0.1::15575::SOCKET"' in dialog.bench.text


def test_tab_goes_through_the_form_of_another_kind(make: Make, qtbot: QtBot) -> None:
    dialog = make(default_bench())
    kinds = [dialog.kind.itemData(row).name for row in range(dialog.kind.count())]
    dialog.kind.setCurrentIndex(kinds.index("hmc8015"))
    dialog.kind.setFocus()
    seen = []
    for _ in range(3):
        qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
        seen.append(dialog.focusWidget())
    assert seen == dialog.form.editors[:3]
