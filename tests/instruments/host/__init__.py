"""Tests of instruments.host."""
