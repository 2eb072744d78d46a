"""What a bench measures: its name, the device under test, and the target of loads."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QCompleter, QDialog, QLabel, QLineEdit, QWidget

from app.bench.edit import new_bench, put_dut
from app.bench.model import SMALLEST_SIZE, Bench
from app.operations.bench.aim import Aim
from app.operations.bench.arming_disks import read_paths
from app.ui.bench.target.picker import pick_target
from app.ui.kit.context import Context
from app.ui.kit.entries import read_size
from app.ui.kit.option_field import OptionField
from app.ui.kit.sentences import ReservedLine, SentenceLabel
from app.ui.kit.widgets import (
    DIALOG_MARGINS,
    DialogButtons,
    column,
    make_button,
    make_form,
    row,
)
from instruments.errors import BadInput
from instruments.files.foreign_text import parsed_toml
from instruments.settings import Kind, Option, Value
from instruments.sizes import format_size
from instruments.thermal.layout import names, parse_layout
from workloads.guard.device import is_device

FIELDS = (
    ("&Bench", Option("bench", "The name of this bench.", required=True)),
    (
        "&Device under test",
        Option(
            "name",
            "What the report calls it.",
            required=True,
            example="JBOD 60-bay",
        ),
    ),
    (
        "&Target",
        Option(
            "target",
            "What loads read and write: a file that Bayscope makes, or a disk; several "
            "separated by commas.",
            required=True,
            example="/mnt/dut/scratch.dat",
        ),
    ),
    (
        "S&ize",
        Option("size", "Bytes of the target that loads use; empty: all of a disk."),
    ),
    ("&Model", Option("model", "The vendor's name for it.")),
    (
        "D&rives",
        Option("drives", "How many drives it has.", Kind.INTEGER, low=0, high=9999),
    ),
    (
        "Bay &layout",
        Option(
            "layout",
            f"How its slots are arranged, seen from where you stand: "
            f"{', '.join(names())}, rows x columns, or the path of a .toml file.",
            example="4x15",
        ),
    ),
    (
        "Ca&pacity",
        Option(
            "capacity_tb",
            "Raw capacity of all its drives, in TB of 10^12 bytes, for W/TB.",
            Kind.NUMBER,
            low=0.0,
            unit="TB",
        ),
    ),
    (
        "N&et capacity",
        Option(
            "net_capacity_tb",
            "Capacity without parity, copies and spares, for W/TB net.",
            Kind.NUMBER,
            low=0.0,
            unit="TB",
        ),
    ),
    (
        "&Usable capacity",
        Option(
            "usable_capacity_tb",
            "The part of the net capacity that may be filled, for W/TB usable.",
            Kind.NUMBER,
            low=0.0,
            unit="TB",
        ),
    ),
    (
        "Enclo&sure alone",
        Option(
            "enclosure_w",
            "Mean power of the enclosure without its drives, for W/drive and shares.",
            Kind.NUMBER,
            low=0.0,
            unit="W",
        ),
    ),
    (
        "Purch&ase price",
        Option(
            "price",
            "Purchase price of the device, for the price per TB and per IOPS.",
            Kind.NUMBER,
            low=0.0,
        ),
    ),
    (
        "Pri&ce per kWh",
        Option(
            "price_per_kwh",
            "Electricity price per kWh, for the cost per year.",
            Kind.NUMBER,
            low=0.0,
        ),
    ),
    (
        "Curre&ncy",
        Option("currency", "The currency of prices.", default="EUR"),
    ),
    (
        "C&O2 per kWh",
        Option(
            "co2_g_per_kwh",
            "CO2 emitted per kWh, for the CO2 per year.",
            Kind.NUMBER,
            low=0.0,
            unit="g",
        ),
    ),
)
COST = ("price_per_kwh", "currency", "co2_g_per_kwh")
"""Fields that stand in [cost], not in [dut]."""
NEW = {
    "bench": "New bench",
    "target": "~/Bayscope/scratch.dat",
    "size": format_size(2**30),
}
"""What the dialog of a new bench shows."""


def is_disk(keys: dict[str, Value]) -> bool:
    """Tell whether the first target is a disk; raises BadInput."""
    return is_device(read_paths(str(keys["target"]))[0])


def targets_of(keys: dict[str, Value]) -> Value:
    """Get the targets as they are spelled: one, or several."""
    names = [part.strip() for part in str(keys["target"]).split(",") if part.strip()]
    return names[0] if len(names) == 1 else tuple(names)


_CHECKS: dict[str, Callable[[str], object]] = {
    "target": read_paths,
    "size": read_size,
    "layout": parse_layout,
}
"""What raises BadInput for a text that its field cannot have."""
_WIDTH = 560


class DutDialog(QDialog):
    """Asks for them; a mistake stands below its field.

    Args:
        bench: The bench to change; None to make a new one.

    Attributes:
        bench: The bench as it was described, once the dialog was accepted.
    """

    def __init__(
        self,
        bench: Bench | None,
        context: Context,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._bench = bench
        self._context = context
        self.bench: Bench | None = None
        self.setWindowTitle("Device under test" if bench else "New bench")
        self.fields = {
            option.key: OptionField(option, name := title.replace("&", ""), name)
            for title, option in FIELDS
        }
        self.error = SentenceLabel("mistake")
        self._build()
        # What has no field here, such as `ambient`, stays as it is.
        self._others: dict[str, Value] = {}
        for key, value in self._values().items():
            if key in self.fields:
                self.fields[key].set_value(value)
            else:
                self._others[key] = value
        if isinstance(size := self.fields["size"].editor, QLineEdit):
            size.setPlaceholderText("such as 64g; empty: all of a disk")
        self.fields["name"].editor.setFocus()
        if isinstance(layout := self.fields["layout"].editor, QLineEdit):
            layout.setCompleter(QCompleter(names(), self))

    def _build(self) -> None:
        form = make_form(vertical=0)
        for title, option in FIELDS:
            editor = self.fields[option.key].editor
            label = QLabel(title)
            label.setBuddy(editor)
            # Beside the editor, not in the middle of it and a mistake below.
            label.setFixedHeight(editor.sizeHint().height())
            form.addRow(label, self._beside(option.key))
        self.buttons = DialogButtons(self, "OK" if self._bench else "Create")
        column(
            form,
            ReservedLine(self.error),
            self.buttons,
            of=self,
            margins=DIALOG_MARGINS,
            spacing=4,
        )
        self.setMinimumWidth(_WIDTH)

    def _beside(self, key: str) -> QWidget:
        if key != "target":
            return self.fields[key]
        choose = make_button(
            "C&hoose...",
            "A scratch file, or a disk from the list (Alt+H)",
            self._aim,
            icon=self._context.icons.get("hard-drive"),
            name="Choose target",
        )
        both = QWidget()
        field = self.fields[key]
        line = row(field, choose, of=both, grows=field, spacing=6)
        line.setAlignment(choose, Qt.AlignmentFlag.AlignTop)
        return both

    def _values(self) -> dict[str, Value]:
        """Get what is shown: the bench's own spelling of paths and sizes."""
        if self._bench is None:
            return dict(NEW)
        document = parsed_toml(self._bench.text, "")
        dut, cost = document["dut"], document.get("cost", {})
        size = self._bench.dut.size
        shown = format_size(size) if size else ""
        target = dut.get("target", "")
        dut["target"] = ", ".join(target) if isinstance(target, list) else target
        prices = {key: cost[key] for key in COST if key in cost}
        return {**dut, **prices, "bench": self._bench.name, "size": shown}

    @Slot()
    def _aim(self) -> None:
        aim = self._entered_aim()
        chosen = pick_target(self._bench, self._context, self, aim=aim)
        if chosen is not None:
            self.fields["target"].set_value(chosen.text)
            self.fields["size"].set_value(chosen.size_text)

    def _entered_aim(self) -> Aim | None:
        """Get the target that is entered, as far as it can be read."""
        try:
            paths = read_paths(str(self.fields["target"].value()))
            size = self.fields["size"].value()
            return Aim(paths, read_size(str(size)) if size else 0)
        except BadInput:
            return None

    def accept(self) -> None:
        """Take what was entered, if there is no mistake."""
        keys = self._read()
        if keys is None:
            return
        name = str(keys.pop("bench"))
        cost = {key: keys.pop(key, None) for key in COST}
        try:
            base = self._bench or new_bench(
                name,
                str(keys["name"]),
                read_paths(str(keys["target"]))[0],
                SMALLEST_SIZE,
            )
            dut = {**keys, **self._others, "target": targets_of(keys)}
            self.bench = put_dut(base, name, dut, cost)
        except BadInput as error:
            self.error.say(str(error))
            return
        super().accept()

    def _read(self) -> dict[str, Value] | None:
        """Read every field; each mistake is said beside its own."""
        values: dict[str, Value] = {}
        wrong: list[str] = []
        self.error.say("")
        for key, field in self.fields.items():
            try:
                value = field.value()
                if value is not None and key in _CHECKS:
                    _CHECKS[key](str(value))
            except BadInput as error:
                field.refuse(error)
                wrong.append(key)
                continue
            if value is not None:
                values[key] = value
        if not wrong and "size" not in values and not is_disk(values):
            self.fields["size"].complain("A scratch file needs a size, such as 64g.")
            wrong.append("size")
        if not wrong:
            return values
        self.fields[wrong[0]].editor.setFocus()
        self._make_room()
        return None

    def _make_room(self) -> None:
        """Grow where a mistake of several lines has more than the room kept for it."""
        if (layout := self.layout()) is not None:
            least = layout.totalHeightForWidth(self.width())
            self.resize(self.width(), max(self.height(), least))
