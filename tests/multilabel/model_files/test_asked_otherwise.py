"""What is asked beside answers for rows crashes and eats nothing: learning on, other settings, names, an index."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import AdaBoostClassifier, StackingClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import PassiveAggressiveClassifier, SGDClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestNeighbors
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from bncc.multilabel import load_model, save_model
from model_cases import DATA, X_SPARSE, Y_THREE, Y_TWO
from model_refusals import refused


def kept(model, folder):
    return load_model(save_model(model, folder / "model.bncc"))


def field(name, array):
    """An edit that puts an array into a field."""

    def edit(fields, members):
        members["other.npy"] = array
        fields[name] = {"array": "other.npy"}

    return edit


AVERAGED = {
    "one feature": ("_average_coef", np.zeros((1, 1))),
    "no feature": ("_standard_coef", np.zeros((1, 0))),
    "rows of three classes": ("_standard_coef", np.zeros((3, DATA.X.shape[1]))),
    "no row": ("_standard_coef", np.zeros(())),
    "other intercepts": ("_average_intercept", np.zeros(0)),
}


@pytest.mark.parametrize("case", AVERAGED)
@pytest.mark.parametrize("kind", [SGDClassifier, PassiveAggressiveClassifier])
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_weights_that_partial_fit_goes_on_with_are_those_of_the_features(tmp_path, kind, case):
    model = kind(average=True, random_state=0).fit(DATA.X, Y_TWO)
    refused(tmp_path, model, kind.__name__, field(*AVERAGED[case]), "where|dimensions")


@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize("y", [Y_TWO, Y_THREE], ids=["two", "three"])
def test_partial_fit_goes_on_as_if_the_model_had_never_been_kept(tmp_path, average, y):
    model = SGDClassifier(average=average, random_state=0).fit(sparse.csr_array(DATA.X), y)
    again = kept(model, tmp_path)
    assert np.array_equal(model.partial_fit(DATA.X, y).coef_, again.partial_fit(DATA.X, y).coef_)


def test_support_vectors_are_rows_that_there_were(tmp_path):
    """Of a kernel that is given, they are the columns that compiled code reads."""

    def far(fields, members):
        members["other.npy"] = np.full(members[fields["support_"]["array"]].size, 2**30, np.int32)
        fields["support_"] = {"array": "other.npy"}

    refused(tmp_path, SVC().fit(DATA.X, Y_TWO), "SVC", far, "rows that it was not fitted to")


@pytest.mark.parametrize("method", ["predict", "decision_function"])
def test_sparse_support_vectors_take_no_kernel_that_is_given(tmp_path, method):
    model = kept(SVC().fit(X_SPARSE, Y_THREE), tmp_path).set_params(kernel="precomputed")
    with pytest.raises(ValueError, match="fit it to dense rows"):
        getattr(model, method)(X_SPARSE)


def test_an_svc_that_was_not_fitted_says_so(tmp_path):
    with pytest.raises(NotFittedError):
        kept(SVC(), tmp_path).set_params(kernel="precomputed").predict(DATA.X)


def test_a_kernel_that_is_given_can_be_fitted_to_again(tmp_path):
    model = kept(SVC().fit(X_SPARSE, Y_THREE), tmp_path).set_params(kernel="precomputed")
    kernel = DATA.X @ DATA.X.T
    answers = SVC(kernel="precomputed").fit(kernel, Y_THREE).predict(kernel)
    assert np.array_equal(model.fit(kernel, Y_THREE).predict(kernel), answers)


@pytest.mark.parametrize("method", ["staged_decision_function", "staged_predict", "staged_predict_proba"])
def test_stages_of_boosting_take_one_answer_for_a_row(tmp_path, method):
    model = AdaBoostClassifier(n_estimators=2).fit(DATA.X, Y_THREE)
    stages = list(getattr(model, method)(DATA.X))
    again = list(getattr(kept(model, tmp_path), method)(DATA.X))
    assert len(stages) == 2
    assert all(np.array_equal(*pair) for pair in zip(stages, again, strict=True))
    model.estimators_ = [MultiOutputClassifier(GaussianNB()).fit(DATA.X, DATA.Y)] * 2
    with pytest.raises(ValueError, match="where at most 1 a row can be"):
        next(getattr(kept(model, tmp_path), method)(DATA.X[:1]))


PARTS = [(f"part{number}", GaussianNB()) for number in range(3)]


def test_numbers_that_a_stack_has_names_for_are_paid_for(tmp_path):
    def many(fields, members):
        fields["_n_feature_outs"] = {"list": [2**17] * 3}

    refused(tmp_path, StackingClassifier(PARTS, cv=2).fit(DATA.X, Y_TWO), "StackingClassifier", many, "have names")


def test_features_that_a_stack_hands_on_are_paid_for(tmp_path):
    model = StackingClassifier([("tree", DecisionTreeClassifier())], cv=2, passthrough=True).fit(DATA.X, Y_TWO)
    assert len(kept(model, tmp_path).get_feature_names_out()) == 1 + DATA.X.shape[1]
    refused(tmp_path, model, "DecisionTreeClassifier", of_features(2**20), "have names")


def of_features(number):
    """An edit of a tree that was fitted: it says that it has seen so many features."""

    def edit(fields, members):
        if "tree_" in fields:
            fields["n_features_in_"] = fields["tree_"]["record"][1]["n_features"] = number

    return edit


def test_classes_that_voters_have_names_for_are_paid_for(tmp_path):
    def many(fields, members):
        members["classes.npy"] = np.arange(2**17, dtype=np.int32)
        fields["classes_"] = {"array": "classes.npy"}

    model = VotingClassifier(PARTS, voting="soft").fit(DATA.X, Y_TWO)
    refused(tmp_path, model, "VotingClassifier", many, "have names")


def test_an_index_of_neighbours_is_in_proportion_to_their_rows(tmp_path):
    """A leaf of one row makes two nodes of it, which take fifty times as much."""
    model = NearestNeighbors(leaf_size=1).fit(np.zeros((30, 1), np.float32))
    many = np.zeros((600_000, 1), np.float32)
    refused(tmp_path, model, "NearestNeighbors", field("_fit_X", many), "a leaf_size of 1; 30 is usual")


@pytest.mark.parametrize("settings", [{"algorithm": "brute", "leaf_size": 1}, {"leaf_size": 10}])
def test_neighbours_without_so_large_an_index_are_kept(tmp_path, settings):
    rows = np.arange(600_000, dtype=np.float32)[:, None]
    assert kept(NearestNeighbors(n_neighbors=1, **settings).fit(rows), tmp_path).n_samples_fit_ == len(rows)


@pytest.mark.parametrize(("solver", "name"), [("adam", "ms"), ("adam", "vs"), ("sgd", "velocities")])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_moments_of_a_network_are_those_of_its_weights(tmp_path, solver, name):
    """Rows of them would be spread over all weights."""
    model = MLPClassifier((5,), solver=solver, max_iter=3, random_state=0).fit(DATA.X, Y_TWO)
    again = kept(model, tmp_path).partial_fit(DATA.X, Y_TWO)
    assert np.array_equal(again.coefs_[0], model.partial_fit(DATA.X, Y_TWO).coefs_[0])

    def spread(fields, members):
        members["other.npy"] = np.zeros((1000, 1, 1))
        fields["_optimizer"]["record"][1][name]["list"][0] = {"array": "other.npy"}

    refused(tmp_path, model, "MLPClassifier", spread, "other weights than it has")
