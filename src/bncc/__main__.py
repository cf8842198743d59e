"""``bncc`` and ``python -m bncc``: start the command line, or say what it needs."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
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
