"""Tests of instruments."""
