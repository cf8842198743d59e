"""Pipelines for matrices, tables and text."""

import numpy as np
import pytest
from scipy import sparse

pd = pytest.importorskip("pandas")

from bncc import TableWarning  # noqa: E402
from bncc.datasets import make_dataset, make_scenes  # noqa: E402
from bncc.evaluation import (  # noqa: E402
    METHODS,
    LabelledData,
    as_labelled,
    build_pipeline,
    choose_base,
    chosen_engine,
    chosen_values,
    label_table,
)
from bncc.linear import base  # noqa: E402
from bncc.multilabel import load_model, save_model  # noqa: E402

DATA = make_scenes(60)


@pytest.mark.parametrize("base", ["kernel", "linear"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_and_can_be_kept(method, base, tmp_path):
    data = make_dataset(DATA.X[:, :5], DATA.Y[:, :3])
    model = build_pipeline(as_labelled(data), method, base=base, metric="micro_f1").fit(data.X, data.Y_frame)
    again = load_model(save_model(model, tmp_path / "m"))
    assert np.array_equal(again.predict(data.X), model.predict(data.X))
    assert (np.asarray(model.predict(data.X)) == data.Y).mean() > 0.6


@pytest.mark.parametrize("method", ["br", "bncc", "recommended"])
def test_linear_pipelines_drop_small_weights_of_many_labels(method, monkeypatch):
    data = make_dataset(DATA.X, DATA.Y[:, :4])

    def weights():
        model = build_pipeline(as_labelled(data), method, base="linear", metric="micro_f1").fit(data.X, data.Y_frame)
        return getattr(model[-1], "estimator_", model[-1])._solved.solutions.weights

    assert not sparse.issparse(weights())
    monkeypatch.setattr(base, "AUTO_TARGETS", 4)
    monkeypatch.setattr(base, "AUTO_SHARE", 0.2)
    small = weights()
    assert sparse.issparse(small)
    assert 0 < small.nnz < 0.9 * np.prod(small.shape)


def test_missing_values_are_filled(tmp_path):
    X = DATA.X.copy()
    X[::7, 0] = np.nan
    data = make_dataset(X, DATA.Y)
    model = build_pipeline(data.X, "br", base="kernel").fit(data.X, data.Y_frame)
    assert model.predict(np.full((2, X.shape[1]), np.nan)).shape == (2, DATA.n_labels)


def test_rare_and_unknown_categories_do_no_harm():
    random = np.random.default_rng(0)
    X = pd.DataFrame({"word": [f"w{i % 300}" for i in range(400)], "n": random.normal(size=400)})
    Y = pd.DataFrame({"a": (X["n"] > 0).astype(np.int8), "b": (X["n"] > 1).astype(np.int8)})
    data = LabelledData("t", "t", X, Y, {"kind": "table", "columns": {"word": "category", "n": "number"}})
    model = build_pipeline(data, "br", base="linear").fit(X, Y)
    with pytest.warns(TableWarning, match="column 'word' holds levels that were not learned from"):
        assert model.predict(pd.DataFrame({"n": [3.0], "word": ["never seen"]})).tolist() == [[1, 1]]


def test_auto_is_linear_for_text_and_for_many_rows():
    table = LabelledData("t", "t", DATA.X, DATA.Y_frame, {"kind": "table", "columns": {"a": "text"}})
    assert choose_base("auto", table) == "linear"
    assert choose_base("auto", as_labelled(DATA)) == "kernel"
    assert choose_base("linear", as_labelled(DATA)) == "linear"
    many = LabelledData("t", "t", np.zeros((20_001, 1)), None, {"kind": "matrix"})
    assert choose_base("auto", many) == "linear"


def test_a_pipeline_follows_from_a_dataframe_alone():
    """As `bncc fit --text` makes it: the same steps on the same columns."""
    X = pd.DataFrame({"n": [1.0, np.nan, 3.0] * 4, "kind": ["a", "b", "a"] * 4, "body": ["red fox", "wolf", "fox"] * 4})
    Y = pd.DataFrame({"fox": [1, 0, 1] * 4, "red": [1, 0, 0] * 4})
    model = build_pipeline(X, text=["body"])
    assert model["features"].said() == {"n": "number", "kind": "category", "body": "text"}
    assert repr(model) == repr(build_pipeline(label_table(X, Y, text=["body"])))
    assert model.fit(X, Y).predict(X).tolist() == Y.to_numpy().tolist()


def test_the_engine_goes_to_every_kernel_and_the_seed_to_the_method():
    model = build_pipeline(DATA.X, "cc", random_state=7, engine="cpu")
    assert {value for name, value in model.get_params().items() if name.endswith("__engine")} == {"cpu"}
    assert model["model"].estimator.random_state == 7


def test_what_was_chosen_can_be_asked():
    model = build_pipeline(DATA.X, "br").fit(DATA.X, DATA.Y)
    assert set(chosen_values(model)) == {"sigma", "C"}
    assert chosen_engine(model).name in ("native", "numpy", "cuda")
    linear = build_pipeline(DATA.X, "br", base="linear").fit(DATA.X, DATA.Y)
    assert chosen_values(linear) == {}
    assert chosen_engine(linear) is None


def test_mistakes():
    with pytest.raises(ValueError, match="`base=` must be one of auto, kernel, linear; got 'rbf'"):
        build_pipeline(DATA.X, base="rbf")
    with pytest.raises(ValueError, match="there is no method 'brr'"):
        build_pipeline(DATA.X, "brr")
    with pytest.raises(ValueError, match="`text=` names columns of a DataFrame; got ndarray"):
        build_pipeline(DATA.X, text=["body"])
    with pytest.raises(ValueError, match="no column is named 'bdy'; did you mean 'body'"):
        build_pipeline(pd.DataFrame({"body": ["a fox"]}), text=["bdy"])
    with pytest.raises(ValueError, match="no word of two letters"):
        build_pipeline(pd.DataFrame({"body": ["a", "?!"]}), text=["body"])
