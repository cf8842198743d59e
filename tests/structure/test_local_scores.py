import math

import numpy as np
import pytest
from hypothesis import given, settings

from bncc.structure import LocalScorer
from oracles import network as oracle
from strategies import label_matrices


@given(label_matrices(min_labels=3))
@settings(max_examples=60, deadline=None)
def test_paper_score_is_equation_13(Y):
    scorer = LocalScorer.of(Y, "dependence")
    rows = Y.tolist()
    for parents in ([], [1], [1, 2]):
        assert scorer.local_score(0, parents) == pytest.approx(oracle.paper_score(rows, 0, parents), abs=1e-5)
    assert scorer.local_score(0, [1, 2]) == scorer.local_score(0, [2, 1])


@given(label_matrices(min_labels=3))
@settings(max_examples=40, deadline=None)
def test_relations_between_scores(Y):
    n, m = Y.shape
    value = {name: LocalScorer.of(Y, name).local_score(0, [1, 2]) for name in ("dependence", "bic", "aic", "mdl")}
    likelihood = value["bic"] + 2 * math.log2(n)
    assert value["dependence"] == pytest.approx(value["bic"] + n, abs=1e-5)
    assert value["aic"] == pytest.approx(likelihood - 4 / math.log(2), abs=1e-5)
    assert value["mdl"] == pytest.approx(value["bic"] - 2 * math.log2(m), abs=1e-5)


def test_k2_by_factorials():
    Y = [[0, 0], [0, 0], [0, 1], [1, 1], [1, 0]]
    # parent 0: three rows, one with the child; parent 1: two rows, one with it. 2!1!/4! * 1!1!/3!
    expected = math.log2(2 / 24 * 1 / 6)
    assert LocalScorer.of(Y, "k2").local_score(1, [0]) == pytest.approx(expected, abs=1e-6)


def test_bdeu_is_score_equivalent():
    """Both directions of one edge have the same BDeu score: its defining property."""
    Y = np.random.default_rng(0).random((50, 2)) < [0.3, 0.6]
    Y[:20, 1] = Y[:20, 0]
    scorer = LocalScorer.of(Y, "bdeu")
    forward = scorer.local_score(0, []) + scorer.local_score(1, [0])
    backward = scorer.local_score(1, []) + scorer.local_score(0, [1])
    assert forward == pytest.approx(backward, abs=2e-6)


def test_pyagrum_agrees_on_bic(data_folder):
    gum = pytest.importorskip("pyagrum")
    pd = pytest.importorskip("pandas")
    from bncc.datasets import load

    Y = load("emotions").Y
    frame = pd.DataFrame(Y.astype(str), columns=[f"l{j}" for j in range(Y.shape[1])])
    learner = gum.BNLearner(frame)
    learner.useNoPrior()
    learner.useScoreBIC()
    scorer = LocalScorer.of(Y, "bic")
    for child, parents in [(0, [1]), (0, [1, 3]), (4, [2]), (5, [0, 1, 2])]:
        asked = learner.score(f"l{child}", [f"l{parent}" for parent in parents])
        assert scorer.local_score(child, parents) == pytest.approx(asked, abs=1e-4)


def test_an_own_score_cannot_be_bound():
    with pytest.raises(ValueError, match="must be one of"):
        LocalScorer.of([[0, 1]], "unknown")
