import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.datasets import SCENES, make_scenes
from bncc.labels import mutual_information, strongest_relations
from bncc.labels import relations as module


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
            if bits > 1e-9:
                pairs.append((round(bits, 8), np.sign(round(surplus, 12)), {a, b}))
    return [sorted((bits for bits, s, _ in pairs if s == sign), reverse=True)[:n] for sign in (1, -1)]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 30), st.integers(1, 6))
def test_agrees_with_the_definitions(seed, n_rows, n_labels):
    Y = (np.random.default_rng(seed).random((n_rows, n_labels)) < 0.4).astype(int)
    found = strongest_relations(Y, 3)
    expected = naive(Y, 3)
    assert [round(r.information, 8) for r in found if r.is_positive] == expected[0]
    assert [round(r.information, 8) for r in found if not r.is_positive] == expected[1]
    for relation in found:
        parent, child = Y[:, relation.parent] == 1, Y[:, relation.child]
        assert relation.with_parent == child[parent].mean()
        assert np.isclose(relation.without_parent, child[~parent].mean())
        assert np.isclose(relation.information, mutual_information(Y, relation.parent)[relation.child])


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
    Y = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]])
    assert {(r.parent, r.child) for r in strongest_relations(Y)} == {(0, 1)}
