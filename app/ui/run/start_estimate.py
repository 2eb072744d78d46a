"""What a run will take, shown before it starts: figures, and what they rest on."""

from collections.abc import Sequence

from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.operations.run.foresee import Forecast

_NAMES = ("Duration", "Written", "Energy", "Cost")


class EstimatePanel(QWidget):
    """Four lines: name, figure, basis."""

    def __init__(self) -> None:
        super().__init__()
        self._values = {name: QLabel("...") for name in _NAMES}
        self._bases = {name: QLabel("") for name in _NAMES}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(2, 1)
        for row, name in enumerate(_NAMES):
            heading = QLabel(name)
            heading.setObjectName("muted")
            basis = self._bases[name]
            basis.setObjectName("small")
            self._values[name].setAccessibleName(name)
            grid.addWidget(heading, row, 0)
            grid.addWidget(self._values[name], row, 1)
            grid.addWidget(basis, row, 2)

    def value(self, name: str) -> str:
        """Get the figure that is shown."""
        return self._values[name].text()

    def basis(self, name: str) -> str:
        """Get what it rests on."""
        return self._bases[name].text()

    def show_nothing(self, text: str = "...") -> None:
        """Show that nothing is known yet, or why nothing will be."""
        for name in _NAMES:
            self._values[name].setText("...")
            self._bases[name].setText("")
        if text != "...":
            self._bases[_NAMES[0]].setText(text)

    def show_forecasts(self, forecasts: Sequence[Forecast]) -> None:
        """Show figures."""
        for one in forecasts:
            self._values[one.name].setText(one.value)
            # Broken by hand: the form would squeeze labels that wrap.
            basis = self._bases[one.name]
            basis.setText(one.basis.replace("; ", ";\n"))
            basis.setMinimumHeight(basis.sizeHint().height())
        # A form with texts that wrap would squeeze the whole panel, too.
        if (grid := self.layout()) is not None:
            grid.activate()
            self.setMinimumHeight(grid.minimumSize().height())
