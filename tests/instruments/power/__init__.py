"""Tests of instruments.power."""
