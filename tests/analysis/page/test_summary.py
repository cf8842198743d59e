import json
from dataclasses import FrozenInstanceError, fields, replace

import pytest

from bncc.analysis.page import Summary, from_json, join_summaries, to_json
from page_examples import hostile_summary, quality_summary, small_summary


@pytest.mark.parametrize("make", [small_summary, hostile_summary, lambda: Summary("Empty")])
def test_a_summary_survives_its_json(make):
    summary = make()
    assert from_json(to_json(summary)) == summary
    assert to_json(summary).isascii()


def test_a_summary_is_frozen():
    with pytest.raises(FrozenInstanceError):
        Summary("A").title = "B"


def test_joining_keeps_the_first_and_fills_what_it_lacks():
    small = small_summary(60)
    bare = Summary("Mine", versions={"numpy": "1.26"})
    joined = join_summaries(bare, small)
    assert joined.title == "Mine"
    assert joined.network == small.network
    assert joined.results == small.results
    assert joined.versions["numpy"].startswith("1.26, ")
    assert join_summaries(small, bare).data == small.data


def test_every_part_is_joined():
    """A part that is added to `Summary` is joined as the others are."""
    judged = quality_summary()
    parts = {name: getattr(judged, name) for name in ("quality", "reasons", "importance")}
    whole = replace(small_summary(60), note="Look.", settings={"seed": "0"}, **parts)
    empty = Summary("Bare")
    joined = join_summaries(empty, whole)
    assert joined.title == "Bare"
    for part in fields(Summary):
        if part.name != "title":
            assert getattr(joined, part.name) == getattr(whole, part.name) != getattr(empty, part.name), part.name


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda content: "not json", "must be JSON"),
        (lambda content: json.dumps([1]), "must have format 'bncc.Summary'"),
        (lambda content: json.dumps({**content, "version": 99}), "version 1; got 99"),
        (lambda content: json.dumps({**content, "summary": None}), "`summary` must be an object; got NoneType"),
        (lambda content: _with(content, title=3), "`summary.title` must be str; got int"),
        (lambda content: _with(content, surprise=1), "unknown fields .'surprise'."),
        (lambda content: _with(content, labels=[{"name": "a"}]), r"`summary.labels\[0\]` .* lacks .'entropy'"),
        (lambda content: _with(content, data="x"), "`summary.data` must be an object; got str"),
        (lambda content: _with(content, pairs={"labels": [0, "1"], "together": []}), r"pairs.labels\[1\]` must be int"),
    ],
)
def test_a_damaged_summary_says_where(spoil, message):
    with pytest.raises(ValueError, match=message):
        from_json(spoil(json.loads(to_json(Summary("A")))))


def _with(content, **changes):
    return json.dumps({**content, "summary": {**content["summary"], **changes}})
