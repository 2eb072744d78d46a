"""What an imported session is called, and what was measured."""

from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QLineEdit


class ImportNames(QFormLayout):
    """Two fields beside each other; both may be left empty.

    Attributes:
        name: Of the session.
        dut: The device under test.
    """

    def __init__(self) -> None:
        super().__init__()
        self.name = QLineEdit()
        self.name.setPlaceholderText("that of the first file")
        self.name.setAccessibleName("Name of the session")
        self.dut = QLineEdit()
        self.dut.setPlaceholderText("what was measured")
        self.dut.setAccessibleName("Device under test")
        device = QLabel("D&evice")
        device.setBuddy(self.dut)
        row = QHBoxLayout()
        row.setSpacing(14)
        row.addWidget(self.name, 1)
        row.addWidget(device)
        row.addWidget(self.dut, 1)
        label = QLabel("&Session")
        label.setBuddy(self.name)
        self.setHorizontalSpacing(14)
        self.addRow(label, row)
