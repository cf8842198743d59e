import numpy as np
import pytest

import bncc.linear
from bncc import BinaryRelevance, ClassifierChain, EnsembleClassifierChain, explain
from bncc.datasets import make_scenes
from bncc.multilabel.reasons.column_origins import named_columns
from bncc.multilabel.reasons.feature_groups import group_columns
from bncc.multilabel.reasons.peeling import peel
from bncc.multilabel.reasons.shapley import ShapleyValues
from bncc.multilabel.reasons.telling import RowTeller

DATA = make_scenes(100)
LINEAR = bncc.linear.LogisticRegression()


def teller(n_columns=24, planes=()):
    model = BinaryRelevance(LINEAR).fit(DATA.X[:, :n_columns], DATA.Y_frame)
    rows = DATA.X[:2, :n_columns]
    groups = group_columns(named_columns(f"x{j}" for j in range(n_columns)))
    return RowTeller(peel(model, rows, None), groups, groups.players(rows[:1], rows[1:]), 0, planes)


def found(values, base=0.0, errors=None):
    column = np.array(values, float)[:, None]
    errors = np.zeros_like(column) if errors is None else np.array(errors, float)[:, None]
    return ShapleyValues(np.array([base]), column, errors, not errors.any(), 1, 0)


def test_strongest_first_ties_in_order_and_rounding_is_nothing():
    told = teller(4).tell(1, 2.0, True, found([0.5, -1.5, 1e-17, 0.5]), 0)
    assert [reason.name for reason in told.reasons] == ["x1", "x0", "x3"]
    assert told.name == DATA.label_names[1]
    assert told.reasons[0].shown == f"{DATA.X[0, 1]:.4g}"
    assert (told.rest, told.standard_error) == (0.0, None)


def test_small_scores_are_not_nothing():
    told = teller(2).tell(0, 3e-20, True, found([1e-20, 2e-20]), 0)
    assert [reason.value for reason in told.reasons] == [2e-20, 1e-20]


def test_beyond_a_hundred_reasons_the_others_are_summed_up():
    values = np.arange(150, 0, -1.0)
    groups = group_columns(named_columns(f"x{j}" for j in range(150)))
    rows = np.random.default_rng(0).normal(size=(2, 150))
    model = BinaryRelevance(LINEAR).fit(np.random.default_rng(1).normal(size=(100, 150)), DATA.Y)
    long = RowTeller(peel(model, rows, None), groups, groups.players(rows[:1], rows[1:]), 0, ())
    told = long.tell(0, values.sum(), True, found(values), 0)
    assert len(told.reasons) == 100
    assert told.rest == pytest.approx(values[100:].sum())
    assert told.from_features == pytest.approx(values.sum())


def test_labels_handed_on_are_told_as_predicted_or_as_a_share():
    planes = [np.array([[1] * 10, [0] * 10]), np.array([[1, 0] * 5, [0] * 10])]
    values = np.zeros(12)
    values[2], values[3] = 1.0, -2.0
    told = teller(2, planes).tell(5, -1.0, False, found(values, errors=np.full(12, 0.1)), 0)
    assert [(reason.name, reason.shown) for reason in told.reasons] == [
        (DATA.label_names[1], "0.5"),
        (DATA.label_names[0], "predicted"),
    ]
    assert told.from_labels == pytest.approx(-1.0)
    assert told.standard_error == pytest.approx(0.1)


def test_values_of_tables_are_shown_shortly():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(DATA.X[:, :3], columns=["a", "b", "c"])
    model = ClassifierChain(LINEAR, random_state=0).fit(X, DATA.Y)
    shown = {reason.name: reason.shown for reason in explain(model, X[:1], labels=[0])[0].labels[0].reasons}
    assert shown["a"] == f"{X['a'][0]:.4g}"
    ensemble = EnsembleClassifierChain(LINEAR, n_chains=3, random_state=0).fit(X, DATA.Y)
    kinds = {
        reason.shown
        for each in ensemble.explain(X[:1], labels="all", budget=200)[0]
        for reason in each.reasons
        if reason.kind == "label"
    }
    assert kinds & {"predicted", "not predicted"}


def test_what_a_row_holds_is_looked_up_once(monkeypatch):
    """A feature may be a reason of thousands of labels."""
    telling, looked = teller(4), []
    held = RowTeller._held
    monkeypatch.setattr(RowTeller, "_held", lambda self, player: looked.append(player) or held(self, player))
    told = [telling.tell(label, 1.0, True, found([1.0, 2.0, 3.0, 4.0]), 0) for label in (0, 1, 0)]
    assert sorted(looked) == [0, 1, 2, 3]
    assert [reason.shown for reason in told[0].reasons] == [reason.shown for reason in told[2].reasons]
