"""The kinds of sources that there are drivers for, in a box."""

from PySide6.QtWidgets import QComboBox

from app.bench.drivers import drivers
from app.bench.model import Bench, SourceConfig
from instruments.driver import Driver

SECTIONS = {
    "power": "Power analyser",
    "thermal": "Temperatures, fans, supplies",
    "noise": "Noise",
    "host": "Host",
}
"""What a section of bench.toml is called, in the order of the box."""

_ORDER = tuple(SECTIONS)


class KindBox(QComboBox):
    """Offers every driver; for a source that is changed, those of its section.

    Args:
        bench: The bench; what it lacks most is chosen.
        config: The source that is changed, None for a new one.
        driver: The driver to begin with instead.
    """

    def __init__(
        self, bench: Bench, config: SourceConfig | None, driver: Driver | None
    ) -> None:
        super().__init__()
        self.setAccessibleName("Kind of source")
        every = sorted(drivers().values(), key=lambda one: _ORDER.index(one.section))
        offered = [
            one for one in every if config is None or one.section == config.section
        ]
        for one in offered:
            self.addItem(f"{SECTIONS[one.section]}: {one.title}", one)
        known = {source.section for source in bench.sources}
        lacking = next((one for one in every if one.section not in known), None)
        first = config.driver if config else driver or lacking
        if first is not None:
            keys = [(one.section, one.name) for one in offered]
            wanted = (first.section, first.name)
            self.setCurrentIndex(keys.index(wanted) if wanted in keys else 0)

    @property
    def driver(self) -> Driver:
        """The driver chosen."""
        found: Driver = self.currentData()
        return found
