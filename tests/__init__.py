"""Tests, a mirror of the tree."""
