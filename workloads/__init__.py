"""Loads that Bayscope runs on a host, fio first."""
