import numpy as np
import pytest

pytest.importorskip("pandas")

from bncc.analysis.best_models import BestModels
from bncc.datasets import make_scenes
from bncc.evaluation import EvaluationPlan, Record, as_labelled, compare_methods

DATA = as_labelled(make_scenes(150))


@pytest.fixture(scope="module")
def models():
    plan = EvaluationPlan(methods=["br", "bncc"], folds=3, repeats=2, base="linear")
    kept = BestModels("example_f1")
    records = compare_methods(DATA, plan, keep_model=kept)
    return kept.settle(), records


def test_the_models_of_the_best_method_are_kept(models):
    kept, records = models
    mean = {
        method: np.mean([r.scores["example_f1"] for r in records if (r.method, r.repeat) == (method, 0)])
        for method in ("br", "bncc")
    }
    assert kept.method == max(mean, key=mean.get)
    assert len(kept.parts) == 3
    assert sorted(np.concatenate([rows for _, rows in kept.parts]).tolist()) == list(range(150))


def test_losses_are_better_when_they_are_less_and_the_first_of_equals_stays():
    kept = BestModels("hamming_loss")
    for method, loss in (("a", 0.3), ("b", 0.1), ("c", 0.1), ("d", 0.2)):
        kept(Record("d", method, 0, 0, {"hamming_loss": loss}), method, np.arange(2))
        kept(Record("d", method, 1, 0, {"hamming_loss": 0.0}), method, np.arange(2))
    assert kept.settle().method == "b"
    assert [model for model, _ in kept.parts] == ["b"]
    other = BestModels("example_f1")
    other(Record("d", "a", 0, 0, {"macro_f1": 0.5}), "a", np.arange(2))
    assert other.settle().method == "a"


def test_columns_matter_out_of_fold(models):
    kept, _ = models
    found = kept.importance(DATA)
    assert {entry.name for entry in found.overall} == set(DATA.schema["features"])
    assert found.label_names == DATA.label_names
    assert found.overall[0].value > 0
    assert all(entry.low <= entry.value <= entry.high for entry in found.overall)
    assert kept.importance(DATA, most_seconds=1e-9) is None


def test_one_split_has_intervals_too(models):
    kept, _ = models
    alone = BestModels(method="br", parts=kept.parts[:1])
    found = alone.importance(DATA)
    assert found.n_folds == 5
    assert found.overall[0].low is not None


def test_worst_rows_are_explained_by_the_model_that_has_not_seen_them(models):
    kept, _ = models
    rows = kept.worst_rows(DATA, 6)
    truth, wrong = DATA.label_matrix.toarray(), np.zeros(150)
    for model, tested in kept.parts:
        wrong[tested] = (model.predict(DATA.X[tested]) != truth[tested]).sum(axis=1)
    assert wrong[rows].tolist() == sorted(wrong, reverse=True)[:6]
    found = kept.reasons(DATA, rows, top=3, budget=300)
    assert [row.row for row in found] == rows
    for row in found:
        (model,) = [model for model, tested in kept.parts if row.row in tested]
        scores = model.decision_function(DATA.X[[row.row]])[0]
        assert row.method == kept.method
        for each in row:
            assert each.score == pytest.approx(scores[each.label])
            assert len(each.reasons) <= 3
    assert kept.reasons(DATA, [1000]) == []
