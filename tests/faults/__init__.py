"""What goes wrong with sources, done for real: `python -m tests.faults`."""
