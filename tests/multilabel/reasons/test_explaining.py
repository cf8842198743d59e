import inspect
import warnings
from functools import cache

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import bncc
import bncc.linear
from bncc import BNCC, BinaryRelevance, Blend, ClassifierChain, KernelSearchCV, TunedThresholds, explain
from bncc.datasets import make_scenes
from bncc.multilabel import Explanation
from bncc.multilabel.base import MultilabelClassifier
from bncc.multilabel.reasons import explaining
from oracles.shapley import shapley_by_orders

DATA = make_scenes(150)
LINEAR = bncc.linear.LogisticRegression()
METHODS = sorted(
    name
    for name in bncc.__all__
    if inspect.isclass(getattr(bncc, name)) and issubclass(getattr(bncc, name), MultilabelClassifier)
)
SETTINGS = {
    "TunedThresholds": {"estimator": BNCC(LINEAR), "cv": 2},
    "Blend": {"families": ["extra trees", "kernel chains"]},
    "MonteCarloChain": {"estimator": LogisticRegression(max_iter=500), "n_swaps": 1},
    "EnsembleClassifierChain": {"n_chains": 3},
    "EnsembleBNCC": {"n_chains": 3},
    "RandomKLabelsets": {"n_sets": 5},
}


def make(name):
    kind = getattr(bncc, name)
    settings = dict(SETTINGS.get(name, {}))
    if "random_state" in inspect.signature(kind).parameters:
        settings["random_state"] = 0
    return kind(**settings)


def check_sums(explanation, decisions, *, rtol=1e-9):
    for row in explanation:
        for found in row:
            assert found.score == pytest.approx(decisions[row.row, found.label], rel=rtol, abs=1e-10)
            listed = sum(reason.value for reason in found.reasons)
            for parts in (found.from_features + found.from_labels, listed + found.rest):
                assert found.base + parts == pytest.approx(found.score, rel=1e-7, abs=1e-8)


def values_of(found):
    return {reason.name: reason.value for reason in found.reasons}


@pytest.mark.parametrize("name", METHODS)
def test_reasons_of_every_estimator_add_up_to_its_decisions(name):
    model = make(name).fit(DATA.X, DATA.Y_frame)
    explanation = model.explain(DATA.X[:3], budget=400)
    assert isinstance(explanation, Explanation)
    assert [row.row for row in explanation] == [0, 1, 2]
    check_sums(explanation, model.decision_function(DATA.X[:3]))
    predicted = model.predict(DATA.X[:3])
    for row in explanation:
        shown = [found.label for found in row if found.predicted]
        assert shown == np.flatnonzero(predicted[row.row]).tolist()
        assert shown or len(row.labels) == 1
        assert all(found.name == DATA.label_names[found.label] for found in row)


@pytest.mark.parametrize("base", [LINEAR, bncc.linear.LinearSVC(), LogisticRegression(max_iter=500)])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_linear_links_are_exact(base, kind):
    """Weight times the difference to the mean of the rows compared with, for features and labels alike."""
    X = DATA.X if kind == "dense" else sparse.csr_array(np.where(DATA.X > 1, DATA.X, 0.0))
    chain = ClassifierChain(base, random_state=0).fit(X, DATA.Y_frame)
    (row,) = chain.explain(X[[5]], background=X[:20], labels="all")
    dense = X if kind == "dense" else X.toarray()
    planes = chain.predict(X)
    assert row.exact
    assert row.effect == "direct"
    for found in row:
        place = chain.order_.index(found.label)
        before = list(chain.order_[:place])
        weights = np.ravel(chain.estimators_[place].coef_)
        difference = np.hstack([dense[5] - dense[:20].mean(axis=0), (planes[5] - planes[:20].mean(axis=0))[before]])
        expected = dict(zip([*(f"x{j}" for j in range(24)), *(DATA.label_names[label] for label in before)],
                            weights * difference, strict=True))  # fmt: skip
        told = values_of(found)
        for name, value in expected.items():
            assert told.get(name, 0.0) == pytest.approx(value, abs=1e-7)
    check_sums([row], {(0, found.label): chain.decision_function(X[[5]])[0, found.label] for found in row})


def test_sampling_agrees_with_the_exact_values_of_linear_links(monkeypatch):
    chain = BNCC(LINEAR).fit(DATA.X, DATA.Y)
    exact = chain.explain(DATA.X[:1], background=DATA.X[20:60], labels="all")[0]
    monkeypatch.setattr("bncc.multilabel.reasons.explaining.linear_form", lambda model, label: None)
    sampled = chain.explain(DATA.X[:1], background=DATA.X[20:60], labels="all", budget=60_000)[0]
    assert exact.exact
    assert not sampled.exact
    for one, other in zip(exact, sampled, strict=True):
        told = {reason.name: reason for reason in other.reasons}
        assert other.base == pytest.approx(one.base)
        for name, value in values_of(one).items():
            # A linear score has no effects between features: pairs of orders leave no error at all.
            assert told[name].value == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("effect", ["direct", "total"])
def test_few_groups_agree_with_the_definition(effect):
    """Six groups of features and the labels of a kernel chain, by all orders."""
    X, Y = DATA.X[:, :4], DATA.Y[:, :3]
    chain = ClassifierChain(order=[0, 1, 2]).fit(X, Y)
    own, other = X[3:4], X[8:9]
    (row,) = chain.explain(own, background=other, labels=[2], effect=effect)
    assert row.exact
    planes = [chain._label_planes(own)[0], chain._label_planes(other)[0]]

    @cache
    def value(joined):
        mixed = np.where([player in joined for player in range(4)], own, other)
        if effect == "total":
            return chain.decision_function(mixed)[0, 2]
        plane = np.where([[4 + label in joined for label in range(3)]], *planes).astype(np.int8)
        return chain._scores_given(mixed, [plane], np.array([2]))[0, 0]

    expected = shapley_by_orders(value, 4 if effect == "total" else 6)
    told = values_of(row.labels[0])
    names = ["x0", "x1", "x2", "x3", "label0", "label1"]
    for name, each in zip(names, expected, strict=False):
        assert told.get(name, 0.0) == pytest.approx(each, abs=1e-10)
    assert row.effect == effect


def known_contributions(n_rows, seed):
    """Rows whose first reason is known: label0 sums up x0..x3; label1 x4..x7 and label0, which is a little noisy."""
    random = np.random.default_rng(seed)
    X, rows = random.normal(0.0, 0.1, (n_rows, 8)), np.arange(n_rows)
    X[rows, random.integers(4, size=n_rows)] += 2.0 * random.choice([-1, 1], n_rows)
    active = rows[random.random(n_rows) < 0.5]
    X[active, 4 + random.integers(4, size=active.size)] += 3.0 * random.choice([-1, 1], active.size)
    parts = X * np.array([1, -1, 1, -1, 1, -1, 1, -1])
    first = (parts[:, :4].sum(axis=1) > 0) ^ (random.random(n_rows) < 0.1)
    second = parts[:, 4:].sum(axis=1) + (2.0 * first - 1.0) > 0
    of_second = np.where(np.isin(rows, active), 4 + np.abs(parts[:, 4:]).argmax(axis=1), -1)
    strongest = np.column_stack([np.abs(parts[:, :4]).argmax(axis=1), of_second])
    return X, np.column_stack([first, second]).astype(int), strongest


FIRST_REASONS = {
    "linear": ClassifierChain(LINEAR, order=[0, 1]),
    "kernel chain": ClassifierChain(order=[0, 1]),
    "forest": ClassifierChain(RandomForestClassifier(30, random_state=0), order=[0, 1]),
    "thresholds on trees": TunedThresholds(
        ClassifierChain(ExtraTreesClassifier(30, random_state=0), order=[0, 1]), cv=2
    ),
}


@pytest.mark.parametrize("model", FIRST_REASONS.values(), ids=FIRST_REASONS)
def test_the_first_reason_is_the_right_one(model):
    X, Y, _ = known_contributions(800, 0)
    X_new, _, strongest = known_contributions(40, 1)
    found = [
        each.reasons[0].name
        == ("label0" if strongest[row.row, each.label] < 0 else f"x{strongest[row.row, each.label]}")
        for row in model.fit(X, Y).explain(X_new, budget=2000)
        for each in row
    ]
    assert len(found) > 40
    assert np.mean(found) >= 0.95


def test_effects_through_the_chain_belong_to_features():
    """label1 copies label0: directly it owes all to the label, and in total to what label0 owes its score to."""
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 3))
    first = (X[:, 0] > 0) ^ (random.random(300) < 0.1)
    Y = np.column_stack([first, first]).astype(int)
    chain = ClassifierChain(LogisticRegression(), order=[0, 1]).fit(X, Y)
    row = X[X[:, 0] > 1][:1]
    direct, total = (chain.explain(row, labels=[1], effect=effect)[0] for effect in ("direct", "total"))
    assert direct.labels[0].reasons[0].name == "label0"
    assert total.labels[0].reasons[0].name == "x0"
    assert {reason.kind for reason in total.labels[0].reasons} == {"feature"}
    assert total.effect == "total"
    assert direct.labels[0].score == total.labels[0].score


def test_a_row_has_the_same_reasons_whatever_stands_beside_it():
    chain = BNCC().fit(DATA.X, DATA.Y)
    alone, among = chain.explain(DATA.X[7:8], budget=500)[0], chain.explain(DATA.X[5:9], budget=500)[2]
    assert alone.labels == among.labels
    assert chain.explain(DATA.X[7:8], budget=500)[0] == alone
    assert chain.explain(DATA.X[7:8], budget=500, random_state=1)[0] != alone


WORDS = ("money", "back", "please", "invoice", "parcel", "late", "thanks", "hello", "screen", "broken")
DRAWN = np.random.default_rng(0)
TEXTS = ["money parcel late", *(" ".join(DRAWN.choice(WORDS, 4, replace=False)) for _ in range(119))]


def tickets():
    pd = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    plans = random.choice(["free", "gold", "pro"], len(TEXTS))
    X = pd.DataFrame({"body": TEXTS, "age": random.normal(40, 9, len(TEXTS)), "plan": plans})
    refund = X["body"].str.contains("money")
    return X, pd.DataFrame({"refund": refund, "billing": refund | X["body"].str.contains("invoice")}).astype(int)


@pytest.mark.parametrize("method", ["br", "bncc", "recommended"])
@pytest.mark.parametrize("base", ["linear", "kernel"])
def test_columns_and_words_are_named_as_the_user_named_them(method, base):
    from bncc.evaluation import build_pipeline

    X, Y = tickets()
    model = build_pipeline(X, method, text=["body"], base=base).fit(X, Y)
    explanation = explain(model, X[:1], labels="all", budget=500)
    check_sums(explanation, model.decision_function(X[:1]))
    names = {reason.name for found in explanation[0] for reason in found.reasons if reason.kind == "feature"}
    words = {f"word {word!r}" for word in WORDS}
    assert {"age", "plan"} < names <= words | {"age", "plan"}
    assert explanation[0].labels[0].reasons[0].name == "word 'money'"
    shown = {reason.name: reason.shown for found in explanation[0] for reason in found.reasons}
    assert shown["plan"] == X["plan"][0]
    assert (shown["word 'money'"], shown["word 'invoice'"]) == ("", "absent")


def test_text_without_a_table_and_words_together():
    _, Y = tickets()
    model = make_pipeline(TfidfVectorizer(), BNCC(LINEAR)).fit(TEXTS, Y)
    assert explain(model, TEXTS[:1], labels=["refund"])[0].labels[0].reasons[0].name == "word 'money'"


def test_groups_speak_as_one():
    model = BinaryRelevance().fit(DATA.X, DATA.Y)
    named = {f"x{j}": "first" if j < 12 else "second" for j in range(24)}
    (row,) = model.explain(DATA.X[:1], groups=named, labels=[0])
    assert row.exact
    assert {reason.name for reason in row.labels[0].reasons} == {"first", "second"}
    assert row.labels[0].reasons[0].shown == ""
    with pytest.raises(ValueError, match="column 'x77'"):
        model.explain(DATA.X[:1], groups={"x77": "a"})


def test_features_without_effect_get_nothing():
    """Dummies: trees that never split on a feature owe it nothing, exactly."""
    X = np.hstack([DATA.X[:, :3], np.random.default_rng(0).normal(size=(150, 1))])
    model = BinaryRelevance(RandomForestClassifier(5, random_state=0)).fit(X[:, :3], DATA.Y[:, :2])

    class Blind:
        def planes(self, X):
            return ()

        def scores(self, X, planes, labels):
            return model._scores(X[:, :3])[:, labels]

    from bncc.multilabel.reasons.explaining import _Explainer
    from bncc.multilabel.reasons.peeling import peel

    wide = BinaryRelevance(RandomForestClassifier(5, random_state=0)).fit(X, DATA.Y[:, :2])
    peeled = peel(wide, X[:1], X[:50])
    object.__setattr__(peeled, "scored", Blind())
    row = _Explainer.of(peeled, None, "direct", 1000, 0).explain_row(0, np.array([0]))
    assert "x3" not in values_of(row.labels[0])
    assert values_of(row.labels[0])


def test_rows_compared_with_are_kept_given_or_those_at_hand():
    model = BNCC(LINEAR).fit(DATA.X, DATA.Y)
    assert model.explain(DATA.X[:1])[0].n_compared == 100
    assert model.explain(DATA.X[:1], background=DATA.X[:9])[0].n_compared == 9
    assert model.explain(DATA.X[:1], background=np.vstack([DATA.X] * 2))[0].n_compared == 100
    assert model.forget_rows() is model
    assert model.explain(DATA.X[:4])[0].n_compared == 4
    with pytest.raises(ValueError, match="kept no rows to compare with"):
        model.explain(DATA.X[:1])
    with pytest.raises(ValueError, match="at least one row"):
        model.explain(DATA.X[:1], background=DATA.X[:0])


def test_models_from_files_have_no_rows(tmp_path):
    model = BNCC(LINEAR).fit(DATA.X, DATA.Y)
    again = bncc.load_model(bncc.save_model(model, tmp_path / "m.bncc"))
    with pytest.raises(ValueError, match="background=X_train"):
        again.explain(DATA.X[:1])
    told = [each.explain(DATA.X[:1], background=DATA.X[:30])[0] for each in (model, again)]
    assert told[0] == told[1]


def test_a_search_explains_with_its_best():
    search = KernelSearchCV(BinaryRelevance(), {"C": [1.0, 10.0]}, cv=2).fit(DATA.X, DATA.Y)
    check_sums(search.explain(DATA.X[:2], budget=200), search.decision_function(DATA.X[:2]))


def test_classes_that_exclude_each_other():
    y = np.array(["a", "b", "c"])[DATA.Y[:, :2].sum(axis=1)]
    model = BinaryRelevance(LINEAR).fit(DATA.X, y)
    for row in model.explain(DATA.X[:5]):
        assert [model.classes_[found.label] for found in row] == [model.predict(DATA.X[[row.row]])[0]]


def test_missing_values_are_values():
    X = DATA.X.copy()
    X[::3, 0] = np.nan
    model = Blend(families=["extra trees"], random_state=0).fit(X, DATA.Y)
    check_sums(model.explain(X[:3], budget=300), model.decision_function(X[:3]))


def test_progress_is_told_and_may_stop_the_work():
    model, seen = BNCC(LINEAR).fit(DATA.X, DATA.Y), []
    model.explain(DATA.X[:3], pulse=seen.append)
    assert seen == [1, 2, 3]

    def stop(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.explain(DATA.X[:3], pulse=stop)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"effect": "indirect"}, "`effect` must be 'direct' or 'total'"),
        ({"budget": 0}, "`budget` must be a whole number"),
        ({"labels": ["Rurall"]}, "no label is named 'Rurall'.*Rural"),
        ({"labels": [10]}, "numbers from 0 to 9"),
    ],
)
def test_mistakes_are_told(options, said):
    model = BNCC(LINEAR).fit(DATA.X, DATA.Y_frame)
    with pytest.raises(ValueError, match=said):
        model.explain(DATA.X[:1], **options)


def test_tables_of_any_make_in_a_blend():
    """Words, dates and categories go in as they are; a date is one reason, whatever it became."""
    pd = pytest.importorskip("pandas")
    from bncc.datasets import make_tickets

    table = make_tickets(200)
    tags = table.pop("tags")
    Y = np.array([[name in tag for name in ("billing", "urgent")] for tag in tags]).astype(int)
    model = Blend(families=["linear"], random_state=0).fit(table, Y)
    row = {name: values[:1] for name, values in table.items()}
    others = {name: values[:150] for name, values in table.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a table of one row is told to be odd
        found = model.explain(row, labels="all", background=others, budget=400)
        check_sums(found, model.decision_function(row))
        again = model.explain(pd.DataFrame(row), labels="all", background=pd.DataFrame(others), budget=400)
    shown = {reason.name: reason.shown for each in found[0] for reason in each.reasons}
    assert shown["created"] == table["created"][0]
    assert shown["plan"] == table["plan"][0]
    assert {name for name in shown if not name.startswith("word ")} <= set(table)
    assert [each.reasons[0].name for each in again[0]] == [each.reasons[0].name for each in found[0]]


def drawing(n_samples):
    chain = ClassifierChain(LogisticRegression(), inference="monte_carlo", n_samples=n_samples, random_state=0)
    return chain.fit(DATA.X[:, :14], DATA.Y[:, :5])


def test_costly_questions_are_few(monkeypatch):
    model = drawing(2000)
    numbers = 2001 * 5 * 21 + 14
    usual = explain(model, DATA.X[:1, :14])[0]
    assert usual.n_asked <= 170 * 10**6 // numbers < 1000
    monkeypatch.setattr(explaining, "_STEPS", numbers * 200)
    few = explain(model, DATA.X[:1, :14])
    assert few[0].n_asked <= 200 < usual.n_asked
    assert few[0].labels[0].standard_error > 0
    check_sums(few, model.decision_function(DATA.X[:1, :14]))


@pytest.mark.parametrize("inference", ["beam", "exhaustive", "monte_carlo"])
def test_usual_questions_are_as_many_as_asked_for(inference, monkeypatch):
    model = ClassifierChain(LINEAR, inference=inference, random_state=0).fit(DATA.X, DATA.Y)
    found = explain(model, DATA.X[:1], labels=[0])
    monkeypatch.setattr(explaining, "_STEPS", 10**15)
    assert explain(model, DATA.X[:1], labels=[0]) == found
    assert explain(model, DATA.X[:1], budget=300)[0].n_asked <= 300


def test_too_costly_questions_are_told(monkeypatch):
    model = drawing(2000)
    monkeypatch.setattr(explaining, "_MOST_STEPS", 10 * 2001 * 5 * 21)
    with pytest.raises(ValueError, match=r"at least 52 questions, .* 210,119 numbers, where 2,101,050 in all can be"):
        explain(model, DATA.X[:1, :14])
    columns = {f"x{place}": "all" for place in range(13)}
    assert explain(model, DATA.X[:1, :14], groups=columns)[0].labels
    model.set_params(inference="greedy")
    assert explain(model, DATA.X[:1, :14])[0].labels


@pytest.mark.parametrize(("name", "most"), [("_MOST_REASONS", 34 * 3), ("_MOST_LABELS", 3)])
def test_reasons_of_too_many_labels_are_told(name, most, monkeypatch):
    model = BNCC(LINEAR).fit(DATA.X, DATA.Y_frame)
    monkeypatch.setattr(explaining, name, most)
    assert len(explain(model, DATA.X[:1], labels=[0, 1, 2])[0].labels) == 3
    with pytest.raises(ValueError, match="got 10 labels with 34 features and labels"):
        explain(model, DATA.X[:1], labels="all")


@pytest.mark.parametrize("as_kind", [np.asarray, sparse.csr_array])
def test_rows_and_those_compared_with_are_asked_about_together(as_kind, monkeypatch):
    """A model of many parts takes long to call, however few rows it is asked about."""
    X, Y = DATA.X, DATA.Y
    model = bncc.EnsembleClassifierChain(LogisticRegression(max_iter=1000), n_chains=2, random_state=0).fit(X, Y)
    calls, walk = [], type(model)._walk
    monkeypatch.setattr(type(model), "_walk", lambda *given: calls.append(given[1].shape[0]) or walk(*given))
    found = explain(model, as_kind(X[:2]), background=as_kind(X[50:60]), budget=100)
    assert calls == [12, 12]
    check_sums(found, model.decision_function(X[:2]))


def test_rows_compared_with_leave_room_for_the_row_in_a_costly_call(monkeypatch):
    monkeypatch.setattr(explaining, "_STEPS", 1)
    monkeypatch.setattr(explaining, "rows_at_a_time", lambda width: 20)
    model = BinaryRelevance(LogisticRegression(max_iter=1000)).fit(DATA.X, DATA.Y)
    calls, scores = [], BinaryRelevance._scores
    monkeypatch.setattr(BinaryRelevance, "_scores", lambda self, X: calls.append(X.shape[0]) or scores(self, X))
    explain(model, DATA.X[:1], background=DATA.X)
    assert calls[0] == 11


def test_questions_that_take_too_many_calls_are_told(monkeypatch):
    model = bncc.BlockPowerset(LINEAR).fit(DATA.X, DATA.Y)
    monkeypatch.setattr(explaining, "_MOST_CALLED", 1)
    with pytest.raises(
        ValueError, match=r"questions, for which the model asks many parts one by one. .*effect='total'"
    ):
        explain(model, DATA.X[:1], labels=[0])
