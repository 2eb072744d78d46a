"""The privileged helper: the program that runs as root, and those who ask it."""
