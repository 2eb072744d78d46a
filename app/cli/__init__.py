"""The command line: what can be clicked can be scripted."""

from app.cli.main import build_parser, run

__all__ = ["build_parser", "run"]
