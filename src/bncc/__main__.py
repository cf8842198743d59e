"""``bncc`` and ``python -m bncc``: start the command line, or say what it needs."""

from __future__ import annotations

import sys

from bncc._interrupt import INTERRUPTED, STOPPED, stop_at_once


def main() -> None:
    """Run the command line."""
    stop_at_once()
    try:
        _run()
    except KeyboardInterrupt:  # commands see to their own; this is someone who is in a hurry
        print(STOPPED, file=sys.stderr)
        sys.exit(INTERRUPTED)
    finally:
        stop_at_once()


def _run() -> None:
    try:
        from bncc.cli import app
    except ModuleNotFoundError as error:
        if error.name not in {"typer", "rich"}:
            raise
        sys.exit(f"The command line needs the package '{error.name}'. Install it with: pip install 'bncc[cli]'")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a console that lacks a character shows a question mark
    app()


if __name__ == "__main__":
    main()
