import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from bncc.analysis.quality import read_predictions
from quality_examples import made_scores

Y, S = made_scores(40, 3)


def test_probabilities_are_cut_at_a_half_and_decisions_at_zero():
    likely, decided = read_predictions(Y, S), read_predictions(Y, S - 0.5)
    assert (likely.predicted == (S > 0.5)).all()
    assert (decided.predicted == likely.predicted).all()
    assert likely.probabilities is likely.scores
    assert decided.probabilities is None
    assert (likely.thresholds == 0.5).all()
    assert (decided.thresholds == 0).all()


def test_thresholds_may_differ_by_label():
    cuts = np.array([0.2, 0.5, 0.8])
    assert (read_predictions(Y, S, thresholds=cuts).predicted == (cuts < S)).all()
    with pytest.raises(ValueError, match=r"one per label \(3\); got shape \(2,\)"):
        read_predictions(Y, S, thresholds=[0.1, 0.2])
    with pytest.raises(ValueError, match="finite"):
        read_predictions(Y, S, thresholds=np.nan)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_matrix, pd.DataFrame, lambda Y: Y.tolist()])
def test_labels_in_any_form(form):
    assert (read_predictions(form(Y), S).truth == Y.astype(bool)).all()


def test_forests_give_a_list():
    both = [np.column_stack([1 - S[:, j], S[:, j]]) for j in range(3)]
    assert (read_predictions(Y, both).scores == S).all()


def test_unknown_cells_are_neither_true_nor_predicted():
    hidden = np.zeros(Y.shape, bool)
    hidden[:5] = True
    holes = np.where(hidden, np.nan, Y)
    masked = np.ma.masked_array(Y, hidden)
    for found in (read_predictions(holes, S), read_predictions(Y, S, unknown=hidden), read_predictions(masked, S)):
        assert (found.known == ~hidden).all()
        assert not (found.truth | found.predicted)[hidden].any()
    with pytest.raises(ValueError, match="at least one label that is known"):
        read_predictions(Y, S, unknown=np.ones(Y.shape, bool))
    with pytest.raises(ValueError, match="`unknown` must be booleans of shape"):
        read_predictions(Y, S, unknown=np.ones(3, bool))


def test_predictions_without_scores():
    found = read_predictions(Y, Y_pred=S > 0.5)
    assert found.scores is None
    assert (found.predicted == (S > 0.5)).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "`Y_score` or `Y_pred` must be given"),
        ({"Y_score": S[:, :2]}, "same shape"),
        ({"Y_score": S, "Y_pred": Y[:3]}, "same shape"),
        ({"Y_score": S, "probabilities": S + 1}, "within 0 and 1"),
        ({"Y_score": S, "rows": [1, 2]}, "`rows` must number the 40 rows"),
        ({"Y_score": np.where(S > 0.9, np.nan, S)}, "missing value"),
    ],
)
def test_mistakes_are_told(options, message):
    with pytest.raises(ValueError, match=message):
        read_predictions(Y, **options)


def test_tags_and_scores_with_names_are_compared_by_name():
    true, said = [["rain"], ["wind"], ["rain", "wind"]], [["wind"], ["wind"], ["rain"]]
    scores = pd.DataFrame({"wind": [0.9, 0.8, 0.2], "rain": [0.1, 0.2, 0.7]})
    found = read_predictions(true, scores, Y_pred=said)
    assert found.predicted.tolist() == [[False, True], [False, True], [True, False]]
    assert found.scores is not None
    assert found.scores.tolist() == [[0.1, 0.9], [0.2, 0.8], [0.7, 0.2]]
    with pytest.raises(ValueError, match="same shape"):
        read_predictions(true, Y_pred=[["hail"], ["wind"], ["rain"]])
