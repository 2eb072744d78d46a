"""Tests of instruments.simulated."""
