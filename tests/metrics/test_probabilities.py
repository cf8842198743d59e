import numpy as np
import pytest
from sklearn import metrics as reference
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier

from bncc import BatchSearchCV, BinaryRelevance, recommended
from bncc.datasets import make_scenes
from bncc.evaluation import EvaluationPlan, compare_methods
from bncc.experiment import ProtocolError, load_protocol
from bncc.metrics import brier_score, evaluate, get_scorer, log_loss

RANDOM = np.random.default_rng(0)
TRUE = RANDOM.random((40, 5)) < 0.3
RATES = RANDOM.random((40, 5))
WEIGHT = RANDOM.random(40)


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_against_scikit_learn_cell_by_cell(weight):
    cells = None if weight is None else np.repeat(weight, 5)
    assert log_loss(TRUE, RATES, sample_weight=weight) == pytest.approx(
        reference.log_loss(TRUE.ravel(), RATES.ravel(), sample_weight=cells)
    )
    assert brier_score(TRUE, RATES, sample_weight=weight) == pytest.approx(
        reference.brier_score_loss(TRUE.ravel(), RATES.ravel(), sample_weight=cells)
    )


def test_the_truth_is_best_and_sure_mistakes_are_finite():
    assert log_loss(TRUE, TRUE.astype(float)) == pytest.approx(0.0, abs=1e-12)
    assert brier_score(TRUE, TRUE.astype(float)) == 0.0
    assert np.isfinite(log_loss(TRUE, 1.0 - TRUE))


def test_unknown_labels_count_nowhere():
    unknown = RANDOM.random(TRUE.shape) < 0.4
    known = ~unknown
    holes = np.where(unknown, np.nan, TRUE)
    assert log_loss(holes, RATES) == pytest.approx(reference.log_loss(TRUE[known], RATES[known]))
    assert brier_score(holes, RATES) == pytest.approx(((TRUE[known] - RATES[known]) ** 2).mean())


def test_scores_are_no_probabilities():
    with pytest.raises(ValueError, match=r"probabilities between 0 and 1; got -1\.\.2.*predict_proba"):
        log_loss([[1, 0]], [[2.0, -1.0]])
    with pytest.raises(ValueError, match="`eps` must lie between"):
        log_loss([[1, 0]], [[0.5, 0.5]], eps=0.0)
    with pytest.raises(ValueError, match="`Y_proba` is needed for log_loss"):
        evaluate(TRUE, Y_score=RATES, metrics=["log_loss"])


def test_evaluate_scorers_and_comparisons_ask_for_probabilities():
    assert evaluate(TRUE, Y_proba=RATES) == {"log_loss": log_loss(TRUE, RATES), "brier_score": brier_score(TRUE, RATES)}
    data = make_scenes(120)
    model = MultiOutputClassifier(LogisticRegression()).fit(data.X, data.Y)
    rates = np.column_stack([part[:, 1] for part in model.predict_proba(data.X)])
    assert get_scorer("log_loss")(model, data.X, data.Y) == pytest.approx(-log_loss(data.Y, rates))
    plan = EvaluationPlan(methods=("br",), metrics=("log_loss",), base="linear", folds=2)
    assert all(0 < record.scores["log_loss"] < 1 for record in compare_methods(data, plan))


def test_recommended_is_chosen_for_them():
    data = make_scenes(200, noise=2.0)
    model = recommended("log_loss", random_state=0)
    model.set_params(families=["linear", "extra trees"])
    model.fit(data.X[:140], data.Y[:140])
    base = data.Y[:140].mean(axis=0)
    rest = data.Y[140:]
    assert log_loss(rest, model.predict_proba(data.X[140:])) < log_loss(rest, np.tile(base, (len(rest), 1)))
    np.testing.assert_array_equal(model.predict(data.X[140:]), model.predict_proba(data.X[140:]) > 0.5)


def test_studies_have_no_probabilities(tmp_path):
    protocol = tmp_path / "p.toml"
    protocol.write_text('datasets = ["emotions"]\nmetrics = ["log_loss"]\n')
    with pytest.raises(ProtocolError, match="no probabilities, which log_loss would need"):
        load_protocol(protocol)


def test_a_search_in_one_batch_has_no_probabilities():
    data = make_scenes(60)
    search = BatchSearchCV(BinaryRelevance(), {"C": [1.0]}, scoring=get_scorer("log_loss"), cv=2)
    with pytest.raises(ValueError, match=r"asks for probabilities.*decisions alone"):
        search.fit(data.X, data.Y)
