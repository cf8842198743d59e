"""The constructor for people who do not want to choose."""

import numpy as np
import pytest

from blend_problems import X, Y
from bncc.metrics import example_f1
from bncc.multilabel import BinaryRelevance, Blend, recommended


def test_it_is_a_blend_of_all_families_with_what_was_asked_for():
    model = recommended("MacF", time_limit=7, n_jobs=2, engine="cpu", random_state=3, verbose=0)
    assert isinstance(model, Blend)
    assert (model.metric, model.time_limit, model.families, model.random_state) == ("MacF", 7, None, 3)
    with pytest.raises(ValueError, match="There is no metric 'f1'"):
        recommended("f1")


@pytest.mark.slow
def test_it_beats_plain_svms_and_gives_probabilities():
    model = recommended(random_state=0).fit(X[:200], Y[:200])
    plain = BinaryRelevance().fit(X[:200], Y[:200])
    assert example_f1(Y[200:], model.predict(X[200:])) > example_f1(Y[200:], plain.predict(X[200:])) + 0.01
    assert np.isfinite(model.predict_proba(X[200:])).all()
