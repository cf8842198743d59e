from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.labels import count_labels
from bncc.structure import SCORES, LocalScorer, parent_search
from bncc.structure.parent_search import search_parents
from bncc.structure.search_task import STOPS, ParentSearch
from strategies import label_matrices

FREE = 10**6


def described(n_labels, **changes):
    settings = {
        "score": SCORES["bic"],
        "order": tuple(range(n_labels)),
        "child_limits": (FREE,) * n_labels,
        "max_parents": n_labels - 1,
        "required": ((),) * n_labels,
        "forbidden": ((),) * n_labels,
        "start_empty": True,
    }
    return ParentSearch(**{**settings, **changes})


def in_python(counts, task):
    native, parent_search.native = parent_search.native, None
    try:
        return search_parents(counts, task)
    finally:
        parent_search.native = native


class Bound:
    """A caller's score that is a count score underneath."""

    def __init__(self, scorer):
        self.scorer = scorer

    def local_score(self, child, parents):
        return self.scorer.local_score(child, parents)


@given(label_matrices(min_labels=2), st.sampled_from(sorted(SCORES)), st.booleans())
@settings(max_examples=60, deadline=None)
def test_compiled_plain_and_callers_scores_find_the_same(Y, name, start_empty):
    counts = count_labels(Y)
    task = described(counts.n_labels, score=SCORES[name], start_empty=start_empty, max_parents=3)
    plain = in_python(counts, task)
    assert search_parents(counts, task) == plain
    own = described(counts.n_labels, score=Bound(LocalScorer.of(Y, name)), start_empty=start_empty, max_parents=3)
    assert search_parents(counts, own).parents == plain.parents


@given(label_matrices(min_labels=2))
@settings(max_examples=40, deadline=None)
def test_every_step_improves_and_is_the_score_of_its_parents(Y):
    counts, scorer = count_labels(Y), LocalScorer.of(Y, "bic")
    outcome = search_parents(counts, described(counts.n_labels))
    for child, (parents, start, steps) in enumerate(
        zip(outcome.parents, outcome.start_scores, outcome.steps, strict=True)
    ):
        scores = [start, *(step.score for step in steps)]
        assert tuple(step.parent for step in steps) == parents
        assert all(later > earlier for earlier, later in pairwise(scores))
        assert scores == pytest.approx([scorer.local_score(child, parents[:k]) for k in range(len(scores))], abs=2e-6)


@pytest.mark.parametrize("find", [search_parents, in_python])
class TestLimits:
    Y = np.array([[1, 1, 1], [0, 0, 0], [1, 1, 1], [0, 0, 0], [1, 1, 0], [0, 0, 1]] * 4)

    def test_required_come_first_and_forbidden_never(self, find):
        task = described(3, required=((2,), (), ()), forbidden=((1,), (), ()))
        outcome = find(count_labels(self.Y), task)
        assert outcome.parents[0] == (2,)
        assert outcome.steps[0] == ()

    def test_a_label_with_no_children_left_is_no_candidate(self, find):
        outcome = find(count_labels(self.Y), described(3, child_limits=(1, 0, 0)))
        assert outcome.parents == ((), (0,), ())

    def test_predecessors_only(self, find):
        task = described(3, order=(1, 0, 2), predecessors_only=True)
        outcome = find(count_labels(self.Y), task)
        assert outcome.parents[1] == ()
        assert outcome.parents[0] == (1,)
        assert outcome.stops[1] == STOPS[1]

    def test_the_parent_limit_ends_the_search(self, find):
        outcome = find(count_labels(self.Y), described(3, max_parents=0))
        assert outcome.parents == ((), (), ())
        assert set(outcome.stops) == {STOPS[2]}
