"""All that a bench says of one source, as a form that is drawn from its driver."""

import re
from collections.abc import Mapping, Sequence
from datetime import date

from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QWidget

from app.bench.model import CALIBRATION_DAYS, SIMULATED, Bench, SourceConfig
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.option_field import OptionField
from app.ui.kit.widgets import make_form, named
from instruments.base import DUT
from instruments.driver import HOST, Driver
from instruments.errors import BadInput, one_line
from instruments.exclusion import IGNORE
from instruments.power.options import RESOURCE
from instruments.settings import Kind, Option, Value

_HOST_PORT = re.compile(r"(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*):(?P<port>\d{1,5})")
_VISA = re.compile(r"(TCPIP|USB|ASRL|GPIB|VXI|PXI|VICP|PRLGX)", re.IGNORECASE)
_HIGHEST_PORT = 65535


def as_resource(typed: str) -> str:
    """Write host:port as the VISA resource of a socket; what is one stays as it is.

    Raises:
        BadInput: It is neither.
    """
    text = typed.strip()
    if found := _HOST_PORT.fullmatch(text):
        if 0 < int(found["port"]) <= _HIGHEST_PORT:
            return f"TCPIP::{found['host']}::{found['port']}::SOCKET"
    elif text == SIMULATED or _VISA.match(text):
        return text
    raise BadInput(
        f'"{text}" is not the address of a meter',
        where="resource",
        way_out="Expected host:port, such as 192.0.2.5:5025, or a VISA resource, such "
        "as TCPIP::192.0.2.5::5025::SOCKET or USB0::...::INSTR.",
    )


NAME = Option("name", "Its name on the bench: letters, digits, - and _.")
MEASURES = Option(
    "measures",
    'What it measures: "dut" is the device under test; anything else, such as '
    '"server" or "switch", is shown separately.',
    default=DUT,
)
CALIBRATED = Option(
    "calibrated", "Day of its last calibration.", example=str(date(2026, 3, 31))
)
CALIBRATION = Option(
    "calibration_days",
    "For how many days a calibration holds.",
    Kind.INTEGER,
    CALIBRATION_DAYS,
    low=1,
    high=36500,
    unit="days",
)
BACKGROUND = Option(
    "background",
    "Label of the step in which the device is off and only the room is heard.",
    example="Room",
)
_THIS_MACHINE = "this machine"


class SourceForm(QWidget):
    """Edits name, options and calibration of a source of a given driver."""

    def __init__(
        self, bench: Bench, driver: Driver, values: Mapping[str, Value]
    ) -> None:
        super().__init__()
        self._driver = driver
        options: Sequence[Option] = (
            NAME,
            *(one for one in driver.options if one is not HOST),
            MEASURES,
            CALIBRATED,
            CALIBRATION,
            *((BACKGROUND,) if driver.section == "noise" else ()),
            IGNORE,
        )
        self.fields = {option.key: OptionField(option) for option in options}
        self.host: QComboBox | None = None
        form = make_form(vertical=2)
        form.setContentsMargins(0, 0, 8, 0)
        self.setLayout(form)
        for key, field in self.fields.items():
            if key in values:
                field.set_value(values[key])
            is_flag = field.option.kind is Kind.FLAG
            label = QLabel("" if is_flag else field.title)
            label.setBuddy(field.editor)
            label.setToolTip(field.option.help)
            form.addRow(label, field)
        if HOST in driver.options:
            self.host = _make_host_box(bench, str(values.get("host", "")))
            form.addRow("Host", self.host)

    def focus_first_gap(self) -> None:
        """Put the focus where something has to be entered, or else at the top."""
        wanted = [
            field
            for field in self.fields.values()
            if isinstance(field.editor, QLineEdit) and not field.editor.text()
        ]
        needed = [field for field in wanted if field.option.required]
        (needed or list(self.fields.values()))[0].editor.setFocus()

    @property
    def editors(self) -> list[QWidget]:
        """What takes the keyboard, in its order."""
        found = [field.editor for field in self.fields.values()]
        return [*found, self.host] if self.host is not None else found

    def values(self) -> dict[str, Value]:
        """Get all keys for bench.toml, in their order.

        Raises:
            BadInput: The first mistake; every one is shown beside its field.
        """
        values: dict[str, Value] = {"driver": self._driver.name}
        mistakes: list[BadInput] = []
        for key, field in self.fields.items():
            try:
                value = _checked(field)
            except BadInput as error:
                field.refuse(error)
                mistakes.append(error)
                continue
            if value is not None:
                values[key] = value
        if self.host is not None and self.host.currentData():
            values["host"] = self.host.currentData()
        if mistakes:
            raise mistakes[0]
        return values

    def complain(self, error: BadInput) -> bool:
        """Show an error beside the field it is about; tell whether there is one."""
        field = self.fields.get(error.place.name if error.place else error.where)
        if field is not None:
            field.refuse(error)
        return field is not None


def _make_host_box(bench: Bench, chosen: str) -> QComboBox:
    """Make the box of the hosts on which the tools of a source can run."""
    box = named(ComboBox(), "Host", HOST.help)
    box.addItem(_THIS_MACHINE, "")
    for source in bench.sources:
        if source.section == "host":
            box.addItem(one_line(source.name), source.name)
    box.setCurrentIndex(max(0, box.findData(chosen)))
    return box


def _checked(field: OptionField) -> Value | None:
    """Get what was entered, by the rules that its option does not know."""
    value, key = field.value(), field.option.key
    if value is None:
        return None
    if key == CALIBRATED.key:
        _check_day(str(value))
    if key == RESOURCE.key:
        value = as_resource(str(value))
        field.set_value(value)
    return value


_NAMES = {"power": "mains", "thermal": "enclosure", "noise": "noise", "host": "host"}


def suggest_name(bench: Bench, driver: Driver) -> str:
    """Make a name for another source that no source or switch of the bench has."""
    taken = {source.name for source in bench.sources} | {
        switch.name for switch in bench.switches
    }
    first = _NAMES.get(driver.section, driver.section)
    if driver.section == "thermal" and driver.name not in ("ses", "simulated"):
        first = driver.name
    numbered = (f"{first}{number}" for number in range(2, len(taken) + 3))
    return next(name for name in (first, *numbered) if name not in taken)


def form_values(config: SourceConfig) -> dict[str, Value]:
    """Get what a form shows of a source that is on a bench already."""
    values: dict[str, Value] = {"name": config.name, "measures": config.measures}
    if config.calibrated is not None:
        values["calibrated"] = str(config.calibrated)
    if config.calibration_days != CALIBRATION_DAYS:
        values[CALIBRATION.key] = config.calibration_days
    if config.host:
        values["host"] = config.host
    if config.background:
        values["background"] = config.background
    if config.ignore:
        values["ignore"] = config.ignore
    return {**values, **config.keys}


def _check_day(text: str) -> None:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise BadInput(
            f'calibrated is "{text}"',
            where=CALIBRATED.key,
            way_out="Expected a day such as 2026-03-31.",
        ) from None
