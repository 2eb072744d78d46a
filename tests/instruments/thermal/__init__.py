"""Tests of instruments.thermal."""
