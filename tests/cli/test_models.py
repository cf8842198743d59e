import numpy as np
import pytest

pd = pytest.importorskip("pandas")

from bncc.cli.methods import METHODS  # noqa: E402
from bncc.cli.models import choose_base, make_model  # noqa: E402
from bncc.cli.source import Source, source_of  # noqa: E402
from bncc.datasets import make_dataset, make_scenes  # noqa: E402
from bncc.multilabel import load_model, save_model  # noqa: E402

DATA = make_scenes(60)


@pytest.mark.parametrize("base", ["kernel", "linear"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_and_can_be_kept(method, base, tmp_path):
    data = make_dataset(DATA.X[:, :5], DATA.Y[:, :3])
    model = make_model(method, source_of(data), base=base, metric="micro_f1", seed=0).fit(data.X, data.Y_frame)
    again = load_model(save_model(model, tmp_path / "m"))
    assert np.array_equal(again.predict(data.X), model.predict(data.X))
    assert (np.asarray(model.predict(data.X)) == data.Y).mean() > 0.6


def test_missing_values_are_filled(tmp_path):
    X = DATA.X.copy()
    X[::7, 0] = np.nan
    data = make_dataset(X, DATA.Y)
    model = make_model("br", source_of(data), base="kernel", metric="example_f1", seed=0).fit(data.X, data.Y_frame)
    assert model.predict(np.full((2, X.shape[1]), np.nan)).shape == (2, DATA.n_labels)


def test_rare_and_unknown_categories_do_no_harm():
    random = np.random.default_rng(0)
    X = pd.DataFrame({"word": [f"w{i % 300}" for i in range(400)], "n": random.normal(size=400)})
    Y = pd.DataFrame({"a": (X["n"] > 0).astype(np.int8), "b": (X["n"] > 1).astype(np.int8)})
    source = Source("t", "t", X, Y, {"kind": "table", "columns": {"word": "category", "n": "number"}})
    model = make_model("br", source, base="linear", metric="example_f1", seed=0).fit(X, Y)
    assert model.predict(pd.DataFrame({"n": [3.0], "word": ["never seen"]})).tolist() == [[1, 1]]


def test_auto_is_linear_for_text_and_for_many_rows():
    table = Source("t", "t", DATA.X, DATA.Y_frame, {"kind": "table", "columns": {"a": "text"}})
    assert choose_base("auto", table) == "linear"
    assert choose_base("auto", source_of(DATA)) == "kernel"
    assert choose_base("linear", source_of(DATA)) == "linear"
    many = Source("t", "t", np.zeros((20_001, 1)), None, {"kind": "matrix"})
    assert choose_base("auto", many) == "linear"


def test_text_without_a_word_is_named(fails, tmp_path):
    (tmp_path / "a.csv").write_text("x,body,y\n1,a b,0\n2,?!,1\n3,c,1\n")
    said = fails("fit", "a.csv", "--labels", "y", "--text", "body", "-o", "m")
    assert "the text column 'body' holds no word of two letters or more in any row. Leave it out: --drop 'body'" in said
