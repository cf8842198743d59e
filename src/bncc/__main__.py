"""``bncc`` and ``python -m bncc``: start the command line, or say what it needs."""

from __future__ import annotations

import sys

_INTERRUPTED = 130


def main() -> None:
    """Run the command line."""
    try:
        _run()
    except KeyboardInterrupt:  # while modules are imported; commands see to their own
        sys.exit(_INTERRUPTED)


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
