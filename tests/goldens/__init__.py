"""What the program does, written down from outside: `python -m tests.goldens`."""
