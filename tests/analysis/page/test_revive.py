from dataclasses import dataclass

import pytest

from bncc.analysis.page.revive import revive


@dataclass(frozen=True)
class Point:
    x: float
    name: str | None = None
    pairs: tuple[tuple[int, int], ...] = ()


def test_values_come_back_by_annotation():
    assert revive(Point, {"x": 1, "pairs": [[1, 2]]}, "p") == Point(1.0, None, ((1, 2),))
    assert revive(tuple[float, ...], [1, 2.5], "t") == (1.0, 2.5)
    assert revive(Point | None, None, "p") is None


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"x": True}, "`p.x` must be float; got bool"),
        ({"x": "1"}, "`p.x` must be float; got str"),
        ({}, r"lacks \['x'\]"),
        ({"x": 1, "pairs": [[1, 2, 3]]}, r"`p.pairs\[0\]` must have 2 entries; got 3"),
        ({"x": 1, "pairs": 3}, "`p.pairs` must be tuple; got int"),
        ({"x": 1, "name": 4}, "`p.name` must be str; got int"),
    ],
)
def test_what_does_not_fit_is_named(value, message):
    with pytest.raises(ValueError, match=message):
        revive(Point, value, "p")
