import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc import learn_network
from bncc.graph import edges_of, find_cycle
from bncc.labels import count_labels
from bncc.structure import SCORES, LocalScorer, parent_search
from bncc.structure.parent_search import search_parents
from bncc.structure.search_task import STOPS, ParentSearch
from strategies import label_matrices


def climbed(counts, in_python=False, **changes):
    n = counts.n_labels
    task = {
        "score": SCORES["bic"], "order": tuple(range(n)), "child_limits": (10**6,) * n, "max_parents": n - 1,
        "required": ((),) * n, "forbidden": ((),) * n, "climbs": True,
    }  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        if in_python:
            patch.setattr(parent_search, "native", None)
        return search_parents(counts, ParentSearch(**{**task, **changes}))


def total_score(scorer, parents):
    return sum(scorer.local_score(child, group) for child, group in enumerate(parents))


def neighbours(parents):
    """Every acyclic graph that differs by one edge added, removed or reversed."""
    n = len(parents)
    for child in range(n):
        for parent in range(n):
            if parent == child:
                continue
            groups = [set(group) for group in parents]
            if parent in groups[child]:
                groups[child].discard(parent)
                yield groups
                groups = [set(group) for group in groups]
                groups[parent].add(child)
            elif child not in groups[parent]:
                groups[child].add(parent)
            else:
                continue
            if find_cycle([tuple(group) for group in groups]) is None:
                yield groups


@given(label_matrices(min_labels=2), st.sampled_from(sorted(SCORES)), st.integers(1, 3), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_compiled_and_plain_climb_to_the_same_graph(Y, name, max_parents, max_children):
    counts = count_labels(Y)
    limits = {"score": SCORES[name], "max_parents": max_parents, "child_limits": (max_children,) * counts.n_labels}
    assert climbed(counts, **limits) == climbed(counts, in_python=True, **limits)


@pytest.mark.parametrize("density", [0.02, 0.5])
def test_rows_and_bits_are_counted_alike(density):
    random = np.random.default_rng(3)
    base = random.random((400, 30)) < density
    Y = base | np.roll(base & (random.random((400, 30)) < 0.6), 1, axis=1)
    counts = count_labels(Y)
    assert climbed(counts) == climbed(counts, in_python=True)
    assert climbed(counts).steps


@given(label_matrices(min_labels=2, max_labels=5))
@settings(max_examples=40, deadline=None)
def test_nothing_next_to_the_end_is_better(Y):
    scorer = LocalScorer.of(Y, "bic")
    found = climbed(count_labels(Y))
    assert find_cycle(found.parents) is None
    best = total_score(scorer, found.parents)
    assert all(
        total_score(scorer, [sorted(group) for group in other]) <= best + 1e-3 for other in neighbours(found.parents)
    )
    assert set(found.stops) == {STOPS[4]}


@given(label_matrices(min_labels=3))
@settings(max_examples=30, deadline=None)
def test_scores_are_those_of_the_parents_so_far(Y):
    scorer, found = LocalScorer.of(Y, "bic"), climbed(count_labels(Y))
    for child, (group, start, steps) in enumerate(zip(found.parents, found.start_scores, found.steps, strict=True)):
        assert tuple(step.parent for step in steps) == group
        scores = [start, *(step.score for step in steps)]
        assert scores == pytest.approx([scorer.local_score(child, group[:k]) for k in range(len(scores))], abs=2e-6)


@pytest.mark.parametrize("in_python", [False, True])
def test_required_and_forbidden_edges_and_limits(in_python):
    random = np.random.default_rng(0)
    first = random.integers(0, 2, 300)
    Y = np.column_stack([first, first, first, random.integers(0, 2, 300)])
    counts = count_labels(Y)
    found = climbed(counts, in_python, required=((3,), (), (), ()), forbidden=((1,), (0,), (), ())).parents
    assert 3 in found[0]
    assert not {(0, 1), (1, 0)} & set(map(tuple, edges_of(found).tolist()))
    assert max(np.bincount(edges_of(climbed(counts, in_python, child_limits=(1,) * 4).parents)[:, 0])) == 1
    assert all(len(group) <= 1 for group in climbed(counts, in_python, max_parents=1).parents)


def test_independent_labels_have_few_edges():
    Y = np.random.default_rng(0).integers(0, 2, (2000, 20))
    assert len(learn_network(Y, search="hill_climbing").edges) <= 4
    assert len(learn_network(Y, search="paper").edges) >= 15


def test_mistakes():
    with pytest.raises(ValueError, match="only where it is better"):
        learn_network([[1, 0], [0, 1]], search="hill_climbing", first_parent="always")
    with pytest.raises(ValueError, match="'always', 'if better' or None; got 'never'"):
        learn_network([[1, 0], [0, 1]], first_parent="never")
