import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.datasets import SCENES, make_scenes
from bncc.labels import entropy, mutual_information, strongest_relations
from bncc.labels import relations as module


def by_chance(a, b):
    """Chi-square of the two-by-two table from its cells; and how many rows show a positive relation."""
    chi_square = 0.0
    for va in (0, 1):
        for vb in (0, 1):
            expected = (a == va).sum() * (b == vb).sum() / len(a)
            if expected:
                chi_square += (((a == va) & (b == vb)).sum() - expected) ** 2 / expected
    both = (a * b).sum()
    return chi_square < 3.841 or (both > a.mean() * b.sum() and both < 3)


def naive(Y, n):
    """Straight from the definitions."""
    Y = np.asarray(Y)
    pairs = []
    for a in range(Y.shape[1]):
        for b in range(a + 1, Y.shape[1]):
            bits = 0.0
            for va in (0, 1):
                for vb in (0, 1):
                    joint = ((Y[:, a] == va) & (Y[:, b] == vb)).mean()
                    if joint:
                        bits += joint * np.log2(joint / ((Y[:, a] == va).mean() * (Y[:, b] == vb).mean()))
            surplus = (Y[:, a] * Y[:, b]).mean() - Y[:, a].mean() * Y[:, b].mean()
            if bits > 1e-9 and not by_chance(Y[:, a], Y[:, b]):
                pairs.append((round(bits, 8), np.sign(round(surplus, 12)), {a, b}))
    return [sorted((bits for bits, s, _ in pairs if s == sign), reverse=True)[:n] for sign in (1, -1)]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.integers(1, 6))
def test_agrees_with_the_definitions(seed, n_rows, n_labels):
    random = np.random.default_rng(seed)
    Y = (random.random((n_rows, n_labels)) + random.normal(0, 0.3, (n_rows, 1)) < 0.4).astype(int)
    found = strongest_relations(Y, 3)
    expected = naive(Y, 3)
    assert [round(r.information, 8) for r in found if r.is_positive] == expected[0]
    assert [round(r.information, 8) for r in found if not r.is_positive] == expected[1]
    for relation in found:
        parent, child = Y[:, relation.parent] == 1, Y[:, relation.child]
        assert relation.with_parent == child[parent].mean()
        assert np.isclose(relation.without_parent, child[~parent].mean())
        assert np.isclose(relation.information, mutual_information(Y, relation.parent)[relation.child])
        assert entropy(Y)[relation.parent] >= entropy(Y)[relation.child] - 1e-12


def test_scenes_say_what_they_were_made_to_say():
    data = make_scenes(2000)
    words = {
        (SCENES.label_names[r.parent], SCENES.label_names[r.child], r.is_positive)
        for r in strongest_relations(data.Y, 5)
    }
    assert ("Rural", "High building", False) in words


def test_constant_labels_and_single_labels_relate_to_nothing():
    assert strongest_relations([[1], [0]]) == ()
    assert strongest_relations([[1, 0], [1, 0], [1, 1]]) == ()


def test_of_very_many_labels_the_most_frequent_are_looked_at(monkeypatch):
    monkeypatch.setattr(module, "_MOST_LABELS", 2)
    Y = np.array([[1, 1, 0], [1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1], [0, 0, 0]])
    assert {(r.parent, r.child) for r in strongest_relations(Y)} == {(0, 1)}


def test_what_may_be_chance_is_not_told():
    rows = np.arange(200)
    independent = np.column_stack([rows // 100, rows % 2])
    independent[0, 1] = 1  # a surplus of one row
    assert strongest_relations(independent) == ()
    twice = np.zeros((1000, 2), int)
    twice[:2] = 1  # a chi-square of 1000, from two rows
    assert strongest_relations(twice) == ()
    twice[2] = 1
    assert len(strongest_relations(twice)) == 1
