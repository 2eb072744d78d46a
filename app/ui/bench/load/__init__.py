"""The load hosts of a bench."""
