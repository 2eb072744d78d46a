"""The Bench page: the device under test, sources and switches."""
