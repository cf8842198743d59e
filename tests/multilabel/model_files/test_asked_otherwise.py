"""What is asked beside answers for rows: learning on, other settings, importances and names crash and eat nothing."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import PassiveAggressiveClassifier, SGDClassifier

from bncc.multilabel import load_model, save_model
from model_cases import DATA, Y_THREE, Y_TWO
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
