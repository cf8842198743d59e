import numpy as np
import pytest
from scipy import sparse

from blend_problems import X, Y, problem_of
from bncc.metrics import macro_auc
from bncc.multilabel import FAMILIES
from bncc.multilabel.blending.clock import Clock

FAMILY = FAMILIES["label sets"]


@pytest.mark.parametrize(
    "options", [{}, {"once": True}, {"unknown": True}, {"missing": True, "make": sparse.csr_array}]
)
def test_sets_and_marginals(options):
    problem = problem_of(**options)
    tried = FAMILY.try_out(problem, Clock(), 0.0, {"trees": 40})
    np.testing.assert_allclose(tried.set_rates.sum(axis=1), 1.0)
    assert tried.set_rates.shape == (problem.tested.size, len(tried.sets))
    part = FAMILY.fit(problem, tried, Clock())
    new = sparse.csr_array(X[200:]) if "make" in options else X[200:]
    assert macro_auc(Y[200:], part.rates(new)) > (0.6 if "unknown" in options else 0.68)
    np.testing.assert_allclose(part.of_sets(part.set_rates(new)), part.rates(new))


def test_groups_and_single_labels_do_not_suit():
    assert FAMILY.suits(problem_of())
    assert not FAMILY.suits(problem_of(groups=np.arange(160) // 4))
