"""What Ctrl-C does to a command: while modules are loaded it stops at once, and once the work begins it raises.

`KeyboardInterrupt` is right for work, which has files to take back. In the middle of an import it is not: Python drops
what is raised in callbacks of the import system, and compiled modules turn it into errors of their own. There is
nothing to take back then, so that the process may just end.

Ctrl-C is in nobody's hands until this module is loaded, so it loads little itself.
"""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False  # without loading `typing`
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

__all__ = ["INTERRUPTED", "STOPPED", "stop_at_once", "stop_with_care"]

INTERRUPTED = 130
STOPPED = "Stopped. No file was left half written."


def stop_at_once() -> None:
    """From now on Ctrl-C ends the process; where it is ignored or handled otherwise, that stays."""
    _replace(signal.default_int_handler, _stop)


def stop_with_care() -> None:
    """From now on Ctrl-C raises `KeyboardInterrupt` again: for commands to call when they have loaded all they need."""
    _replace(_stop, signal.default_int_handler)


def _replace(old: Callable[[int, FrameType | None], None], new: Callable[[int, FrameType | None], None]) -> None:
    if signal.getsignal(signal.SIGINT) is old:
        signal.signal(signal.SIGINT, new)


def _stop(number: int, frame: FrameType | None) -> None:
    try:
        os.write(2, f"{STOPPED}\n".encode())
    finally:
        os._exit(INTERRUPTED)
