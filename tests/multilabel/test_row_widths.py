"""Models that lay out much for a row are handed few rows at a time, also where one row becomes many."""

import tracemalloc

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import RadiusNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from bncc import BinaryRelevance, ClassifierChain, explain
from bncc.linear import LogisticRegression
from bncc.multilabel.row_widths import numbers_laid_out, rows_at_a_time, sum_over_parts

RANDOM = np.random.default_rng(0)
X = RANDOM.random((60, 4))
Y = RANDOM.random((60, 11)) < 0.5


def peak_of(ask, rows):
    ask(rows)  # what is made once
    tracemalloc.start()
    answer = ask(rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return answer, peak


def test_parts_count_as_often_as_they_are_there():
    base = GaussianNB()
    assert sum_over_parts([base, base, {"a": base}], lambda part: 1) == 3
    assert sum_over_parts(np.array([base, 5], object), lambda part: 1) == 1


@pytest.mark.parametrize(
    ("model", "least", "most"),
    [
        (RadiusNeighborsClassifier(radius=9.0), 60, 300),
        (RandomForestClassifier(10, random_state=0), 0, 100),
        (make_pipeline(StandardScaler(), PolynomialFeatures(3), DummyClassifier()), 34, 200),
    ],
)
def test_what_a_model_lays_out_for_a_row(model, least, most):
    assert least <= numbers_laid_out(model.fit(X, Y[:, 0])) <= most


@pytest.mark.parametrize("inference", ["exhaustive", "monte_carlo"])
def test_states_of_a_row_are_asked_about_in_parts(inference):
    rows, labels = RANDOM.random((2000, 4)), RANDOM.random((2000, 11)) < 0.5
    base = RadiusNeighborsClassifier(radius=9.0, algorithm="brute")
    model = ClassifierChain(base, inference=inference, n_samples=2000, random_state=0).fit(rows, labels)
    answer, peak = peak_of(model.predict_proba, rows[:1])
    np.testing.assert_allclose(answer, labels.mean(axis=0)[None], atol=0.02)
    assert peak < 2**25


@pytest.mark.parametrize("effect", ["direct", "total"])
def test_reasons_of_a_model_of_many_labels_take_little_memory(effect):
    rows = RANDOM.random((20, 20))
    labels = np.zeros((20, 3000), bool)
    labels[:10, :5] = True
    model = ClassifierChain(LogisticRegression(), order=list(range(3000))).fit(rows, labels)
    told, peak = peak_of(lambda asked: explain(model, asked, background=rows[:10], effect=effect), rows[:1])
    assert len(told) == 1
    assert peak < 2**26


def test_reasons_of_many_labels_are_from_fewer_questions():
    rows, labels = RANDOM.random((40, 20)), RANDOM.random((40, 800)) < 0.5
    model = BinaryRelevance(RandomForestClassifier(1, max_depth=1, random_state=0)).fit(rows, labels[:, :3])
    few = explain(model, rows[:1], background=rows, labels="all")[0]
    chain = ClassifierChain(LogisticRegression(), order=list(range(800))).fit(rows, labels)
    many = explain(chain, rows[:1], background=rows, labels="all", effect="total")[0]
    assert many.n_asked < 2700 < few.n_asked


def test_a_question_for_several_rows_compared_with():
    calls = []

    class Counting(GaussianNB):
        def predict_proba(self, asked):
            calls.append(len(asked))
            return super().predict_proba(asked)

    model = BinaryRelevance(Counting()).fit(X, Y[:, :1])
    calls.clear()
    explain(model, X[:1], background=X)
    assert max(calls) > 60 * 10
    assert len(calls) < 20


def test_few_rows_at_least():
    assert rows_at_a_time(2**40) == 16
    assert rows_at_a_time(0) == 2**20
