import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier

import bncc.linear
from bncc import BNCC, BinaryRelevance
from bncc.analysis import column_importance
from bncc.analysis.importance import _per_label, _shuffle, columns_of, label_metric
from bncc.metrics import METRICS, evaluate

LINEAR = bncc.linear.LogisticRegression()


def make(n_rows=240, seed=0):
    """label0 is of x0, label1 of x1 and x2 together; x3 is noise, and x4 the same as x0."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 5))
    X[:, 4] = X[:, 0]
    return X, np.column_stack([X[:, 0] > 0, X[:, 1] + X[:, 2] > 0]).astype(int)


@pytest.mark.parametrize("model", [BNCC(LINEAR), MultiOutputClassifier(LogisticRegression())])
@pytest.mark.parametrize("metric", ["example_f1", "hamming_loss", "macro_auc", "ranking_loss"])
def test_what_labels_are_made_of_matters_and_noise_does_not(model, metric):
    X, Y = make()
    found = column_importance(model, X[:, :4], Y, metric=metric, cv=3, n_repeats=2)
    assert found.of(0)[0].name == "x0"
    assert {entry.name for entry in found.of(1)[:2]} == {"x1", "x2"}
    noise = next(entry for entry in found.overall if entry.name == "x3")
    assert noise.low <= 0.02
    assert abs(noise.value) < 0.05
    for entry in found.overall[:3]:
        assert entry.low <= entry.value <= entry.high
        assert entry.value > 0.02
    assert found.n_folds == 3


def test_columns_that_say_the_same_matter_together():
    X, Y = make()
    model = BinaryRelevance(LINEAR)
    alone = column_importance(model, X, Y, cv=2).of(0)
    together = column_importance(model, X, Y, cv=2, groups={"x0": "twins", "x4": "twins"}).of(0)
    assert together[0].name == "twins"
    assert together[0].value > 1.3 * max(entry.value for entry in alone)


def test_columns_that_are_not_used_matter_nothing_exactly():
    X, Y = make()
    X[:, 3] = 1.0
    found = column_importance(BinaryRelevance(LINEAR), X, Y, cv=3)
    assert [(entry.value, entry.low, entry.high) for entry in found.entries if entry.name == "x3"] == [
        (0.0, 0.0, 0.0)
    ] * 3


def test_fitted_models_are_taken_as_they_are_on_new_rows():
    X, Y = make()
    new, truth = make(seed=1)
    model = BinaryRelevance(LINEAR).fit(X, Y)
    found = column_importance(model, new, truth, cv="prefit")
    assert found.n_folds == 5
    assert found.of(1)[0].low > 0
    assert found.entries == column_importance(model, new, truth, cv="prefit").entries
    assert found.entries != column_importance(model, new, truth, cv="prefit", random_state=1).entries


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    """Of a fitted model on many new rows: the importance on 100,000 rows, against intervals from 400."""
    model = BinaryRelevance(LINEAR).fit(*make())
    truth = {
        entry.name: entry.value
        for entry in column_importance(model, *make(100_000, 9), cv="prefit", n_repeats=1).overall
    }
    held = [
        entry.low <= truth[entry.name] <= entry.high
        for seed in range(20)
        for entry in column_importance(model, *make(400, 100 + seed), cv="prefit", n_repeats=2).overall[:3]
    ]
    assert 0.8 <= np.mean(held) <= 1.0


def test_tables_and_sparse_matrices_give_the_same():
    pd = pytest.importorskip("pandas")
    X, Y = make()
    X = np.where(np.abs(X) > 0.5, X, 0.0)
    names = list("abcde")
    plain = column_importance(BinaryRelevance(LINEAR), X, Y, cv=2)
    stored = column_importance(BinaryRelevance(LINEAR), sparse.csr_array(X), Y, cv=2)
    table = column_importance(
        BinaryRelevance(LINEAR),
        pd.DataFrame(X, columns=names, index=range(7, 247)),
        pd.DataFrame(Y, columns=["p", "q"]),
        cv=2,
    )
    values = {entry.name: entry.value for entry in plain.overall}
    assert {entry.name: entry.value for entry in stored.overall} == pytest.approx(values, abs=0.02)
    assert {f"x{names.index(entry.name)}": entry.value for entry in table.overall} == pytest.approx(values, abs=1e-9)
    assert table.of("q")[0].name in "bc"
    assert str(table).splitlines()[0] == "Loss of example_f1 without a column (95% intervals, 2 folds)"


def test_shuffling_moves_columns_together_and_nothing_else():
    pd = pytest.importorskip("pandas")
    X, order = np.arange(12.0).reshape(4, 3), np.array([2, 0, 3, 1])
    expected = X.copy()
    expected[:, [0, 2]] = X[order][:, [0, 2]]
    columns = np.array([0, 2])
    np.testing.assert_array_equal(_shuffle(X, columns, order), expected)
    np.testing.assert_array_equal(_shuffle(sparse.csr_array(X), columns, order).toarray(), expected)
    frame = pd.DataFrame({"a": list("pqrs"), "b": [1, 2, 3, 4], "c": pd.Categorical(list("xyxy"))}, index=list("wxyz"))
    shuffled = _shuffle(frame, columns, order)
    assert shuffled["a"].tolist() == list("rpsq")
    assert shuffled["b"].tolist() == [1, 2, 3, 4]
    assert (shuffled.dtypes == frame.dtypes).all()
    assert frame["a"].tolist() == list("pqrs")


# Means over cells, or over rows with all labels right: on one column they are what a label is measured by.
WHOLE = ("hamming_loss", "subset_accuracy", "log_loss", "brier_score")


def test_every_metric_has_one_for_a_single_label():
    for metric in METRICS.values():
        alone = label_metric(metric)
        assert alone.needs == metric.needs
        assert alone.name.startswith("macro_") or alone.name in WHOLE, metric.name


def test_importance_for_probabilities():
    X, Y = make(200)
    found = column_importance(BinaryRelevance(LINEAR), X, Y, metric="log_loss", cv=2, n_repeats=2, random_state=0)
    alike = column_importance(BinaryRelevance(LINEAR), X, Y, metric="macro_auc", cv=2, n_repeats=2, random_state=0)
    assert found.entries[0].name == alike.entries[0].name


def test_progress_and_mistakes():
    X, Y = make(60)
    seen = []
    column_importance(BinaryRelevance(LINEAR), X, Y, cv=2, n_repeats=1, pulse=seen.append)
    assert seen == list(range(1, 11))
    with pytest.raises(ValueError, match="column 'x9'"):
        columns_of(X, {"x9": "a"})
    with pytest.raises(ValueError, match="`n_repeats`"):
        column_importance(BinaryRelevance(LINEAR), X, Y, cv=2, n_repeats=0)


@pytest.mark.parametrize(
    "name", ["example_f1", "micro_recall", "hamming_loss", "subset_accuracy", "micro_auc", "one_error"]
)
def test_quality_of_a_label_is_the_metric_on_its_column(name):
    random = np.random.default_rng(0)
    truth, predicted = random.random((2, 50, 4)) < 0.4
    scores = random.normal(size=(50, 4))
    alone = label_metric(METRICS[name])
    found = _per_label(alone, truth, predicted, scores if alone.needs == "scores" else None)
    for label in range(4):
        expected = evaluate(truth[:, [label]], predicted[:, [label]], scores[:, [label]], metrics=[alone])[alone.name]
        assert found[label] == pytest.approx(1 - expected if name == "hamming_loss" else expected)
