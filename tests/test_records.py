from dataclasses import dataclass
from typing import Any, Literal

import pytest

from bncc._records import revive


@dataclass(frozen=True)
class Point:
    x: float
    name: str | None = None
    pairs: tuple[tuple[int, int], ...] = ()
    mode: Literal["new", "old"] = "new"
    option: str | int | bool | tuple[str, ...] = ""
    extra: Any = None


def test_values_come_back_by_annotation():
    assert revive(Point, {"x": 1, "pairs": [[1, 2]]}, "p") == Point(1.0, None, ((1, 2),))
    assert revive(tuple[float, ...], [1, 2.5], "t") == (1.0, 2.5)
    assert revive(Point | None, None, "p") is None
    assert revive(Point, {"x": 1, "mode": "old", "extra": [1, {"a": None}]}, "p") == Point(
        1.0, mode="old", extra=[1, {"a": None}]
    )


@pytest.mark.parametrize(("value", "read"), [("a", "a"), (1, 1), (True, True), (["a", "b"], ("a", "b"))])
def test_a_union_reads_a_value_as_its_own_type(value, read):
    option = revive(Point, {"x": 1, "option": value}, "p").option
    assert option == read
    assert type(option) is type(read)


def test_names_that_are_no_text_come_back():
    assert revive(Point, {"x": 1, "name": "caf\udce9"}, "p").name == "caf\udce9"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"x": True}, "`p.x` must be float; got bool"),
        ({"x": "1"}, "`p.x` must be float; got str"),
        ({}, r"lacks \['x'\]"),
        ({"x": 1, "pairs": [[1, 2, 3]]}, r"`p.pairs\[0\]` must have 2 entries; got 3"),
        ({"x": 1, "pairs": 3}, "`p.pairs` must be tuple; got int"),
        ({"x": 1, "mode": "odd"}, "`p.mode` must be one of 'new', 'old'; got 'odd'"),
        ({"x": 1, "option": 1.5}, "`p.option` must be str; got float"),
        ({"x": 1, "option": [1]}, r"`p.option\[0\]` must be str; got int"),
        ({"x": 1, "name": 4}, "`p.name` must be str; got int"),
    ],
)
def test_what_does_not_fit_is_named(value, message):
    with pytest.raises(ValueError, match=message):
        revive(Point, value, "p")
