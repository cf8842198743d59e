"""What every estimator does with its inputs and outputs, on those of the core."""

import pickle
from functools import partial

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from bncc.datasets import make_scenes
from bncc.metrics import evaluate, get_scorer
from bncc.multilabel import BNCC, BinaryRelevance, ClassifierChain, MLkNN, TunedThresholds
from bncc.multilabel import base as base_module
from bncc.selection import BatchSearchCV
from bncc.svm import KernelSVC
from link_kinds import BASES, DATA, KINDS, LOGISTIC, X, Y

each_kind = pytest.mark.parametrize("kind", KINDS)
each_base = pytest.mark.parametrize("base", BASES)
NOT_WEIGHT_EQUIVALENT = {
    f"check_sample_weight_equivalence_on_{form}_data": "an SVM's calibration folds and tolerance see repeated rows"
    for form in ("dense", "sparse")
}


OF_SEVERAL_CLASSES = {
    "check_supervised_y_2d": "a column of classes is learned as it stands, a single y one class against the rest"
}


@each_kind
@each_base
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_checks(kind, base):
    expected = (NOT_WEIGHT_EQUIVALENT if base == "engine" else {}) | (OF_SEVERAL_CLASSES if kind == "BR" else {})
    results = check_estimator(KINDS[kind](clone(BASES[base])), on_fail=None, expected_failed_checks=expected)
    failed = [(r["check_name"], str(r["exception"])) for r in results if r["status"] == "failed"]
    assert failed == []
    assert sum(r["status"] == "passed" for r in results) > 50


@each_kind
@each_base
def test_answers_agree_with_each_other(kind, base):
    model = KINDS[kind](BASES[base]).fit(X, Y)
    labels, scores, rates = model.predict(X), model.decision_function(X), model.predict_proba(X)
    assert labels.shape == scores.shape == rates.shape == Y.shape
    assert np.array_equal(labels, scores > 0)
    assert np.array_equal(labels, rates > 0.5)
    assert model.score(X, Y) == (labels == Y).all(axis=1).mean()
    assert labels.dtype == Y.dtype


@each_kind
@each_base
def test_forms_of_input_give_the_same(kind, base):
    pd = pytest.importorskip("pandas")
    expected = KINDS[kind](BASES[base]).fit(X, Y).predict(X)
    frame_x = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    frame_y = pd.DataFrame(Y, columns=list(DATA.label_names))
    model = KINDS[kind](BASES[base]).fit(frame_x, frame_y)
    assert np.array_equal(model.predict(frame_x), expected)
    assert model.label_names_ == DATA.label_names
    assert list(model.feature_names_in_) == list(frame_x.columns)
    assert np.array_equal(KINDS[kind](BASES[base]).fit(X, Y.tolist()).predict(X), expected)
    for y in (sparse.csr_array(Y), sparse.csc_matrix(Y)):
        predicted = KINDS[kind](BASES[base]).fit(X, y).predict(X)
        assert type(predicted) is (sparse.csr_array if isinstance(y, sparse.sparray) else sparse.csr_matrix)
        assert np.array_equal(predicted.toarray(), expected)
    thin = sparse.csr_array(np.where(np.abs(X) > 1, X, 0))
    dense = KINDS[kind](BASES[base]).fit(thin.toarray(), Y).decision_function(thin.toarray())
    assert KINDS[kind](BASES[base]).fit(thin, Y).decision_function(thin) == pytest.approx(dense, abs=5e-3)


@pytest.mark.parametrize("dtype", [np.int64, np.int8, bool, np.float64])
def test_sparse_labels_come_back_sparse(dtype, monkeypatch):
    y = sparse.csc_array(Y.astype(dtype))
    model = BNCC(LOGISTIC).fit(X, y)
    whole = model.predict(X)
    whole_numbers = np.dtype(np.int64 if dtype is np.float64 else dtype)
    assert (type(whole), whole.dtype, whole.shape) == (sparse.csr_array, whole_numbers, Y.shape)
    assert whole.nnz == whole.astype(int).sum() == (model.decision_function(X) > 0).sum()
    assert model.score(X, y) == model.score(X, Y) == (whole.toarray() == Y).all(axis=1).mean()
    assert isinstance(model.predict_proba(X), np.ndarray)
    monkeypatch.setattr(base_module, "_SCORES", 7 * Y.shape[1])
    rows_asked = []
    labels = BNCC._labels
    monkeypatch.setattr(BNCC, "_labels", lambda self, rows: rows_asked.append(len(rows)) or labels(self, rows))
    assert (model.predict(X) != whole).nnz == 0
    assert max(rows_asked) == 7
    assert sum(rows_asked) == len(X)


def test_sparse_labels_as_a_frame_on_request():
    pytest.importorskip("pandas")
    model = BNCC(LOGISTIC).set_output(predict="pandas").fit(X, sparse.csr_array(Y))
    sparse_predictions = model.predict(X)
    assert list(sparse_predictions.columns) == list(model.label_names_)
    assert sparse_predictions.to_numpy().tolist() == BNCC(LOGISTIC).fit(X, Y).predict(X).tolist()


def test_one_sparse_column_and_unknown_entries_come_back_sparse():
    single = BinaryRelevance(LOGISTIC).fit(X, sparse.csr_matrix(Y[:, :1])).predict(X)
    assert (type(single), single.shape) == (sparse.csr_matrix, (len(X), 1))
    lost = Y.astype(float)
    lost[:5, 0] = np.nan
    predicted = BinaryRelevance(LOGISTIC).fit(X, sparse.csr_array(lost)).predict(X)
    assert np.array_equal(predicted.toarray(), BinaryRelevance(LOGISTIC).fit(X, lost).predict(X))


def test_searches_take_sparse_labels():
    y = sparse.csr_matrix(Y)
    model = BinaryRelevance(KernelSVC())
    theirs = GridSearchCV(model, {"estimator__C": [0.1, 10.0]}, scoring="f1_macro", cv=3)
    ours = BatchSearchCV(model, {"C": [0.1, 10.0]}, scoring=get_scorer("example_f1"), cv=3)
    for search in (theirs, ours):
        scores = [clone(search).fit(X, form).cv_results_["mean_test_score"] for form in (Y, y)]
        assert scores[0] == pytest.approx(scores[1])
    predicted = ours.fit(X, y).predict(X)
    assert type(predicted) is sparse.csr_matrix
    assert evaluate(y, predicted) == pytest.approx(evaluate(Y, predicted.toarray()))


def test_frames_come_back_on_request():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(Y, columns=list(DATA.label_names))
    model = BNCC(LOGISTIC).set_output(predict="pandas").fit(X, frame)
    out = model.predict(X[:3])
    assert list(out.columns) == list(DATA.label_names)
    assert isinstance(model.set_output(predict="default").predict(X[:3]), np.ndarray)
    with pytest.raises(ValueError, match='"pandas"'):
        model.set_output(predict="arrow")


@each_kind
@each_base
def test_hard_labels(kind, base):
    """Constant labels, a label with one positive row, rows without labels."""
    y = Y.copy()
    y[:, 0], y[:, 1], y[:, 2] = 0, 1, 0
    y[5, 2] = 1
    y[10:20] = 0
    y[10:20, 1] = 1
    model = KINDS[kind](BASES[base]).fit(X, y)
    labels = model.predict(X)
    assert (labels[:, 0] == 0).all()
    assert (labels[:, 1] == 1).all()
    assert np.isfinite(model.decision_function(X)).all()
    assert ((model.predict_proba(X) >= 0) & (model.predict_proba(X) <= 1)).all()
    one = KINDS[kind](BASES[base]).fit(X, Y[:, :1])
    assert one.predict(X).shape == (len(X), 1)
    few = KINDS[kind](BASES[base]).fit(X[:2], np.array([[1, 0], [0, 1]]))
    assert few.predict(X[:2]).shape == (2, 2)


@each_kind
@each_base
def test_unknown_labels(kind, base):
    """A link learns from the rows whose target is known; unknown context counts as 0."""
    y = Y.astype(float)
    y[::7, 0] = np.nan
    y[:, 3] = np.nan
    model = KINDS[kind](BASES[base]).fit(X, y)
    assert (model.predict(X)[:, 3] == 0).all()  # nothing known: the label is never predicted
    if kind == "BR":
        known = ~np.isnan(y[:, 0])
        alone = KINDS[kind](BASES[base]).fit(X[known], Y[known][:, [0]])
        if base == "logistic":
            assert np.allclose(alone.decision_function(X)[:, 0], model.decision_function(X)[:, 0])


def test_unknown_context_counts_as_zero():
    y = Y.astype(float)
    y[::5, 0] = np.nan
    filled = np.nan_to_num(y)
    first = ClassifierChain(LOGISTIC, order=None).fit(X, y)
    second = ClassifierChain(LOGISTIC, order=None).fit(X, filled)
    # From the second link on the targets are the same and so is the context.
    coefs = [[e.coef_ for e in model._solved.estimators[1:]] for model in (first, second)]
    assert all(np.array_equal(a, b) for a, b in zip(*coefs, strict=True))


@each_kind
def test_one_dimensional_targets(kind):
    names = np.where(Y[:, 0] == 1, "rural", "city")
    model = KINDS[kind](LOGISTIC).fit(X, names)
    assert model.predict(X).shape == (len(X),)
    assert set(model.predict(X)) == {"rural", "city"}
    assert model.classes_.tolist() == ["city", "rural"]
    assert model.predict_proba(X).shape == (len(X), 2)
    assert model.decision_function(X).shape == (len(X),)
    if kind != "BR":
        with pytest.raises(ValueError, match="Only binary classification is supported"):
            KINDS[kind](LOGISTIC).fit(X, np.arange(len(X)) % 3)


@each_kind
@each_base
def test_columns_of_two_values_are_labels_by_another_name(kind, base):
    plain = KINDS[kind](BASES[base]).fit(X, Y)
    words = np.where(Y == 1, "yes", "no")
    named = KINDS[kind](BASES[base]).fit(X, words)
    np.testing.assert_array_equal(named.predict(X), np.where(plain.predict(X) == 1, "yes", "no"))
    np.testing.assert_array_equal(named.decision_function(X), plain.decision_function(X))
    np.testing.assert_array_equal(named.predict_proba(X), plain.predict_proba(X))
    assert [each.tolist() for each in named.classes_] == [["no", "yes"]] * 10
    weight = np.arange(1.0, len(X) + 1)
    assert named.score(X, words) == plain.score(X, Y)
    assert named.score(X, words, weight) == pytest.approx(plain.score(X, Y, weight))
    with pytest.raises(ValueError, match=r"shape of the predictions, \(160, 10\); got \(160, 3\)"):
        named.score(X, words[:, :3])
    signs = KINDS[kind](BASES[base]).fit(X, 2 * Y - 1)
    np.testing.assert_array_equal(signs.predict(X), 2 * plain.predict(X) - 1)


@each_kind
@pytest.mark.parametrize("base", ["tree", "engine"])
def test_same_seed_same_answer_whatever_n_jobs(kind, base):
    tree = DecisionTreeClassifier(max_features=3)  # random without a seed of its own
    make = partial(KINDS[kind], tree if base == "tree" else BASES[base])
    answers = [make(n_jobs=jobs, **({} if kind in ("CC", "ECC") else {"random_state": 0})).fit(X, Y) for jobs in (1, 2)]
    assert np.array_equal(answers[0].decision_function(X), answers[1].decision_function(X))


@each_base
def test_inside_scikit_learn_tools(base):
    pipe = make_pipeline(StandardScaler(), BNCC(clone(BASES[base])))
    assert pipe.fit(X, Y).predict(X).shape == Y.shape
    for method in ("predict", "decision_function", "predict_proba"):
        assert cross_val_predict(pipe, X, Y, cv=2, method=method).shape == Y.shape
    search = GridSearchCV(BNCC(clone(BASES[base])), {"max_children": [1, None], "estimator__C": [0.1, 10.0]}, cv=2)
    assert set(search.fit(X, Y).best_params_) == {"max_children", "estimator__C"}
    assert clone(search.best_estimator_).max_children == search.best_estimator_.max_children


@each_kind
def test_pickles_answer_the_same(kind):
    for base in BASES.values():
        model = KINDS[kind](base).fit(X, Y)
        again = pickle.loads(pickle.dumps(model))
        assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
        assert np.array_equal(again.decision_function(X), model.decision_function(X))


def test_sample_weight():
    weight = np.zeros(len(X))
    weight[:80] = 1.0
    for base in BASES.values():
        weighted = BinaryRelevance(base).fit(X, Y, sample_weight=weight).decision_function(X)
        fewer = BinaryRelevance(base).fit(X[:80], Y[:80]).decision_function(X)
        if base is LOGISTIC:
            assert weighted == pytest.approx(fewer, abs=1e-3)
        assert not np.allclose(weighted, BinaryRelevance(base).fit(X, Y).decision_function(X), atol=1e-3)
    with pytest.raises(ValueError, match="does not take it"):
        BinaryRelevance(KNeighborsClassifier()).fit(X, Y, sample_weight=weight)
    for wrong, message in [(weight[:5], "one value per row"), (-weight, "not negative"), (weight * 0, "all are zero")]:
        with pytest.raises(ValueError, match=message):
            BinaryRelevance(LOGISTIC).fit(X, Y, sample_weight=wrong)


def test_metadata_routing():
    weight = np.random.default_rng(0).random(len(X))
    with sklearn.config_context(enable_metadata_routing=True):
        model = BNCC(LOGISTIC).set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        result = cross_validate(model, X, Y, cv=2, params={"sample_weight": weight}, return_estimator=True)
    half = result["estimator"][0]
    rows = np.arange(len(X))[len(X) // 2 :]
    direct = BNCC(LOGISTIC).fit(X[rows], Y[rows], sample_weight=weight[rows])
    assert np.allclose(half.decision_function(X), direct.decision_function(X))


def test_the_best_labels_of_each_row_without_all_scores(monkeypatch):
    data = make_scenes(60)
    for model in (BinaryRelevance(LogisticRegression()), MLkNN(), TunedThresholds(BinaryRelevance(LOGISTIC))):
        model.fit(data.X, data.Y)
        scores = model.decision_function(data.X)
        expected = np.argsort(-scores, axis=1, kind="stable")[:, :3]
        monkeypatch.setattr(base_module, "_SCORES", 70)
        labels, highest = model.predict_top(data.X, 3)
        np.testing.assert_array_equal(labels, expected)
        np.testing.assert_allclose(highest, np.take_along_axis(scores, expected, axis=1), atol=1e-12)
        for k in (0, 11, 2.0):
            with pytest.raises(ValueError, match="`k` must be a whole number from 1 to 10, the number of labels"):
                model.predict_top(data.X, k)


@pytest.mark.parametrize("where", ["indices", "indptr"])
def test_broken_sparse_rows_are_refused(where):
    X = sparse.random_array((40, 300), density=0.05, rng=np.random.default_rng(0), format="csr")
    Y = np.arange(80).reshape(40, 2) % 3 % 2
    model, broken = BinaryRelevance().fit(X, Y), X.copy()
    getattr(broken, where)[5] = 2**30
    for call in (lambda: BinaryRelevance().fit(broken, Y), lambda: model.predict(broken)):
        with pytest.raises(ValueError, match=f"{where} of `X`|`{where}` of `X`"):
            call()


@pytest.mark.parametrize("dtype", [object, np.float16, ">i4", "Int8", "boolean", "category"])
def test_score_takes_the_labels_that_fit_takes(dtype):
    pd = pytest.importorskip("pandas")
    labels = pd.DataFrame(Y).astype(dtype) if dtype in ("Int8", "boolean", "category") else Y.astype(dtype)
    model = BinaryRelevance(LOGISTIC).fit(X, labels)
    assert model.score(X, labels) == BinaryRelevance(LOGISTIC).fit(X, Y).score(X, Y)


def test_score_says_that_labels_are_unknown():
    unknown = np.where(np.arange(Y.shape[1]) == 1, np.nan, Y)
    with pytest.raises(ValueError, match=r"missing value\(s\) \(NaN\)\. Drop those rows"):
        BinaryRelevance(LOGISTIC).fit(X, unknown).score(X, unknown)


def test_dates_are_no_numbers():
    with pytest.raises(ValueError, match=r"`X` must hold real numbers; got dtype datetime64"):
        BinaryRelevance(LOGISTIC).fit(X.astype("datetime64[s]"), Y)
