"""Power analysers."""
