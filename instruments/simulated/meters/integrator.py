"""The integrator of the simulated meter: energy, charge and time."""


class Integrator:
    """Energy and the time it was integrated over."""

    def __init__(self) -> None:
        self.enabled = True
        self.running = False
        self.reset()

    def reset(self) -> None:
        """Begin again at zero."""
        self.seconds = 0.0
        self.watt_hours = 0.0
        self.ampere_hours = 0.0

    def add(self, active: float, current: float, seconds: float) -> None:
        """Take one refresh, where it runs."""
        if self.running:
            self.seconds += seconds
            self.watt_hours += active * seconds / 3600.0
            self.ampere_hours += current * seconds / 3600.0
