"""Tasks: a batch of all folds gives what fit and predict would, fold by fold, and nothing leaks."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

from bncc.datasets import make_dataset, save
from bncc.evaluation.folds import deal, seed_of
from bncc.experiment import WHOLE, Candidate, Method, Task, load_protocol, run_task, trial
from bncc.experiment.features import features, load_study_dataset
from bncc.experiment.method_estimators import make_estimator
from bncc.experiment.trial import best_of
from bncc.metrics import evaluate
from bncc.multilabel import linear
from bncc.svm import KernelSearchCV

LINEAR = Method("b", "LogisticRegression", {"C": 3.0}, None, {})
METHODS = {
    "BR": Method("BR", "BinaryRelevance", {}, None, {}),
    "CLR": Method("CLR", "CalibratedLabelRanking", {}, None, {}),
    "CC": Method("CC", "ClassifierChain", {}, None, {}),
    "GCC": Method("GCC", "GroupSensitiveChain", {"n_groups": 2}, None, {}),
    "ECC": Method("ECC", "EnsembleClassifierChain", {"n_chains": 3}, None, {}),
    "BNCC": Method("BNCC", "BNCC", {}, None, {}),
    "beam": Method("beam", "ClassifierChain", {"inference": "beam", "beam_width": 2}, None, {}),
    "kNN": Method("kNN", "MLkNN", {}, None, {}),
    "trees": Method("trees", "BNCC", {}, Method("b", "DecisionTreeClassifier", {}, None, {}), {}),
    "tuned": Method("tuned", "TunedThresholds", {}, Method("b", "BinaryRelevance", {}, None, {}), {}),
    "linear": Method("linear", "BNCC", {}, LINEAR, {}),
    "tuned linear": Method("tuned linear", "TunedThresholds", {}, Method("b", "BNCC", {}, LINEAR, {}), {}),
}
WITHOUT_KERNEL = ("kNN", "trees", "linear", "tuned linear")


def by_hand(protocol, task, pair):
    """Each fold by scale, fit, predict."""
    source = protocol.source(task.dataset)
    Y = np.asarray(load_study_dataset(source).Y)
    estimator = make_estimator(
        protocol.method(task.method), task.dataset, seed=seed_of(protocol.seed, task.dataset, task.repeat)
    )
    seed = seed_of(protocol.seed, task.dataset, "folds", task.repeat)
    for train, test in deal(Y, protocol.folds.n, stratified=protocol.folds.stratified, seed=seed):
        feats = features(source, protocol.scaling, train)
        model = clone(estimator)
        if task.method not in WITHOUT_KERNEL:
            model.set_base_params(sigma=pair[0], C=pair[1])
        model.fit(feats.X[train], Y[train])
        yield evaluate(Y[test], model.predict(feats.X[test]), metrics=protocol.metrics), model


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("fit", ["training", "all"])
def test_records_are_those_of_fit_and_predict(protocol, name, fit):
    plan = replace(protocol.selection, mode="none", sigma=(2.0,))
    scaling = replace(protocol.scaling, fit=fit)
    protocol = replace(protocol, methods=(METHODS[name],), selection=plan, scaling=scaling)
    task = Task("first", name, 1)
    outcome = run_task(protocol, task)
    folds = [record for record in outcome.records if record.fold != WHOLE]
    assert [record.fold for record in folds] == [0, 1, 2]
    for record, (scores, model) in zip(folds, by_hand(protocol, task, (2.0, 10.0)), strict=True):
        assert dict(record.scores) == pytest.approx(scores, abs=1e-12)
        assert record.order == getattr(model, "order_", None)
        assert record.sigma == (None if name in WITHOUT_KERNEL else 2.0)
        assert (record.parents is not None) == (getattr(model, "network_", None) is not None)
        assert record.train_seconds > 0
    assert not outcome.candidates


@pytest.mark.parametrize("name", ["BR", "BNCC", "ECC", "CLR", "kNN", "trees", "tuned"])
def test_unknown_labels_are_left_out_of_fits_and_scores(write_protocol, tmp_path, name):
    """Empty cells of a file are unknown labels: results are those of fit, predict and masked metrics."""
    path = tmp_path / "first.csv"
    header, *lines = path.read_text().splitlines()
    for place in range(0, len(lines), 4):
        cells = lines[place].split(",")
        cells[-1 - place % 3] = ""
        lines[place] = ",".join(cells)
    path.write_text("\n".join([header, *lines]) + "\n")
    protocol = load_protocol(write_protocol())
    plan = replace(protocol.selection, mode="none", sigma=(2.0,))
    protocol = replace(protocol, methods=(METHODS[name],), selection=plan)
    truth = np.asarray(load_study_dataset(protocol.source("first")).Y)
    assert np.isnan(truth).sum() == -(-len(lines) // 4)
    task = Task("first", name, 0)
    folds = [record for record in run_task(protocol, task).records if record.fold != WHOLE]
    for record, (scores, _) in zip(folds, by_hand(protocol, task, (2.0, 10.0)), strict=True):
        assert dict(record.scores) == pytest.approx(scores, abs=1e-12)
        assert all(np.isfinite(value) for value in record.scores.values())


@pytest.mark.parametrize("name", ["linear", "tuned linear"])
def test_linear_bases_run_on_the_engine_in_one_batch(protocol, monkeypatch, name):
    sizes, fitted = [], []
    solve, predictions = linear.solve, trial.fit_folds

    def solve_seen(batch, **settings):
        sizes.append(len(batch))
        return solve(batch, **settings)

    def predictions_seen(*args, **settings):
        for tested in predictions(*args, **settings):
            fitted.append(tested.model)
            yield tested

    monkeypatch.setattr(linear, "solve", solve_seen)
    monkeypatch.setattr(trial, "fit_folds", predictions_seen)
    protocol = replace(protocol, methods=(METHODS[name],))
    n_labels = len(load_study_dataset(protocol.source("first")).label_names)
    records = run_task(protocol, Task("first", name, 0)).records
    chains = [model.estimator_ if name.startswith("tuned") else model for model in fitted]
    assert len(chains) == 3
    assert {chain.engine_.name for chain in chains} == {record.engine for record in records}
    assert {record.engine for record in records} <= {"native", "numpy", "cuda"}
    assert {(record.sigma, record.C) for record in records} == {(None, None)}
    # All links of a fold at once; thresholds add one batch of the links of all inner folds.
    assert [size for size in sizes if size == n_labels] == [n_labels] * 3
    assert len(sizes) == (6 if name.startswith("tuned") else 3)


def test_bases_of_scikit_learn_are_told_from_ours(protocol):
    base = Method("b", "sklearn.LogisticRegression", {}, None, {})
    protocol = replace(protocol, methods=(Method("M", "BNCC", {}, base, {}),))
    assert {record.engine for record in run_task(protocol, Task("first", "M", 0)).records} == {"sklearn"}


def test_nested_selection_sees_training_rows_alone(protocol):
    """The same candidates as a search on the training rows."""
    task = Task("first", "BNCC", 0)
    outcome = run_task(protocol, task)
    Y = np.asarray(load_study_dataset(protocol.source("first")).Y)
    folds = deal(Y, 3, stratified=True, seed=seed_of(1, "first", "folds", 0))
    seed = seed_of(1, "first", 0)
    for fold, (train, _) in enumerate(folds):
        inner = deal(Y, 3, stratified=True, seed=seed_of(seed, "selection", fold), rows=train)
        place = {row: k for k, row in enumerate(train.tolist())}
        local = [tuple(np.array([place[r] for r in rows.tolist()]) for rows in pair) for pair in inner]
        X = features(protocol.source("first"), protocol.scaling, train).X
        search = KernelSearchCV(
            make_estimator(protocol.method("BNCC"), "first", seed=seed),
            {"sigma": [1.0, 4.0], "C": [10.0]},
            cv=local,
            scoring=lambda model, X, Y: evaluate(Y, model.predict(X), metrics=["example_f1"])["example_f1"],
            refit=False,
        ).fit(X[train], Y[train])
        mine = [c for c in outcome.candidates if c.fold == fold]
        assert [c.scores["example_f1"] for c in mine] == pytest.approx(search.cv_results_["mean_test_score"])
        assert outcome.records[fold].sigma == search.best_params_["sigma"]
        assert outcome.records[fold].select_seconds > 0


def test_labels_of_test_rows_do_not_reach_the_choice(write_protocol, tmp_path):
    protocol = load_protocol(write_protocol(replace=[("n = 3", "n = 3\nstratified = false")]))
    before = run_task(protocol, Task("first", "BNCC", 0))
    data = load_study_dataset(protocol.source("first"))
    folds = deal(np.asarray(data.Y), 3, stratified=False, seed=seed_of(1, "first", "folds", 0))
    Y = np.array(data.Y)
    Y[folds[0][1]] = 1 - Y[folds[0][1]]
    save(make_dataset(data.X, Y, label_names=data.label_names, name="first"), tmp_path / "first.csv")
    after = run_task(protocol, Task("first", "BNCC", 0))
    tried = [[c for c in outcome.candidates if c.fold == 0] for outcome in (before, after)]
    assert tried[0] == tried[1]
    assert before.records[0].order == after.records[0].order
    assert before.records[0].scores != after.records[0].scores
    assert before.candidates != after.candidates


def test_choice_on_all_rows_is_handed_to_the_repeats(protocol):
    protocol = replace(protocol, selection=replace(protocol.selection, mode="whole"))
    whole = run_task(protocol, Task("first", "BR", WHOLE))
    assert not whole.records
    assert [(c.sigma, c.C, c.repeat, c.fold) for c in whole.candidates] == [(1, 10, -1, -1), (4, 10, -1, -1)]
    pair = best_of(whole.candidates, "example_f1")
    outcome = run_task(protocol, Task("first", "BR", 0), pair)
    assert {(r.sigma, r.C) for r in outcome.records if r.fold != WHOLE} == {pair}
    assert not run_task(protocol, Task("first", "kNN", WHOLE)).candidates


def test_methods_share_folds_and_repeats_do_not(protocol):
    first = [run_task(protocol, Task("first", name, 0)) for name in ("BR", "BNCC")]
    pooled = [outcome.records[-1] for outcome in first]
    assert all(record.fold == WHOLE for record in pooled)
    again = run_task(protocol, Task("first", "BR", 0))
    assert [r.scores for r in again.records] == [r.scores for r in first[0].records]
    other = run_task(protocol, Task("first", "BR", 1))
    assert other.records[0].scores != first[0].records[0].scores


def test_pooled_scores_are_those_of_all_test_rows(protocol):
    """Hamming loss is a mean over cells, so pooling weighs folds by their rows."""
    outcome = run_task(protocol, Task("first", "BR", 0))
    folds = [r for r in outcome.records if r.fold != WHOLE]
    sizes = [20, 20, 20]
    expected = np.average([r.scores["hamming_loss"] for r in folds], weights=sizes)
    assert outcome.records[-1].scores["hamming_loss"] == pytest.approx(expected)
    assert outcome.records[-1].train_seconds == pytest.approx(sum(r.train_seconds for r in folds))


def test_ranking_metrics(write_protocol):
    protocol = load_protocol(write_protocol(extra='metrics = ["ranking_loss", "macro_auc", "Fscore"]'))
    for name in ("BR", "kNN"):
        record = run_task(protocol, Task("first", name, 0)).records[0]
        assert set(record.scores) == {"ranking_loss", "macro_auc", "example_f1"}
        assert 0 < record.scores["ranking_loss"] < 0.5


def test_selection_on_some_rows(protocol):
    protocol = replace(protocol, selection=replace(protocol.selection, mode="whole", rows=30))
    some = run_task(protocol, Task("first", "BR", WHOLE))
    every = run_task(replace(protocol, selection=replace(protocol.selection, rows=None)), Task("first", "BR", WHOLE))
    assert some.candidates[0].scores != every.candidates[0].scores


def test_best_of():
    def candidate(sigma, f1, loss):
        return Candidate("d", "m", 0, 0, sigma, 1.0, {"example_f1": f1, "hamming_loss": loss})

    tried = [candidate(1, 0.5, 0.2), candidate(2, 0.5 + 1e-14, 0.1), candidate(4, float("nan"), 0.1)]
    assert best_of(tried, "example_f1") == (1, 1.0)
    assert best_of(tried, "hamming_loss") == (2, 1.0)


def test_pulse_stops_a_task(protocol):
    def stop(solved):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_task(protocol, Task("first", "BR", 0), pulse=stop)
