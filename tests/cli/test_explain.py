import json

import numpy as np
import pytest

pd = pytest.importorskip("pandas")

from bncc.datasets import make_scenes, save  # noqa: E402
from bncc.multilabel import load_model  # noqa: E402


@pytest.fixture
def tickets(bncc):
    """A table of tickets whose words decide, and a chain that has learned from it."""
    random = np.random.default_rng(0)
    words = ["money", "back", "please", "invoice", "parcel", "late", "thanks", "hello"]
    bodies = [" ".join(random.choice(words, 4, replace=False)) for _ in range(150)]
    table = pd.DataFrame(
        {"body": bodies, "age": random.normal(40, 9, 150), "plan": random.choice(["free", "pro"], 150)}
    )
    table["billing"] = table["body"].str.contains("invoice").astype(int)
    table["refund"] = (table["body"].str.contains("money") & (table["billing"] == 0)).astype(int)
    table.to_csv("tickets.csv", index=False)
    table[["body", "age", "plan"]].head(5).to_csv("new.csv", index=False)
    bncc("fit", "tickets.csv", "-l", "billing,refund", "--text", "body", "-m", "bncc", "-o", "m", "-q")
    return table


def test_reasons_add_up_to_the_scores_that_predict_writes(tickets, bncc, as_json):
    found = as_json("explain", "m", "new.csv", "--row", "3", "--row", 0, "--why", "all", "--background", "tickets.csv")
    bncc("predict", "m", "new.csv", "-o", "p.csv", "-q")
    predicted = pd.read_csv("p.csv")
    assert [row["row"] for row in found["rows"]] == [3, 0]
    for row in found["rows"]:
        assert row["n_compared"] == 100
        assert row["exact"]
        for each in row["labels"]:
            assert each["score"] == pytest.approx(predicted[f"{each['name']}_score"][row["row"]])
            listed = sum(reason["value"] for reason in each["reasons"])
            assert each["base"] + listed + each["rest"] == pytest.approx(each["score"])
            assert len(each["reasons"]) <= 5


def test_a_person_sees_words_columns_and_labels(tickets, bncc):
    row = int(np.flatnonzero(tickets["refund"])[0])
    shown = bncc("explain", "m", "tickets.csv", "--row", row, "--why", "refund", "--top", 12).stdout
    assert f"Row {row}, refund: predicted" in shown
    assert "word 'money'" in shown
    assert "billing" in shown
    assert "not predicted" in shown
    assert tickets["plan"][row] in shown
    assert "Before: the mean score of 100 rows. Exact, given labels predicted before." in shown
    total = bncc(
        "explain", "m", "tickets.csv", "--effect", "total", "--why", "refund", "--top", 2, "--budget", 300
    ).stdout
    assert "by features alone" in total
    assert "±" in total
    assert "all others" in total


def test_few_rows_are_told_of(tickets, bncc, fails):
    assert "compared with the 5 rows of new.csv alone" in bncc("explain", "m", "new.csv").stderr
    pd.read_csv("new.csv").head(1).to_csv("one.csv", index=False)
    assert "nothing to compare it with. Add `--background`" in fails("explain", "m", "one.csv")
    assert bncc("explain", "m", "one.csv", "--background", "tickets.csv").stderr == ""


def test_mistakes(tickets, fails):
    assert "`--row` must lie in 0 to 4, since new.csv has 5 rows; got 7" in fails("explain", "m", "new.csv", "-r", 7)
    assert "got -1" in fails("explain", "m", "new.csv", "--row", "-1")
    assert "no label is named 'refunds'" in fails("explain", "m", "tickets.csv", "--why", "refunds")
    assert "`--effect` must be direct or total" in fails("explain", "m", "new.csv", "--effect", "indirect")
    assert "absent.csv" in fails("explain", "m", "absent.csv")
    assert "new.csv" in fails("explain", "new.csv", "new.csv")


def test_several_rows_are_told_as_they_are_done(tickets, bncc):
    rows = [word for row in range(3) for word in ("--row", row)]
    log = bncc("explain", "m", "tickets.csv", *rows).stderr
    assert "Explaining: row 0 (1 of 3)" in log
    assert bncc("explain", "m", "tickets.csv", *rows, "--quiet").output == ""


def test_matrices_of_numbers_are_explained_too(bncc, as_json):
    data = make_scenes(120)
    save(data, "scenes.arff")
    bncc("fit", "scenes.arff", "-m", "bncc", "-o", "m", "-q")
    (row,) = as_json("explain", "m", "scenes.arff", "--row", 4, "--budget", 400)["rows"]
    model = load_model("m")
    scores = model.decision_function(data.X[4:5])[0]
    assert {each["name"] for each in row["labels"]} == {data.label_names[i] for i in np.flatnonzero(scores > 0)}
    names = {reason["name"] for each in row["labels"] for reason in each["reasons"]}
    assert names <= set(data.feature_names) | set(data.label_names)
    assert json.dumps(row)
