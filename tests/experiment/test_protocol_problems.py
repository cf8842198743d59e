"""Mistakes in words; `test_protocol_tables.py` has them from end to end."""

import pytest

from bncc.experiment.protocol import ProtocolError
from bncc.experiment.protocol_problems import describe_path, describe_problem

KNOWN = {"": ["folds", "seed"], "folds": ["n", "repeats"]}


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        ({"type": "int_type", "loc": ("seed",), "input": True}, "seed must be int; got True."),
        (
            {"type": "greater_than_equal", "loc": ("folds", "n"), "input": 1, "ctx": {"ge": 2}},
            "folds.n must be at least 2; got 1.",
        ),
        (
            {"type": "literal_error", "loc": ("engine",), "input": "gpu", "ctx": {"expected": "'auto' or 'cpu'"}},
            "engine must be one of 'auto', 'cpu'; got 'gpu'.",
        ),
        (
            {"type": "extra_forbidden", "loc": ("sed",), "input": 1},
            "the protocol has no setting 'sed'; did you mean 'seed'?",
        ),
        (
            {"type": "extra_forbidden", "loc": ("folds", "k"), "input": 1},
            "folds has no setting 'k'; known: n, repeats.",
        ),
        (
            {"type": "too_short", "loc": ("methods",), "input": {}},
            "`methods` is missing: a protocol needs at least one.",
        ),
        (
            {"type": "missing", "loc": ("methods", "BR", "estimator"), "input": {}},
            "methods.BR needs `estimator`, the name of a class; got {}.",
        ),
        ({"type": "value_error", "loc": (), "input": {}, "ctx": {"error": ProtocolError("Ours.")}}, "Ours."),
        ({"type": "new_kind", "loc": ("seed",), "input": 1, "msg": "is odd"}, "seed is odd; got 1."),
    ],
)
def test_where_what_got_and_remedy(problem, words):
    assert describe_problem(problem, KNOWN) == words


def test_paths_are_written_as_people_do():
    assert describe_path(("datasets", 0, "name")) == "datasets[0].name"
    assert describe_path(()) == ""
