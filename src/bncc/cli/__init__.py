"""The command line: one file per command or group of commands."""

from bncc.cli.app import app

__all__ = ["app"]
