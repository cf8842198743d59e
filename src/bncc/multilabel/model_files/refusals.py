"""Why a model file is not read, before it is known which file that was."""

from __future__ import annotations

__all__ = ["Refused"]


class Refused(ValueError):
    """Something in a model file is not what `save_model` writes; the message says what and where."""
