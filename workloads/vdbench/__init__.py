"""VDBench."""
