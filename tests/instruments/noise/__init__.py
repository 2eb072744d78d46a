"""Tests of instruments.noise."""
