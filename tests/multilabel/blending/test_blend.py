"""The blend as people use it: metrics, data of all forms, limits of time, plans, scikit-learn's tools."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    RandomForestRegressor,
)
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from blend_problems import X, Y, problem_of
from bncc.metrics import evaluate, example_f1, get_scorer, macro_auc
from bncc.multilabel import FAMILIES, Blend, load_model, recommended, save_model
from bncc.multilabel.blending import kernel_ridge_family, label_set_family, stacking, tree_family
from bncc.multilabel.blending.blend_weights import weights_of_labels
from bncc.multilabel.blending.clock import Clock
from bncc.multilabel.blending.label_set_family import LabelSetPart
from bncc.multilabel.blending.leaderboard import PlannedDecision
from bncc.multilabel.blending.tree_family import ForestPart
from bncc.multilabel.blending.trials import try_families
from stopwatch import timed_thrice

TRAIN, TEST = slice(0, 200), slice(200, 400)
LINKED = ["kernel chains", "linear", "linear SVM", "linear chains", "boosted trees"]
QUICK = {"families": ["extra trees", "linear"], "random_state": 0, "n_jobs": 1}


@pytest.fixture(scope="module")
def fitted():
    return Blend(**QUICK).fit(X[TRAIN], Y[TRAIN])


def test_parts_weights_and_leaderboard(fitted):
    assert set(fitted.parts_) == set(fitted.weights_)
    assert sum(fitted.weights_.values()) == pytest.approx(1.0)
    assert {row.family for row in fitted.leaderboard_} == {"extra trees", "linear", "blend"}
    assert [row.score for row in fitted.leaderboard_] == sorted(
        (row.score for row in fitted.leaderboard_), reverse=True
    )
    assert all(row.seconds > 0 for row in fitted.leaderboard_)
    assert fitted.engine_ is None


@pytest.mark.parametrize(
    "metric",
    [
        *("example_f1", "macro_f1", "micro_f1", "example_jaccard", "hamming_loss", "subset_accuracy"),
        *("ranking_loss", "macro_auc", "log_loss"),
    ],
)
def test_every_kind_of_metric(metric):
    blend = Blend(metric, families=["extra trees", "label sets"], random_state=0).fit(X[TRAIN], Y[TRAIN])
    predicted, rates = blend.predict(X[TEST]), blend.predict_proba(X[TEST])
    assert predicted.shape == rates.shape == Y[TEST].shape
    np.testing.assert_array_equal(blend.decision_function(X[TEST]) > 0, predicted == 1)
    sign, none = -1.0 if metric.endswith("loss") else 1.0, np.zeros(Y[TEST].shape)
    value, nothing, at_half = (
        sign * evaluate(Y[TEST], labels, answers, answers, metrics=[metric])[metric]
        for labels, answers in ((predicted, rates), (none.astype(int), none), ((rates > 0.5).astype(int), rates))
    )
    assert value > nothing
    assert value > at_half - 0.01
    np.testing.assert_allclose(rates.mean(axis=0), Y[TRAIN].mean(axis=0), atol=0.15)


@pytest.mark.parametrize("metric", ["example_f1", "log_loss"])
@pytest.mark.parametrize("families", [["extra trees", "linear"], ["kernel ridge", "label sets", "stacked trees"]])
def test_probabilities_hold_as_often_as_they_say(families, metric):
    rng = np.random.default_rng(5)
    features = rng.normal(size=(7000, 8))
    bent = features @ rng.normal(size=(8, 4)) + 2.0 * np.sin(2.0 * features[:, :4])
    labels = (bent + 1.5 * rng.normal(size=bent.shape) > [0.0, 1.0, 2.0, 4.0]).astype(int)
    blend = Blend(metric, families=families, random_state=0).fit(features[:1000], labels[:1000])
    rates, truth = blend.predict_proba(features[1000:]).ravel(), labels[1000:].ravel()
    bins = np.minimum((rates * 10).astype(int), 9)
    assert len(set(bins)) > 8
    for number in range(10):
        said, held = rates[bins == number], truth[bins == number]
        if said.size >= 500:
            assert abs(said.mean() - held.mean()) < 0.05, (number, said.size)


def test_trees_see_gaps_as_they_are_and_others_see_them_filled(monkeypatch):
    holes = np.where(np.random.default_rng(0).random(X[TRAIN].shape) < 0.1, np.nan, X[TRAIN])
    gaps = {}

    def noting(kind):
        original = kind.fit

        def fit(self, X, *given, **options):
            values = X.data if sparse.issparse(X) else np.asarray(X)
            gaps.setdefault(kind.__name__, set()).add(bool(np.isnan(values).any()))
            return original(self, X, *given, **options)

        monkeypatch.setattr(kind, "fit", fit)

    forests = (ExtraTreesRegressor, RandomForestRegressor, ExtraTreesClassifier, HistGradientBoostingClassifier)
    for kind in forests:
        noting(kind)
    problem = problem_of(missing=True)
    FAMILIES["boosted trees"].try_out(problem, Clock(), 0.0)
    seen = {name: bool(np.isnan(FAMILIES[name]._rows(problem).X).any()) for name in LINKED}
    assert seen == {name: name == "boosted trees" for name in LINKED}
    parts = Blend(random_state=0, n_jobs=1).fit(holes, Y[TRAIN]).parts_
    assert gaps == {kind.__name__: {True} for kind in forests}
    for name, part in parts.items():
        raw = part.to_numbers is None
        assert raw == isinstance(part, ForestPart | LabelSetPart), name
        assert np.isfinite(part.rates(holes if name != "stacked trees" else np.hstack([holes, Y[TRAIN]]))).all()
    ridge = FAMILIES["kernel ridge"].try_out(problem, Clock(), 0.0).part.model
    assert np.isfinite(ridge.rows).all()


def test_a_seed_settles_everything_and_a_plan_does_it_again(fitted):
    again = clone(fitted).fit(X[TRAIN], Y[TRAIN])
    np.testing.assert_array_equal(again.predict_proba(X[TEST]), fitted.predict_proba(X[TEST]))
    limited = clone(fitted).set_params(time_limit=5.0).fit(X[TRAIN], Y[TRAIN])
    replayed = Blend(plan=limited.plan_, random_state=0).fit(X[TRAIN], Y[TRAIN])
    np.testing.assert_allclose(replayed.predict_proba(X[TEST]), limited.predict_proba(X[TEST]))
    assert replayed.plan_ == limited.plan_


@pytest.mark.parametrize("metric", ["example_f1", "subset_accuracy"])
@pytest.mark.parametrize("limit", [0.05, 0.3, 1.0])
def test_a_plan_of_little_time_is_done_again_to_the_last_bit(limit, metric):
    limited = Blend(metric, time_limit=limit, random_state=0, n_jobs=1).fit(X[TRAIN], Y[TRAIN])
    replayed = Blend(plan=limited.plan_, random_state=0, n_jobs=1).fit(X[TRAIN], Y[TRAIN])
    np.testing.assert_array_equal(replayed.predict_proba(X[TEST]), limited.predict_proba(X[TEST]))
    np.testing.assert_array_equal(replayed.predict(X[TEST]), limited.predict(X[TEST]))
    assert replayed.plan_ == limited.plan_
    assert replayed.weights_ == limited.weights_


@pytest.mark.parametrize("limit", [0.3, 1.0])
def test_a_plan_of_some_of_many_rows_is_done_again_to_the_last_bit(limit):
    rng = np.random.default_rng(0)
    features = rng.normal(size=(5000, 10))
    labels = (features @ rng.normal(size=(10, 4)) + rng.normal(size=(5000, 4)) > 1.0).astype(int)
    limited = Blend(time_limit=limit, random_state=0, n_jobs=1).fit(features, labels)
    replayed = Blend(plan=limited.plan_, random_state=0, n_jobs=1).fit(features, labels)
    np.testing.assert_array_equal(replayed.predict_proba(features[:100]), limited.predict_proba(features[:100]))
    np.testing.assert_array_equal(replayed.predict(features[:100]), limited.predict(features[:100]))


def test_a_plan_for_other_labels_is_refused(fitted):
    plan = replace(fitted.plan_, decision=PlannedDecision("thresholds", (0.5,) * Y.shape[1]))
    with pytest.raises(ValueError, match=r"The plan decides by thresholds .* 4 labels\. Give `plan=` with the data"):
        Blend(plan=plan, random_state=0).fit(X[TRAIN], Y[TRAIN, :4])


def test_data_of_all_forms(fitted):
    thin = clone(fitted).fit(sparse.csr_array(X[TRAIN]), sparse.csr_array(Y[TRAIN]))
    assert macro_auc(Y[TEST], thin.predict_proba(sparse.csr_array(X[TEST]))) > 0.75
    names = [f"l{number}" for number in range(Y.shape[1])]
    frame = clone(fitted).fit(pd.DataFrame(X[TRAIN]), pd.DataFrame(Y[TRAIN], columns=names))
    np.testing.assert_array_equal(frame.predict(pd.DataFrame(X[TEST])), fitted.predict(X[TEST]))
    assert frame.label_names_ == tuple(names)
    one = clone(fitted).fit(X[TRAIN], np.where(Y[TRAIN, 0] == 1, "yes", "no"))
    assert set(one.predict(X[TEST])) <= {"yes", "no"}
    assert one.predict_proba(X[TEST]).shape == (200, 2)


def test_unknown_labels_and_missing_features():
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(Y[TRAIN].shape) < 0.2, np.nan, Y[TRAIN])
    holes = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    blend = Blend(**QUICK).fit(holes[TRAIN], labels)
    assert example_f1(Y[TEST], blend.predict(holes[TEST])) > 0.4
    assert np.isfinite(blend.predict_proba(holes[TEST])).all()
    whole = Blend(**QUICK).fit(X[TRAIN], Y[TRAIN])  # new rows may miss what no row has missed before
    assert example_f1(Y[TEST], whole.predict(holes[TEST])) > 0.4
    thin = Blend(**QUICK).fit(sparse.csr_array(X[TRAIN]), Y[TRAIN]).predict_proba(sparse.csr_array(holes[TEST]))
    assert np.isfinite(thin).all()
    everything = labels.copy()
    everything[:, 1] = np.nan
    with pytest.warns(UserWarning, match="No value of 1 label"):
        blend = Blend(**QUICK).fit(X[TRAIN], everything)
    assert np.isfinite(blend.predict_proba(X[TEST])).all()


@pytest.mark.parametrize("n_rows", [1, 2, 3, 7])
def test_very_few_rows(n_rows):
    blend = Blend(**QUICK).fit(X[:n_rows], Y[:n_rows])
    assert blend.predict(X[TEST]).shape == Y[TEST].shape
    assert np.isfinite(blend.predict_proba(X[TEST])).all()


def test_few_rows_give_families_weights_that_are_near_one_another():
    families = ["extra trees", "linear", "random forest"]
    few = Blend(families=families, random_state=0).fit(X[:20], Y[:20]).weights_
    assert min(few.values()) > 0.8 / 3 - 1e-9
    assert sum(few.values()) == pytest.approx(1.0)
    some = Blend(families=families, random_state=0).fit(X[:80], Y[:80]).weights_
    assert min(some.values()) >= 0.2 / 3 - 1e-9


def test_constant_labels():
    labels = Y[TRAIN].copy()
    labels[:, 0], labels[:, 1] = 1, 0
    blend = Blend(**QUICK).fit(X[TRAIN], labels)
    predicted = blend.predict(X[TEST])
    assert predicted[:, 0].all()
    assert not predicted[:, 1].any()


def test_labels_that_never_change_are_as_probable_as_their_rows_say():
    labels = Y[TRAIN].astype(float)
    n_rows = len(labels)
    labels[:, 0], labels[:, 1], labels[:, 2] = 1, np.nan, 0
    labels[5:, 0] = np.nan
    with pytest.warns(UserWarning, match=r"No value of 1 label\(s\) is known \(1\): each is answered with the mean"):
        blend = Blend(**QUICK).fit(X[TRAIN], labels)
    rates = blend.predict_proba(X[TEST])
    shares = (np.delete(labels, 1, axis=1) == 1).sum(axis=0)
    others = [5.5 / 6, *((shares[1:] + 0.5) / (n_rows + 1))]
    expected = [5.5 / 6, np.mean(others), 0.5 / (n_rows + 1)]
    np.testing.assert_allclose(rates[:, :3], np.tile(expected, (len(rates), 1)), rtol=1e-6)
    assert rates[:, 3].std() > 0.05


@pytest.mark.filterwarnings("ignore:No family of models was done")  # a slow machine may try nothing in 50 ms
@pytest.mark.parametrize("limit", [0.05, 1.0, 4.0])
def test_a_limit_is_kept_and_there_is_an_answer(limit):
    most = 1.1 * limit + 2.0
    model = Blend(time_limit=limit, random_state=0, n_jobs=1)
    for _ in range(3):  # a machine may stand still for a while
        blend, watch = timed_thrice(lambda: model.fit(X[TRAIN], Y[TRAIN]), most)
        value, nothing_tried = example_f1(Y[TEST], blend.predict(X[TEST])), list(blend.parts_) == ["prior"]
        if not nothing_tried:
            break
    assert watch.within(most), watch
    assert value > (0.3 if nothing_tried and limit < 1.0 else 0.4)  # a slow machine may try nothing in 50 ms
    assert blend.plan_.limited


def test_of_very_many_rows_some_are_looked_at_within_a_limit(monkeypatch):
    monkeypatch.setattr("bncc.multilabel.blending.blend.rows_in_time", lambda X: 120)
    seen = []
    monkeypatch.setattr(
        "bncc.multilabel.blending.blend.try_families",
        lambda families, problem, plan, clock: seen.append(problem) or try_families(families, problem, plan, clock),
    )
    groups = np.arange(200) // 2
    blend = Blend(**QUICK, time_limit=20).fit(X[TRAIN], Y[TRAIN], groups=groups)
    assert seen[0].rows.X.shape[0] == len(seen[0].groups) == 120
    Blend(**QUICK).fit(X[TRAIN], Y[TRAIN])
    assert seen[1].rows.X.shape[0] == 200
    replayed = Blend(plan=blend.plan_, random_state=0).fit(X[TRAIN], Y[TRAIN], groups=groups)
    np.testing.assert_allclose(replayed.predict_proba(X[TEST]), blend.predict_proba(X[TEST]))


def test_groups_and_weights_reach_the_folds():
    copies = np.repeat(np.arange(100), 2)
    rows = X[copies] + 1e-6 * np.arange(200)[:, None]  # equal ones would be kept together without being told
    doubled = rows, np.random.default_rng(0).integers(0, 2, (100, 3))[copies]
    # Labels are noise: only a copy of the row in another fold can tell them.
    leaking = Blend("macro_auc", **QUICK).fit(*doubled).leaderboard_.rows[0].score
    kept = Blend("macro_auc", **QUICK).fit(*doubled, groups=copies).leaderboard_.rows[0].score
    assert leaking > kept + 0.1
    weight = np.where(Y[TRAIN].any(axis=1), 0.01, 1.0)
    empty = Blend(**QUICK).fit(X[TRAIN], Y[TRAIN], sample_weight=weight).predict(X[TEST])
    assert empty.sum() < Blend(**QUICK).fit(X[TRAIN], Y[TRAIN]).predict(X[TEST]).sum()
    with sklearn.config_context(enable_metadata_routing=True):
        pipe = make_pipeline(StandardScaler(), Blend("macro_auc", **QUICK).set_fit_request(groups=True))
        routed = pipe.fit(*doubled, groups=copies)[-1].leaderboard_.rows[0].score
    assert leaking > routed + 0.1


def test_equal_rows_are_kept_together():
    copies = np.repeat(np.arange(100), 2)
    doubled = X[copies], np.random.default_rng(0).integers(0, 2, (100, 3))[copies]
    alone, told = (Blend(**QUICK).fit(*doubled, **groups) for groups in ({}, {"groups": copies}))
    np.testing.assert_array_equal(alone.predict_proba(X[TEST]), told.predict_proba(X[TEST]))


def test_rows_of_weight_0_are_left_out():
    weight = np.where(np.arange(200) % 4 == 0, 0.0, 1.0)
    far = np.where(weight[:, None] > 0, X[TRAIN], 1e4)  # the ranges of features would be others
    without = Blend(**QUICK).fit(X[TRAIN][weight > 0], Y[TRAIN][weight > 0])
    left_out = Blend(**QUICK).fit(far, Y[TRAIN], sample_weight=weight)
    np.testing.assert_array_equal(left_out.predict_proba(X[TEST]), without.predict_proba(X[TEST]))
    assert Blend(**QUICK).fit(X[TRAIN], Y[TRAIN], sample_weight=np.eye(200)[0]).predict(X[TEST]).shape == Y[TEST].shape


def test_only_ratios_of_weights_matter():
    weight = np.random.default_rng(0).integers(1, 4, 200) / 4
    one, other = (Blend(**QUICK).fit(X[TRAIN], Y[TRAIN], sample_weight=size * weight) for size in (1.0, 2.0**-20))
    np.testing.assert_array_equal(one.predict_proba(X[TEST]), other.predict_proba(X[TEST]))


def test_heavy_rows_do_not_spoil_what_forests_answer_for_rows_held_out():
    """Weights that tell nothing: by weight, heavy rows are in the bag of nearly every tree."""
    random = np.random.default_rng(0)
    rows = random.normal(size=(900, 6))
    signs = rows > 0
    labels = np.column_stack([signs[:, 0] ^ signs[:, 1], signs[:, 2] ^ signs[:, 3], signs[:, 0] ^ signs[:, 4]])
    weight = np.exp(1.5 * random.normal(size=400))
    blend = Blend(families=["random forest"], random_state=0).fit(rows[:400], labels[:400], sample_weight=weight)
    found = example_f1(labels[400:], blend.predict(rows[400:]))
    assert blend.leaderboard_.rows[0].score == pytest.approx(found, abs=0.06)


def test_one_group_and_labels_that_nobody_knows_are_refused():
    with pytest.raises(ValueError, match="`groups` must have two values at least"):
        Blend(**QUICK).fit(X[TRAIN], Y[TRAIN], groups=np.zeros(200))
    with pytest.raises(ValueError, match="must have a label that is known"):
        Blend(**QUICK).fit(X[TRAIN], np.full((200, 3), np.nan))


def test_a_table_without_rows_is_refused():
    table = pd.DataFrame({"size": X[TRAIN, 0], "kind": np.where(X[TRAIN, 1] > 0, "big", "small")})
    model = Blend(**QUICK).fit(table, Y[TRAIN])
    with pytest.raises(ValueError, match="X must have at least one row"):
        model.predict_proba(table[:0])


def test_weights_of_rows_are_routed_and_reach_the_weights_of_labels(monkeypatch):
    weight, seen = np.where(np.arange(200) % 4 == 0, 0.25, 1.25), []
    monkeypatch.setattr(
        "bncc.multilabel.blending.settling.weights_of_labels",
        lambda *given: seen.append(given[4]) or weights_of_labels(*given),
    )
    direct = Blend(**QUICK).fit(X[TRAIN], Y[TRAIN], sample_weight=weight)
    np.testing.assert_array_equal(seen[0], weight)
    with sklearn.config_context(enable_metadata_routing=True):
        model = Blend(**QUICK).set_fit_request(sample_weight=True)
        pipe = make_pipeline(FunctionTransformer(), model).fit(X[TRAIN], Y[TRAIN], sample_weight=weight)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        make_pipeline(scaler, clone(model)).fit(X[TRAIN], Y[TRAIN], sample_weight=weight)
    np.testing.assert_array_equal(seen[2], weight)
    np.testing.assert_array_equal(pipe.predict_proba(X[TEST]), direct.predict_proba(X[TEST]))
    assert not np.allclose(direct.predict_proba(X[TEST]), Blend(**QUICK).fit(X[TRAIN], Y[TRAIN]).predict_proba(X[TEST]))


@pytest.mark.parametrize("family", ["extra trees", "random forest", "label sets", "linear"])
def test_weights_of_one_are_no_weights(family):
    plain, weighted = (
        Blend(families=[family], random_state=0, n_jobs=1).fit(X[TRAIN], Y[TRAIN], sample_weight=weight)
        for weight in (None, np.ones(200))
    )
    np.testing.assert_allclose(plain.predict_proba(X[TEST]), weighted.predict_proba(X[TEST]))


def test_in_a_cross_validation_and_in_a_file(fitted, tmp_path):
    assert cross_val_score(Blend(**QUICK), X[TRAIN], Y[TRAIN], scoring=get_scorer("micro_f1"), cv=2).min() > 0.3
    pytest.importorskip("skops")
    for model in (fitted, Blend("subset_accuracy", families=["label sets"], random_state=0).fit(X[TRAIN], Y[TRAIN])):
        save_model(model, tmp_path / "blend.skops")
        again = load_model(tmp_path / "blend.skops")
        np.testing.assert_array_equal(again.predict(X[TEST]), model.predict(X[TEST]))
        np.testing.assert_allclose(again.predict_proba(X[TEST]), model.predict_proba(X[TEST]))
        assert str(again.leaderboard_) == str(model.leaderboard_)


def test_it_tells_what_it_tries(capfd):
    Blend(**QUICK, time_limit=20, verbose=1).fit(X[:60], Y[:60])
    told = capfd.readouterr().err
    assert "trying extra trees" in told
    assert "best so far" in told
    assert "s left" in told


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"time_limit": 0}, "`time_limit` must be a number of seconds above 0"),
        ({"time_limit": "60"}, "`time_limit` must be"),
        ({"time_limit": True}, "`time_limit` must be a number of seconds above 0, or None; got True"),
        ({"n_jobs": 0}, "`n_jobs` must be None, -1 .* got 0"),
        ({"metric": "f1"}, "There is no metric 'f1'"),
        ({"families": ["tree"]}, "`families` has no family 'tree'"),
    ],
)
def test_errors(options, message):
    with pytest.raises(ValueError, match=message):
        Blend(**options).fit(X[:20], Y[:20])


@pytest.mark.slow
def test_all_families_beat_each_alone_or_nearly_so():
    blend = Blend(random_state=0).fit(X[TRAIN], Y[TRAIN])
    value = example_f1(Y[TEST], blend.predict(X[TEST]))
    alone = [
        example_f1(Y[TEST], Blend(families=[name], random_state=0).fit(X[TRAIN], Y[TRAIN]).predict(X[TEST]))
        for name in blend.weights_
        if name != "stacked trees"  # on top of the others
    ]
    assert value > max(alone) - 0.03
    assert value > np.mean(alone)


@pytest.mark.slow
@pytest.mark.parametrize("families", [["extra trees"], ["linear"]])
def test_scikit_learn_checks(families):
    weights = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
    check_estimator(
        Blend(families=families, random_state=0, n_jobs=1),
        expected_failed_checks={
            **dict.fromkeys(weights, "folds and bags see repeated rows apart from weighted ones"),
            "check_classifier_multioutput": "labels are decided for the metric, not at one half",
        },
        on_skip=None,
    )


def test_a_limit_may_be_as_long_as_one_likes():
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = Blend(time_limit=1e308, families=["extra trees"], random_state=0).fit(X, (X > 0).astype(int))
    assert model.predict(X).shape == (60, 3)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_numbers_that_trees_cannot_hold_are_refused(fitted, form):
    large = form(X[TRAIN] * -1e39)
    for call in (lambda: Blend(**QUICK).fit(large, Y[TRAIN]), lambda: fitted.predict(large)):
        with pytest.raises(ValueError, match=r"Blend takes numbers up to 3\.4e\+38 in size; got .* Scale `X` first"):
            call()


def test_the_bounds_of_cost_are_told_as_they_are():
    ridge = f"kernel ridge regression: {kernel_ridge_family._MOST_ROWS:,} rows"
    n_ridge = len(kernel_ridge_family._WIDTHS) * len(kernel_ridge_family._PENALTIES)
    told = (
        ridge,
        f"{n_ridge} settings on {kernel_ridge_family._SEARCH_ROWS} rows",
        f"forests: {tree_family._N_TREES} trees, fewer beyond {tree_family._MANY_LABELS:,} labels",
        f"label sets from {label_set_family._MOST_ROWS:,} rows",
        f"whose {len(FAMILIES['kernel chains'].grid)} settings are searched by one chain on 1,500 rows",
        f"from {FAMILIES['boosted trees'].most_rows:,} rows",
        f"labels are {stacking._TREES._wide.most_work / 1e6:.0f} million at most",
    )
    for bound in told:
        assert bound in " ".join(Blend.__doc__.split()), bound
    shorter = " ".join(recommended.__doc__.split())
    assert f"{n_ridge} settings of kernel ridge regression on 800 rows and a fit on 5,000, stacked trees" in shorter


def test_boosted_trees_find_out_on_few_rows_what_nothing_else_does():
    random = np.random.default_rng(0)
    features = random.normal(size=(900, 20))
    labels = np.column_stack(
        [(features[:, 0] > 0) ^ (features[:, 1] > 0), np.abs(features[:, 2]) < 0.6, features[:, 3] > 0]
    ).astype(int)
    blend = Blend("macro_f1", random_state=0).fit(features[:500], labels[:500])
    assert blend.weights_["boosted trees"] > 0.2
    assert evaluate(labels[500:], blend.predict(features[500:]), metrics=["macro_f1"])["macro_f1"] > 0.95


def rings(rng):
    """Labels hold in a ring around the middle of two columns."""
    features = rng.normal(size=(1000, 4))
    far = np.hypot(features[:, ::2], features[:, 1::2])
    return features, (far > 0.8) & (far < 1.6)


def sums_of_codes(rng):
    """Each value of a column is a code with an effect of its own."""
    codes, effects = rng.integers(0, 30, (2000, 4)), rng.normal(size=(4, 30, 3)) * 1.5
    scores = sum(effects[column, codes[:, column]] for column in range(4))
    return codes.astype(float), scores + rng.logistic(size=scores.shape) > 0


@pytest.mark.parametrize(("draw", "n_rows", "least"), [(rings, 300, 0.05), (sums_of_codes, 800, 0.02)])
def test_boosted_trees_that_are_ahead_on_few_rows_carry_the_blend(draw, n_rows, least):
    features, labels = draw(np.random.default_rng(1))
    values = []
    for families in (["extra trees", "boosted trees"], ["extra trees"]):
        blend = Blend(families=families, random_state=0).fit(features[:n_rows], labels[:n_rows])
        values.append(example_f1(labels[n_rows:], blend.predict(features[n_rows:])))
        assert blend.weights_.get("boosted trees", 1.0) > 0.3
    assert values[0] > values[1] + least


def test_boosted_trees_that_are_not_ahead_on_few_rows_are_no_part():
    blend = Blend(families=["linear", "boosted trees"], random_state=0).fit(X[:250], Y[:250])
    assert set(blend.parts_) == {"linear"}
    assert {row.family: row.note for row in blend.leaderboard_}["boosted trees"] == "not ahead on few rows"
    assert "boosted trees" not in [each.family for each in blend.plan_.families]


def test_levels_of_many_decide(tmp_path):
    random = np.random.default_rng(0)
    shop, good = random.integers(0, 80, 700), random.random((80, 3)) < 0.3
    table = pd.DataFrame({"shop": [f"S{number}" for number in shop], "size": random.normal(size=700)})
    labels = good[shop].astype(int)
    blend = Blend("macro_f1", families=["linear"], random_state=0).fit(table[:500], labels[:500])
    predicted = blend.predict(table[500:])
    assert evaluate(labels[500:], predicted, metrics=["macro_f1"])["macro_f1"] > 0.9
    save_model(blend, tmp_path / "shops.bncc")
    np.testing.assert_array_equal(load_model(tmp_path / "shops.bncc").predict(table[500:]), predicted)


@pytest.mark.filterwarnings("ignore::bncc.TableWarning")
@pytest.mark.parametrize("families", [["extra trees"], ["label sets"], ["boosted trees"]])
def test_rows_with_gaps_and_levels_never_seen_have_answers(families, tmp_path):
    """Features of such rows are emptier than those that were learned from."""
    draw = np.random.default_rng(0)
    table = pd.DataFrame(
        {"x": draw.uniform(0, 4, 300), "z": draw.uniform(0, 4, 300), "w": draw.choice([*"abcdef"], 300)}
    )
    labels = np.column_stack([(np.floor(table.x) + np.floor(table.z)) % 2, np.floor(table.x) % 2]).astype(int)
    model = Blend("subset_accuracy", families=families, random_state=0).fit(table, labels)
    again = load_model(save_model(model, tmp_path / "m.bncc"))
    rows = [{"x": 1.5, "z": 2.5, "w": "a"}, {"x": None, "z": 0.5, "w": "NEW"}, {"x": "abc", "z": None, "w": None}]
    together = model.predict_proba(rows)
    for row, answer in zip(rows, together, strict=True):
        assert np.allclose(model.predict_proba([row]), answer)
        assert np.allclose(again.predict_proba([row]), answer)


@pytest.mark.parametrize("features", [np.full((200, 3), np.nan), np.zeros((200, 2)), sparse.csr_array((200, 2))])
@pytest.mark.parametrize("limit", [None, 5])
def test_features_that_tell_nothing_leave_how_often_labels_hold(features, limit):
    with pytest.warns(UserWarning, match="All rows have the same features"):
        blend = Blend("log_loss", time_limit=limit, random_state=0).fit(features, Y[:200])
    np.testing.assert_allclose(blend.predict_proba(features[:2]), np.tile(Y[:200].mean(axis=0), (2, 1)), atol=0.02)


@pytest.mark.parametrize("families", [["extra trees"], ["label sets"], ["boosted trees"], ["linear", "kernel ridge"]])
def test_what_has_learned_from_an_array_takes_sparse_rows_with_gaps(families):
    draw = np.random.default_rng(0)
    features = draw.random((300, 2)).round(1)
    labels = np.column_stack([(features > 0.5).sum(axis=1) == 1, features[:, 0] > 0.3]).astype(int)
    blend = Blend("subset_accuracy", families=families, random_state=0).fit(features, labels)
    rows = features[:20].copy()
    rows[::3, 0] = np.nan
    np.testing.assert_allclose(blend.predict_proba(sparse.csr_array(rows)), blend.predict_proba(rows), atol=1e-6)


def test_columns_that_are_empty_are_no_harm():
    draw = np.random.default_rng(0)
    features = np.column_stack([draw.random((300, 2)), np.full(300, np.nan), np.full(300, np.nan)])
    features[7, 3] = 1.0  # no value in most of the folds
    labels = ((features[:, :2] > 0.5).sum(axis=1) == 1).astype(int)
    blend = Blend(families=["boosted trees"], random_state=0).fit(features, labels)
    assert list(blend.weights_) == ["boosted trees"]
    assert blend.score(features, labels) > 0.9


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_features_may_be_booleans(form):
    marks = X[:200] > np.median(X, axis=0)
    blend = Blend(families=["extra trees", "linear"], random_state=0).fit(form(marks), Y[:200])
    expected = Blend(families=["extra trees", "linear"], random_state=0).fit(form(marks.astype(float)), Y[:200])
    np.testing.assert_array_equal(blend.predict_proba(form(marks)), expected.predict_proba(form(marks)))


def test_an_answer_that_knows_nothing_says_so():
    with pytest.warns(UserWarning, match="No family of models was done within 1e-09 seconds"):
        blend = Blend(time_limit=1e-9, random_state=0).fit(X[TRAIN], Y[TRAIN])
    assert list(blend.parts_) == ["prior"]


@pytest.mark.parametrize("made", [list, np.array, pd.Series, lambda texts: np.array(texts, object)])
def test_texts_without_a_table_have_an_error_that_says_how(made):
    with pytest.raises(ValueError, match=r"got 40 texts. Give a table with a column of them"):
        Blend(**QUICK).fit(made(["one text", "another"] * 20), Y[:40])
