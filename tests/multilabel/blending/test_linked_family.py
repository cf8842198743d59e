from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from blend_problems import X, Y, problem_of
from bncc.linear import base
from bncc.metrics import macro_auc
from bncc.multilabel import FAMILIES
from bncc.multilabel.blending import linked_family, settings_search
from bncc.multilabel.blending.clock import Clock, OutOfTime
from bncc.multilabel.blending.linked_family import LinkedFamily
from bncc.multilabel.blending.timed_fit import TimedFit
from bncc.multilabel.targets import read_targets

NAMES = ["kernel chains", "linear", "linear SVM", "linear chains", "boosted trees"]
CASES = {"plain": {}, "once": {"once": True}, "missing": {"missing": True}, "unknown": {"unknown": True}}


@pytest.mark.parametrize(
    ("name", "case"),
    [
        *((name, case) for name in NAMES[:4] for case in CASES),
        ("boosted trees", "once"),
        *(pytest.param("boosted trees", case, marks=pytest.mark.slow) for case in ("missing", "unknown")),
    ],
)
def test_held_out_answers_are_near_those_for_new_rows(name, case):
    problem, family = problem_of(**CASES[case]), FAMILIES[name]
    settings = {"kernel chains": {"sigma": 4.0, "C": 1.0}, "boosted trees": {}}.get(name, {"C": 1.0})
    tried = family.try_out(problem, Clock(), 0.0, settings)
    part = tried.part or family.fit(problem, tried, Clock())
    new = part.rates(X[200:])
    assert macro_auc(Y[200:], new) > 0.7
    assert abs(macro_auc(Y[200:], new) - macro_auc(Y[problem.tested], tried.rates)) < 0.12
    assert abs(new.mean() - Y[:160].mean()) < 0.08


@pytest.mark.parametrize("name", NAMES[:4])
def test_settings_are_searched(name):
    problem = problem_of(120, make=sparse.csr_array)
    tried = FAMILIES[name].try_out(problem, Clock(), 0.0)
    assert dict(tried.settings) in [dict(each) for each in FAMILIES[name].grid]
    again = FAMILIES[name].try_out(problem, Clock(), 0.0, tried.settings)
    np.testing.assert_array_equal(again.rates, tried.rates)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_too_slow_is_given_up(name):
    with pytest.raises(OutOfTime):
        FAMILIES[name].try_out(problem_of(), Clock(1e-6), 0.0)


@pytest.mark.parametrize("name", ["linear", "linear SVM"])
def test_small_weights_are_dropped_for_many_labels_alone(name, monkeypatch):
    family, problem = FAMILIES[name], problem_of()

    def weights():
        tried = family.try_out(problem, Clock(), 0.0, {"C": 1.0})
        return (tried.part or family.fit(problem, tried, Clock())).model._solved.solutions.weights

    assert not sparse.issparse(weights())
    monkeypatch.setattr(base, "AUTO_TARGETS", problem.rows.targets.n_labels)
    monkeypatch.setattr(base, "AUTO_SHARE", 0.2)
    small = weights()
    assert sparse.issparse(small)
    assert 0 < small.nnz < 0.9 * np.prod(small.shape)


def test_boosting_wants_rows_and_dense_features():
    assert not FAMILIES["boosted trees"].suits(problem_of(199))
    assert FAMILIES["boosted trees"].suits(problem_of(200))
    assert not FAMILIES["boosted trees"].suits(problem_of(make=sparse.csr_array))
    assert FAMILIES["linear"].suits(problem_of(make=sparse.csr_array))


def test_linear_svms_are_for_much_work():
    few = problem_of(make=sparse.csr_array)
    work = few.rows.X.nnz * few.rows.targets.n_labels
    svm = FAMILIES["linear SVM"]
    assert not svm.suits(few)
    assert replace(svm, least_work=work).suits(few)
    assert not replace(svm, least_work=work + 1).suits(few)


def test_preparation_is_no_part_of_what_grows_with_the_rows(monkeypatch):
    fitted_rows = []

    def fit(model, rows, pulse):
        fitted_rows.append(rows.targets.n_rows)
        return model

    monkeypatch.setattr("bncc.multilabel.blending.linked_family._fitted", fit)
    monkeypatch.setattr("bncc.multilabel.binary_relevance.BinaryRelevance._scores", lambda model, X: X)
    for once, sizes in ((True, [40, 160]), (False, [160])):
        fitted_rows.clear()
        FAMILIES["linear"]._timed(problem_of(once=once), problem_of().rows, Clock(1e6), 0.0)
        assert fitted_rows == sizes


def test_chains_want_labels_to_chain():
    one = problem_of()
    one = replace(one, rows=replace(one.rows, targets=read_targets(Y[:160, :1])))
    assert FAMILIES["linear"].suits(one)
    assert not FAMILIES["linear chains"].suits(one)


def test_rows_that_fit_the_time_are_settings_that_do_the_same_again(monkeypatch):
    monkeypatch.setattr("bncc.multilabel.blending.timed_fit.TimedFit.of_rows", lambda timed, n_rows: 1e9)
    monkeypatch.setattr("bncc.multilabel.blending.timed_fit.TimedFit.rows_in", lambda timed, seconds: 110)
    family = replace(FAMILIES["linear"], least_learned=100)
    tried = family.try_out(problem_of(once=True), Clock(1e6), 0.0)
    assert tried.settings == {"C": 1.0, "rows": 110}  # there was no time for a search either
    again = family.try_out(problem_of(once=True), Clock(), 0.0, tried.settings)
    np.testing.assert_array_equal(again.rates, tried.rates)
    for late in (replace(family, least_learned=120), family):
        with pytest.raises(OutOfTime, match="would take longer"):
            late.try_out(problem_of(once=late is not family), Clock(1e6), 0.0)


@pytest.mark.parametrize(("make", "rows"), [(np.asarray, [22, 79]), (sparse.csr_array, [22, 128])])
def test_as_many_rows_are_learned_from_as_fit_the_time(monkeypatch, make, rows):
    now, taken = [0.0], []
    monkeypatch.setattr(Clock, "spent", property(lambda clock: now[0]))
    monkeypatch.setattr(LinkedFamily, "_timed", lambda *_: TimedFit(11, 11.0, 1.0))
    fitted = linked_family._fitted

    def slow(model, learned, pulse):
        taken.append(learned.targets.n_rows)
        now[0] += taken[-1]
        return fitted(model, learned, pulse)

    monkeypatch.setattr(linked_family, "_fitted", slow)
    family = replace(FAMILIES["linear"], grid=({"C": 1.0},), least_learned=5, power=1.0)
    tried = family.try_out(problem_of(once=True, make=make), Clock(220.0), 0.0)
    assert taken == rows
    assert tried.settings == ({"C": 1.0} if rows[-1] == 128 else {"C": 1.0, "rows": rows[-1]})


@pytest.mark.parametrize(("seconds", "searched"), [(1e6, True), (40.0, False)])
def test_rows_are_worth_more_than_a_search(monkeypatch, seconds, searched):
    asked = []
    monkeypatch.setattr(settings_search, "score_candidate", lambda *_: asked.append(1) or 0.0)
    monkeypatch.setattr(LinkedFamily, "_timed", lambda *_: TimedFit(160, 1.0, 1.0))
    problem = problem_of(once=True)
    family = replace(FAMILIES["linear"], least_learned=10)
    monkeypatch.setattr(TimedFit, "of_rows", lambda timed, n_rows: 1.0 if n_rows == 160 else 100.0)
    monkeypatch.setattr(TimedFit, "rows_in", lambda timed, seconds: 20)
    family.try_out(problem, Clock(seconds), 0.0)
    assert bool(asked) == searched
