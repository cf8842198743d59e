import numpy as np
import pytest
from sklearn.metrics import get_scorer_names

from bncc import BinaryRelevance, LinearSVC
from bncc.datasets import make_scenes
from bncc.metrics import get_metric, get_scorer
from bncc.selection import BatchSearchCV
from bncc.selection.named_scorers import named_scorer

DATA = make_scenes(120, random_state=0)


def _scores(scoring, **options):
    search = BatchSearchCV(BinaryRelevance(LinearSVC()), {"C": [0.1, 10.0]}, scoring=scoring, cv=3, **options)
    return search.fit(DATA.X, DATA.Y).cv_results_


def test_names_of_scikit_learn_are_left_to_it():
    for name in [*get_scorer_names(), None, np.mean]:
        assert named_scorer(name) is name


@pytest.mark.parametrize("scoring", ["example_f1", "precision_at_2", "MacF", get_metric("example_f1")])
def test_names_of_our_metrics_are_scorers(scoring):
    found, expected = _scores(scoring), _scores(get_scorer(scoring))
    np.testing.assert_array_equal(found["mean_test_score"], expected["mean_test_score"])


def test_names_of_both_in_one_search():
    for scoring in (["f1_micro", "example_f1"], {"f1_micro": "f1_micro", "example_f1": "example_f1"}):
        found = _scores(scoring, refit="example_f1")
        np.testing.assert_array_equal(found["mean_test_example_f1"], _scores("example_f1")["mean_test_score"])
        np.testing.assert_array_equal(found["mean_test_f1_micro"], _scores("f1_micro")["mean_test_score"])


def test_a_name_that_neither_knows_suggests_those_of_both():
    with pytest.raises(ValueError, match=r"`scoring` names no metric; got 'exampel_f1': did you mean 'example_f1'"):
        _scores("exampel_f1")
    with pytest.raises(ValueError, match="did you mean 'f1_macro'"):
        named_scorer("f1_macr")
    with pytest.raises(ValueError, match="known: `bncc"):
        named_scorer("???")
