"""Tests of the simulated meters of other makers."""
