"""The bench: bench.toml to sources and loads."""
