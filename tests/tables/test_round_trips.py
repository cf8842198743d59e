"""Tables from file to model to another process, and how good the answers are without a single option."""

import json
import subprocess
import sys
import time

import numpy as np
import pytest

pd = pytest.importorskip("pandas")

from sklearn.compose import ColumnTransformer  # noqa: E402
from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: E402
from sklearn.impute import SimpleImputer  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import OneHotEncoder, StandardScaler  # noqa: E402

from bncc import (  # noqa: E402
    BNCC,
    BinaryRelevance,
    TableFeatures,
    TableWarning,
    load_model,
    recommended,
    save_model,
)
from bncc.datasets import make_tickets  # noqa: E402
from bncc.evaluation import EvaluationPlan, Reading, compare_methods, read_labelled  # noqa: E402
from bncc.metrics import example_f1  # noqa: E402

ASK = """
import json, sys, warnings
import numpy as np, pandas as pd
from bncc import load_model
warnings.simplefilter("ignore")
model = load_model(sys.argv[1])
for how in ({}, {"dtype": str, "keep_default_na": False}):
    print(json.dumps(np.asarray(model.predict(pd.read_csv(sys.argv[2], **how))).tolist()))
"""


def odd_rows(n_rows):
    """New tickets: columns in another order, levels never seen, gaps, another column."""
    frame = make_tickets(n_rows, 21, as_frame=True).drop(columns="tags")
    frame.loc[::5, "plan"] = "platinum"
    frame.loc[::4, "amount"] = None
    frame.loc[::6, "body"] = None
    frame.loc[::7, "created"] = None
    frame["more"] = "x"
    return frame[sorted(frame.columns, reverse=True)]


MODELS = {
    "blend": recommended(time_limit=4, random_state=0),
    "pipeline": make_pipeline(TableFeatures(), BNCC(LogisticRegression(max_iter=1000))),
}


@pytest.mark.parametrize("name", [pytest.param("blend", marks=pytest.mark.slow), "pipeline"])
def test_other_processes_give_the_same_answers(name, tmp_path):
    model = MODELS[name]
    tickets = make_tickets(300, 20, as_frame=True)
    model.fit(tickets, tickets.pop("tags"))
    rows, file = odd_rows(40), save_model(model, tmp_path / "m.bncc")
    rows.to_csv(tmp_path / "new.csv", index=False)
    with pytest.warns(TableWarning, match="'plan' holds levels"):
        expected = np.asarray(model.predict(rows)).tolist()
    with pytest.warns(TableWarning):
        assert np.asarray(load_model(file).predict(rows[rows.columns[::-1]])).tolist() == expected
    asked = [sys.executable, "-c", ASK, str(file), str(tmp_path / "new.csv")]
    done = subprocess.run(asked, check=True, capture_output=True, text=True)
    assert [json.loads(line) for line in done.stdout.splitlines()] == [expected, expected]


def best_by_hand(tickets, Y, folds):
    """The best of what people write who know the table, with the same linear model."""
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    text = TfidfVectorizer(sublinear_tf=True)
    hot = OneHotEncoder(handle_unknown="ignore")
    some = [("body", text, "body"), ("subject", text, "subject")]
    more = [*some, ("categories", hot, ["channel", "plan"])]
    options = [some, more, [*more, ("numbers", numbers, ["account_age", "amount", "n_messages"])]]
    frame = tickets.assign(subject=tickets["subject"].fillna(""))
    best = 0.0
    for parts in options:
        scores = []
        for train, test in folds:
            linear = BinaryRelevance(LogisticRegression(C=10.0, max_iter=1000, solver="newton-cg"))
            model = make_pipeline(ColumnTransformer(parts), linear).fit(frame.iloc[train], Y[train])
            scores.append(example_f1(Y[test], model.predict(frame.iloc[test])))
        best = max(best, float(np.mean(scores)))
    return best


def test_no_option_is_as_good_as_the_best_options(tmp_path):
    from bncc.evaluation.comparing import deal_plan

    tickets = make_tickets(1500, as_frame=True)
    tickets.to_csv(tmp_path / "tickets.csv", index=False)
    data = read_labelled(tmp_path / "tickets.csv", Reading("tags"))
    plan = EvaluationPlan(methods=["br"], metrics=["example_f1"], folds=3)
    found = np.mean([record.scores["example_f1"] for record in compare_methods(data, plan)])
    (folds,) = deal_plan(data, plan)
    assert found > best_by_hand(tickets, data.Y.to_numpy(), folds) - 0.02


@pytest.mark.slow
def test_fifty_thousand_rows_are_read_and_typed_quickly(tmp_path):
    make_tickets(50_000, as_frame=True).to_csv(tmp_path / "tickets.csv", index=False)
    begin = time.process_time()  # of this process alone: other work on the machine does not count
    data = read_labelled(tmp_path / "tickets.csv", Reading("tags"))
    assert time.process_time() - begin < 10.0
    assert data.n_rows == 50_000
    assert data.schema["columns"]["body"] == "text"
    assert data.schema["columns"]["created"] == "date"
    assert len(data.label_names) == 14


def test_unknown_labels_go_all_the_way(tmp_path):
    tickets = make_tickets(200, as_frame=True)
    labels = tickets.pop("tags").str.get_dummies(";")[["billing", "crash", "login"]].astype(object)
    labels.iloc[::9, 0] = labels.iloc[::11, 2] = None
    tickets.join(labels).to_csv(tmp_path / "tickets.csv", index=False)
    data = read_labelled(tmp_path / "tickets.csv", Reading("billing,crash,login"))
    assert data.has_unknown
    assert np.isnan(data.Y.to_numpy()).sum() == 23 + 19
    plan = EvaluationPlan(methods=["br", "bncc"], folds=2)
    assert all(0 <= record.scores["hamming_loss"] < 0.5 for record in compare_methods(data, plan))
    model = recommended(time_limit=3, random_state=0).fit(tickets, labels)
    assert model.predict(tickets).dtype.kind == "i"
