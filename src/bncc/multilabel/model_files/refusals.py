"""Why a model file is not read, before it is known which file that was."""

from __future__ import annotations

__all__ = ["Refused", "check_place"]


class Refused(ValueError):
    """Something in a model file is not what `save_model` writes; the message says what and where."""


def check_place(what: str, field: str, only: str) -> None:
    """Refuse what is taken for more than it seems outside of its one field.

    What a mask hides is seen by compiled code, and not by what looks for the smallest and the largest. The names of a
    collection are attributes: NumPy asks for some by which an object is memory at any place.
    """
    if field != only:
        raise Refused(f"a {what} outside of `{only}`")
