"""What any backend gets for nothing, shown by one of 40 lines."""

import inspect
import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import bncc
import centroid_backend
from bncc import BNCC, BatchSearchCV, BinaryRelevance, ClassifierChain, KernelSVC, TunedThresholds
from bncc.datasets import make_scenes
from bncc.multilabel.backend import FitOptions, TrainingRows
from bncc.multilabel.backends import backend_of
from bncc.multilabel.crossval import deal_folds, out_of_fold_scores
from bncc.multilabel.linked_classifier import LinkedClassifier
from bncc.multilabel.links import label_links
from bncc.multilabel.progress import tell_cost
from bncc.multilabel.targets import read_targets
from centroid_backend import CentroidBackend, Centroids

DATA = make_scenes(240, noise=1.5)
X, Y = np.asarray(DATA.X), np.asarray(DATA.Y)[:, :5]
METHODS = [
    kind
    for kind in vars(bncc).get("__all__")
    if isinstance(getattr(bncc, kind), type) and issubclass(getattr(bncc, kind), LinkedClassifier)
]


def test_a_backend_takes_less_than_forty_lines():
    source = inspect.getsource(centroid_backend)
    start = source.index("class Centroids(")
    assert len([line for line in source[start:].splitlines() if line.strip()]) < 40


@pytest.mark.parametrize("name", METHODS)
def test_every_method_takes_it(name):
    model = getattr(bncc, name)(Centroids())
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    model.fit(X[:160], Y[:160])
    assert type(model._solved).__name__ == "CentroidLinks"
    assert bncc.metrics.micro_f1(Y[160:], model.predict(X[160:])) > 0.45
    if hasattr(model, "predict_proba"):
        rates = model.predict_proba(X[160:])
        assert rates.shape == (80, 5)
        assert ((rates >= 0) & (rates <= 1)).all()


def test_links_are_those_of_the_classifier_itself():
    model = BinaryRelevance(Centroids()).fit(X, Y)
    for label in range(5):
        expected = NearestCentroid().fit(X, Y[:, label]).predict(X)
        np.testing.assert_array_equal(model.predict(X)[:, label], expected)
    chain = ClassifierChain(Centroids(), order=None).fit(X, Y)
    context = np.zeros((len(X), 0))
    for label in range(5):
        link = NearestCentroid().fit(np.hstack([X, Y[:, :label]]), Y[:, label])
        predicted = link.predict(np.hstack([X, context]))
        np.testing.assert_array_equal(chain.predict(X)[:, label], predicted)
        context = np.column_stack([context, predicted])


def test_held_out_scores_are_those_of_fits_without_the_rows():
    model, targets = BNCC(Centroids()), read_targets(Y)
    folds = deal_folds(targets, 3)
    scores = out_of_fold_scores(model, X, targets, folds)
    for train, test in folds:
        expected = clone(model).fit(X[train], Y[train]).decision_function(X[test])
        np.testing.assert_allclose(scores[test], expected, atol=1e-12)


def test_thresholds_calibration_and_search():
    tuned = TunedThresholds(BNCC(Centroids())).fit(X, Y)
    assert tuned.thresholds_.any()
    rates = BinaryRelevance(Centroids()).fit(X, Y).predict_proba(X)
    assert ((rates > 0.5) == (BinaryRelevance(Centroids()).fit(X, Y).predict(X) == 1)).all()
    search = BatchSearchCV(TunedThresholds(BNCC(Centroids())), {"shrinkage": [0.0, 0.5, 1.0]}, cv=3).fit(X, Y)
    assert search.best_estimator_.estimator.estimator.shrinkage == search.best_params_["shrinkage"]
    assert search.cv_results_["mean_test_score"][2] < search.best_score_  # full shrinkage knows nothing


@pytest.mark.parametrize("inference", ["beam", "exhaustive", "monte_carlo"])
def test_probabilistic_inference_calibrates_its_links(inference):
    chain = ClassifierChain(Centroids(), order=None, inference=inference, random_state=0).fit(X, Y)
    marginals = chain.predict_proba(X)
    assert marginals.shape == Y.shape
    assert np.corrcoef(marginals.ravel(), Y.ravel())[0, 1] > 0.4


@pytest.mark.parametrize("base", [Centroids(), KernelSVC(C=100.0, sigma=0.5), LogisticRegression()])
def test_cost_is_said_beforehand_and_grows(base):
    backend = backend_of(base)
    data = make_scenes(12000, noise=1.5)

    def seconds(n_rows, n_labels):
        rows = TrainingRows(np.asarray(data.X[:n_rows]), read_targets(np.asarray(data.Y)[:n_rows, :n_labels]))
        links = label_links(rows.targets.columns(), data.label_names[:n_labels])
        return backend.seconds(links, rows, FitOptions())

    def grows():
        one = min(seconds(2400, 1) for _ in range(3))
        assert 0 < one < 60
        return min(seconds(2400, 5) for _ in range(3)) > 2 * one and seconds(12000, 5) > 2 * one

    assert any(grows() for _ in range(4))  # a machine that does other things meanwhile may hide it for a while


@pytest.mark.parametrize(
    ("base", "n_rows"),
    [
        (KernelSVC(), 3000),
        (KernelSVC(C=100.0, sigma=0.5), 2000),
        (LogisticRegression(), 4000),
        (DecisionTreeClassifier(random_state=0), 1000),
        (SVC(), 1500),
    ],
)
def test_cost_is_about_what_a_fit_takes(base, n_rows):
    """On sizes that are not timed for it; the machine may be busy: each is the least of some, at one of four tries."""
    data = make_scenes(n_rows, random_state=0)
    rows, options = TrainingRows(np.asarray(data.X, np.float64), read_targets(data.Y)), FitOptions()
    links = label_links(rows.targets.columns(), data.label_names)
    backend, seen = backend_of(base), []

    def is_about_right():
        expected = min(backend.seconds(links, rows, options) for _ in range(2))
        taken = min(_seconds_of_a_fit(backend, links, rows) for _ in range(2))
        seen.append((expected, taken))
        return taken / 5 < expected < 5 * taken

    assert any(is_about_right() for _ in range(4)), seen


def _seconds_of_a_fit(backend, links, rows):
    begin = time.perf_counter(), time.process_time()
    backend.fit(links, rows, FitOptions())
    return min(time.perf_counter() - begin[0], time.process_time() - begin[1])


def test_cost_counts_those_who_work_at_a_time():
    targets = read_targets(Y)
    rows = TrainingRows(X, targets)
    links = label_links(targets.columns(), [str(label) for label in range(targets.n_labels)])
    tree = backend_of(DecisionTreeClassifier())
    assert [tree.n_workers(FitOptions(n_jobs=n)) for n in (None, 1, 4)] == [1, 1, 4]
    assert [backend_of(KernelSVC(n_jobs=3)).n_workers(FitOptions(n_jobs=n)) for n in (None, 2)] == [3, 2]

    def is_shared():
        alone, shared = (min(tree.seconds(links, rows, FitOptions(n_jobs=n)) for _ in range(3)) for n in (1, 8))
        return shared < 0.5 * alone

    assert any(is_shared() for _ in range(4))


def test_verbose_says_the_cost(capsys):
    BinaryRelevance(Centroids(), verbose=1).fit(X, Y)
    assert f"{Y.shape[1]} links to learn: less than a second" in capsys.readouterr().err
    tell_cost(7, 12.3)
    assert capsys.readouterr().err == "7 links to learn: about 12 s\n"


def test_backends_that_share_nothing_say_so():
    with pytest.raises(TypeError, match="CentroidBackend shares nothing between folds"):
        CentroidBackend(Centroids()).decide_folds(None, [], FitOptions())
