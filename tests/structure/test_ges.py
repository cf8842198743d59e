import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc import learn_network
from bncc.graph import equivalence_class, find_cycle, structural_hamming_distance
from bncc.labels import count_labels
from bncc.structure import SCORES, LocalScorer, parent_search
from bncc.structure.ges import member_of
from bncc.structure.parent_search import search_parents
from bncc.structure.search_task import ParentSearch
from strategies import label_matrices


def searched(counts, in_python=False, **changes):
    n = counts.n_labels
    task = {
        "score": SCORES["bic"], "order": tuple(range(n)), "child_limits": (10**6,) * n, "max_parents": n - 1,
        "required": ((),) * n, "forbidden": ((),) * n, "over_classes": True,
    }  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        if in_python:
            patch.setattr(parent_search, "native", None)
        return search_parents(counts, ParentSearch(**{**task, **changes}))


def drawn(seed, n_labels, n_rows):
    """Rows from a random network, and its parents."""
    random = np.random.default_rng(seed)
    Y, parents = np.zeros((n_rows, n_labels), int), []
    for label in range(n_labels):
        group = tuple(random.permutation(label)[: random.integers(0, 3)].tolist())
        table = 0.05 + 0.9 * random.beta(0.5, 0.5, 2 ** len(group))
        Y[:, label] = random.random(n_rows) < table[Y[:, list(group)] @ (1 << np.arange(len(group)))]
        parents.append(group)
    return Y, tuple(parents)


@given(label_matrices(min_labels=2), st.sampled_from(sorted(SCORES)), st.integers(1, 3), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_compiled_and_plain_search_find_the_same(Y, name, max_parents, max_children):
    counts = count_labels(Y)
    limits = {"score": SCORES[name], "max_parents": max_parents, "child_limits": (max_children,) * counts.n_labels}
    assert searched(counts, **limits) == searched(counts, in_python=True, **limits)


@pytest.mark.parametrize("seed", range(4))
def test_compiled_and_plain_search_find_the_same_on_drawn_networks(seed):
    counts = count_labels(drawn(seed, 14, 400)[0])
    order = tuple(np.random.default_rng(seed).permutation(14).tolist())
    limits = {"order": order, "forbidden": ((1, 2), (), (0,), *((),) * 11)}
    assert searched(counts, **limits) == searched(counts, in_python=True, **limits)


@pytest.mark.parametrize("in_python", [False, True])
def test_a_collider_is_found_where_climbing_ends_in_a_triangle(in_python):
    random = np.random.default_rng(1)
    causes = random.random((3000, 2)) < 0.4
    effect = random.random(3000) < np.where(causes.all(1), 0.9, np.where(causes.any(1), 0.5, 0.1))
    counts = count_labels(np.column_stack([causes, effect]).astype(int))
    assert structural_hamming_distance(searched(counts, in_python).parents, ((), (), (0, 1))) == 0


def test_it_is_nearer_to_the_truth_than_climbing():
    distances = {"ges": 0, "hill_climbing": 0, "paper": 0}
    for seed in range(10):
        Y, truth = drawn(seed, 12, 4000)
        for search in distances:
            found = learn_network(Y, search=search, max_children=None).pruned().parents
            distances[search] += structural_hamming_distance(truth, found)
    assert distances["ges"] < 0.7 * distances["hill_climbing"]
    assert distances["ges"] < 0.7 * distances["paper"]


@given(label_matrices(min_labels=2))
@settings(max_examples=40, deadline=None)
def test_it_scores_at_least_as_well_as_no_edges_and_has_no_cycle(Y):
    scorer, found = LocalScorer.of(Y, "bic"), searched(count_labels(Y))
    assert find_cycle(found.parents) is None
    assert sum(scorer.local_score(c, g) for c, g in enumerate(found.parents)) >= sum(
        scorer.local_score(c, ()) for c in range(Y.shape[1])
    )


@pytest.mark.parametrize("in_python", [False, True])
def test_constraints_hold_although_classes_know_none(in_python):
    Y, _ = drawn(3, 8, 1000)
    counts = count_labels(Y)
    found = searched(counts, in_python, required=((5,), *((),) * 7), child_limits=(1,) * 8, max_parents=2).parents
    assert 5 in found[0]
    assert max(map(len, found)) <= 2
    children = np.bincount(
        [parent for child, group in enumerate(found) for parent in group if (parent, child) != (5, 0)]
    )
    assert children.max() <= 1


@given(st.integers(0, 10**6), st.integers(2, 7))
@settings(max_examples=60, deadline=None)
def test_a_member_of_a_class_is_of_that_class(seed, n):
    random = np.random.default_rng(seed)
    parents = tuple(tuple(random.permutation(label)[: random.integers(0, 4)].tolist()) for label in range(n))
    found = equivalence_class(parents)
    leads = np.zeros((n, n), bool)
    for a, b in found.directed:
        leads[a, b] = True
    for a, b in found.undirected:
        leads[a, b] = leads[b, a] = True
    assert equivalence_class(member_of(leads, random.permutation(n))) == found


def test_a_graph_without_member():
    circle = np.zeros((4, 4), bool)
    for a in range(4):
        circle[a, (a + 1) % 4] = circle[(a + 1) % 4, a] = True
    assert member_of(circle, range(4)) is None
