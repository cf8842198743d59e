import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

pd = pytest.importorskip("pandas")

from bncc.cli.predict import _answers, _suffix, _surprises  # noqa: E402
from bncc.datasets import load, save  # noqa: E402
from bncc.datasets.frames import column_names  # noqa: E402
from bncc.multilabel import BinaryRelevance, load_model, save_model  # noqa: E402
from bncc.tables import TableFeatures  # noqa: E402
from stopwatch import Stopwatch  # noqa: E402


@pytest.fixture
def flags(bncc, data_folder):
    bncc("fit", "flags", "--part", "train", "-m", "bncc", "-o", "m.skops", "--quiet")
    return load("flags")


@pytest.mark.parametrize("output", ["p.csv", "p.tsv", "p.parquet", "p.csv.gz"])
def test_labels_and_scores_under_their_names(output, flags, as_json):
    result = as_json("predict", "m.skops", "flags", "-o", output)
    table = pd.read_parquet(output) if output.endswith("parquet") else pd.read_csv(output, sep=None, engine="python")
    names = list(flags.label_names)
    assert list(table) == names + [f"{name}_score" for name in names] == result["columns"]
    model = load_model("m.skops")
    np.testing.assert_array_equal(table[names].to_numpy(), model.predict(flags.X))
    np.testing.assert_allclose(table.to_numpy()[:, len(names) :], model.decision_function(flags.X), rtol=1e-12)
    assert result["positives"] == {name: int(table[name].sum()) for name in names}
    assert result["rows"] == 194


def test_probabilities_where_there_are_some(flags, bncc, fails):
    bncc("predict", "m.skops", "flags", "-o", "p.csv", "--probabilities", "-q")
    table = pd.read_csv("p.csv")
    assert table.filter(like="_probability").to_numpy().min() >= 0
    assert table.filter(like="_probability").to_numpy().max() <= 1
    bncc("fit", "flags", "--part", "train", "-m", "recommended", "--base", "kernel", "-o", "r.skops", "--quiet")
    assert "gives no probabilities" in fails("predict", "r.skops", "flags", "-o", "q.csv", "--probabilities")


def test_rows_without_labels_in_other_formats_give_the_same(flags, bncc, data_folder):
    test = data_folder / "flags" / "flags-test.arff"
    bncc("predict", "m.skops", test, "-o", "a.csv", "-q")
    frame = _as_table(test)
    frame.drop(columns=list(flags.label_names)).iloc[:, ::-1].to_csv("bare.csv", index=False)
    bncc("predict", "m.skops", "bare.csv", "-o", "b.csv", "-q")
    pd.testing.assert_frame_equal(pd.read_csv("a.csv"), pd.read_csv("b.csv"))


def _as_table(arff):
    """The ARFF file as a table of its texts."""
    head, body = arff.read_text().lower().split("@data")
    names = [line.split()[1].strip("'\"") for line in head.splitlines() if line.startswith("@attribute")]
    rows = [line.split(",") for line in body.strip().splitlines()]
    return pd.DataFrame(rows, columns=names)


def test_a_table_with_identifiers_kept(bncc, weather, fails, data_folder):
    drops = [word for name in ("id", "tags") for word in ("--drop", name)]
    bncc("fit", weather, "--labels", "rain,wind", *drops, "--text", "note", "-m", "br", "-o", "m", "-q")
    frame = pd.read_csv(weather)
    frame[["note", "id", "sky", "height"]].iloc[:7].to_csv("new.csv", index=False)
    bncc("predict", "m", "new.csv", "-o", "p.csv", "--keep", "id", "-q")
    table = pd.read_csv("p.csv")
    assert list(table) == ["id", "rain", "wind", "rain_score", "wind_score"]
    assert table["id"].tolist() == [f"row{i}" for i in range(7)]
    assert "column is named 'nothing'" in fails("predict", "m", "new.csv", "-o", "p.csv", "--keep", "nothing")
    Path("other.csv").write_text("q,z\n1,2\n")
    told = fails("predict", "m", "other.csv", "-o", "p.csv")
    assert "none of the columns that the model learned from is there" in told
    assert "The file has 'q', 'z'." in told
    frame[["note", "sky"]].to_csv("less.csv", index=False)
    done = bncc("predict", "m", "less.csv", "-o", "p.csv", "--json")
    assert done.stderr == "Warning: column 'height' is missing: 80 of 80 rows.\n"
    assert json.loads(done.stdout)["warnings"] == [{"column": "height", "what": "is missing", "rows": 80}]
    assert "no file flags.arff" in fails("predict", "m", "flags.arff", "-o", "p.csv")
    save(load("flags"), "flags.arff")
    assert "learned from a table with named columns" in fails("predict", "m", "flags.arff", "-o", "p.csv")


def test_files_that_are_no_models(fails, bncc, data_folder):
    from pathlib import Path

    Path("junk.skops").write_bytes(b"junk")
    assert "no model file of bncc" in fails("predict", "junk.skops", "flags", "-o", "p.csv")
    assert "no file absent.skops; check the path of the model." in fails(
        "predict", "absent.skops", "flags", "-o", "p.csv"
    )
    data = load("flags")
    save_model(BinaryRelevance().fit(data.X, data.Y), "python.skops")
    assert "was not written by 'bncc fit'" in fails("predict", "python.skops", "flags", "-o", "p.csv")
    assert "must end in .csv, .tsv or .parquet" in fails("predict", "python.skops", "flags", "-o", "p.xlsx")
    assert not Path("p.csv").exists()


def test_hostile_notes_are_refused(flags, fails):
    for notes in (
        {"schema": {"kind": "table", "columns": {"x": "code"}}, "labels": ["a"]},
        {"schema": {"kind": "matrix"}, "labels": ["a"]},
        {"schema": [], "labels": "abc"},
        {"schema": {"kind": "matrix", "features": [], "categories": {}}, "labels": [1]},
    ):
        with zipfile.ZipFile("m.skops") as old, zipfile.ZipFile("bad.skops", "w") as new:
            for member in old.namelist():
                head = {**json.loads(old.read("bncc.json")), "notes": notes}
                new.writestr(member, json.dumps(head) if member == "bncc.json" else old.read(member))
        assert "does not say how to read data" in fails("predict", "bad.skops", "flags", "-o", "p.csv")


def test_other_features_are_refused(flags, fails, tmp_path):
    save(load("virusgo"), "virus.arff")
    assert "features of the model are missing" in fails("predict", "m.skops", "virus.arff", "-o", "p.csv")
    assert "are not the 19 that the model learned from" in fails("predict", "m.skops", "virusgo", "-o", "p.csv")


def test_hostile_label_names_travel_unharmed(bncc, tmp_path):
    names = ["<script>alert(1)</script>", "=cmd|'/c calc'!A1", "[bold]x[/nope]", "na\u202eme", "a_score"]
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 2))
    frame = pd.DataFrame(X, columns=["x", "y"]).assign(
        **{name: (X[:, 0] > i / 5).astype(int) for i, name in enumerate(names)}
    )
    frame.to_csv("t.csv", index=False)
    bncc("fit", "t.csv", "--labels", "-5", "-m", "br", "-o", "m")
    shown = bncc("predict", "m", "t.csv", "-o", "p.csv").stdout
    assert "\u202e" not in shown
    assert list(pd.read_csv("p.csv"))[:5] == [names[0], f"'{names[1]}", *names[2:]]
    assert column_names("p.csv")[:5] == names
    for command in (["analyse"], ["data", "info"]):
        assert "\u202e" not in bncc(*command, "t.csv", "--labels", "-5").stdout


def test_neither_data_nor_model_are_replaced_by_predictions(fails, tmp_path):
    names = ("new.csv", "model.csv")
    for name in names:
        (tmp_path / name).write_text("x\n1\n")
    for name in names:
        assert f"the output {name} would replace" in fails("predict", "model.csv", "new.csv", "-o", name)
        assert (tmp_path / name).read_text() == "x\n1\n"


def test_categories_that_the_model_never_saw_are_told(bncc, weather):
    drops = [word for name in ("id", "note", "tags") for word in ("--drop", name)]
    bncc("fit", weather, "--labels", "rain,wind", *drops, "-m", "br", "--base", "linear", "-o", "m", "-q")
    new = pd.DataFrame({"height": [0.1, 0.2, 0.3, 0.4], "sky": ["green", "blue", "grey", "pink"]})
    new.to_csv("new.csv", index=False)
    done = bncc("predict", "m", "new.csv", "-o", "p.csv", "--json")
    assert done.stderr == "Warning: column 'sky' holds levels that were not learned from: 2 of 4 rows.\n"
    assert json.loads(done.stdout)["unknown_categories"] == {"sky": 2}
    assert bncc("predict", "m", "new.csv", "-o", "p.csv", "--quiet").stderr == ""
    new[1:3].to_csv("known.csv", index=False)
    done = bncc("predict", "m", "known.csv", "-o", "p.csv", "--json")
    assert (done.stderr, json.loads(done.stdout)["unknown_categories"]) == ("", {})


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz"])
def test_names_that_a_spreadsheet_would_run(bncc, suffix):
    """Headers and copied cells; what was read with marks is written with marks, and read again without."""
    names = ["=1+1", "@rain", "-2", "'=x", "cr\rlf"]
    rows = [[f"=cmd|{i}", float(i), i % 2, 1 - i % 2, i % 2, 1 - i % 2, i % 2] for i in range(12)]
    table = pd.DataFrame(rows, columns=["+id", "-height", *names])
    table.to_parquet("t.parquet")
    labels = [word for name in names for word in ("-l", name)]
    bncc("fit", "t.parquet", *labels, "--drop", "+id", "-m", "br", "-o", "m.skops", "-q")
    bncc("predict", "m.skops", "t.parquet", "-o", f"p{suffix}", "--keep", "+id", "-q")
    separator = "\t" if suffix == ".tsv" else ","
    found = pd.read_csv(f"p{suffix}", sep=separator, lineterminator="\n")
    assert list(found)[:6] == ["'+id", "'=1+1", "'@rain", "-2", "''=x", "cr\rlf"]
    assert list(found)[6:9] == ["'=1+1_score", "'@rain_score", "'-2_score"]
    assert found["'+id"].tolist() == [f"'=cmd|{i}" for i in range(12)]
    bncc("predict", "m.skops", "t.parquet", "-o", f"raw{suffix}", "--keep", "+id", "--raw-names", "-q")
    raw = pd.read_csv(f"raw{suffix}", sep=separator, lineterminator="\n")
    assert list(raw)[:6] == ["+id", *names]
    assert raw["+id"].tolist() == [f"=cmd|{i}" for i in range(12)]


def test_converted_names_that_a_spreadsheet_would_run(bncc):
    names = ["=1+1", "@rain", "-2", "'=x"]
    pd.DataFrame([[i, i % 2, 1, 0, 1] for i in range(8)], columns=["-height", *names]).to_parquet("t.parquet")
    bncc("data", "convert", "t.parquet", "c.csv", "-l", "-4", "-q")
    assert Path("c.csv").read_text().splitlines()[0] == "'-height,'=1+1,'@rain,-2,''=x"
    assert column_names("c.csv") == ["-height", *names]
    bncc("data", "convert", "t.parquet", "c.csv", "-l", "-4", "--raw-names", "-q")
    assert Path("c.csv").read_text().splitlines()[0] == "-height,=1+1,@rain,-2,'=x"


def test_a_label_may_be_named_like_the_scores_of_another(bncc):
    Path("d.csv").write_text("x,A,A_score\n" + "1,1,0\n2,0,1\n3,1,1\n" * 8)
    bncc("fit", "d.csv", "-l", "A,A_score", "-m", "br", "-o", "m.bncc")
    bncc("predict", "m.bncc", "d.csv", "-o", "p.csv")
    assert list(pd.read_csv("p.csv")) == ["A", "A_score", "A__score", "A_score__score"]


def test_labels_that_are_called_as_scores_are_told_apart_quickly():
    names = [f"l{number}" for number in range(50_000)] + ["a"] + ["a" + "_" * run + "score" for run in range(1, 800)]
    with Stopwatch() as watch:
        suffix = _suffix("score", names)
    assert watch.processor < 2
    assert not {f"{name}{suffix}" for name in names} & set(names)
    assert _suffix("score", ["a", "a_score"]) == "__score"
    assert _suffix("probability", ["a", "a_score"]) == "_probability"


@pytest.mark.parametrize(
    ("names", "suffix"),
    [
        (["a", "a_score", "_" * 300_000 + "score"], "__score"),
        (["a", "a_", "a_score", "a___score"], "____score"),
        (["a", *(f"a{'_' * n}score" for n in (1, 2, 4))], "___score"),
        (["b", "a_score"], "_score"),
    ],
)
def test_a_long_name_makes_no_other_name_long(names, suffix):
    assert _suffix("score", names) == suffix
    assert not {f"{name}{suffix}" for name in names} & set(names)


def test_a_file_names_as_many_labels_as_its_model_has(fails, tmp_path):
    X, Y = np.arange(24.0).reshape(8, 3), np.tile([[0, 1], [1, 0]], (4, 1))
    pd.DataFrame(X, columns=["a", "b", "c"]).to_csv("rows.csv", index=False)
    model, table = BinaryRelevance(GaussianNB()).fit(X, Y), TableFeatures().fit(pd.DataFrame(X))
    schema = {"kind": "matrix", "features": ["a", "b", "c"], "categories": {}}
    for labels in (["u", "v", "w", "x"], ["u"], []):
        save_model(model, "other.bncc", notes={"schema": schema, "labels": labels})
        assert f"names {len(labels)} labels" in fails("predict", "other.bncc", "rows.csv", "-o", "p.csv")
    save_model(table, "table.bncc", notes={"schema": schema, "labels": ["u"]})
    assert "was not written by 'bncc fit'" in fails("explain", "table.bncc", "rows.csv")


def test_a_model_without_a_pipeline():
    model = BinaryRelevance(GaussianNB()).fit(np.eye(4), np.eye(4, dtype=int)[:, :2])
    table = _answers(model, np.eye(4), ["a", "b"], None, False)
    assert list(table) == ["a", "b", "a_score", "b_score"]
    assert table["a"].dtype == np.int8
    assert _surprises(model, np.eye(4)) == ()
