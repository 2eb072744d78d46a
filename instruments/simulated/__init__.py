"""The simulated bench: physics, meter and enclosure in one process."""
