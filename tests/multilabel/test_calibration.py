import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from bncc.multilabel.calibration import apply_slopes, fit_slopes


def test_each_side_has_the_most_likely_slope():
    random = np.random.default_rng(0)
    scores = random.normal(size=400)
    positive = random.random(400) < 1 / (1 + np.exp(-np.where(scores < 0, 3.0, 1.0) * scores))
    n = positive.sum()
    target = np.where(positive, (n + 1) / (n + 2), 1 / (400 - n + 2))
    for side, found in zip((scores < 0, scores > 0), fit_slopes(scores, positive), strict=True):
        s, t = scores[side], target[side]
        loss = minimize_scalar(
            lambda a, s=s, t=t: (np.logaddexp(0, a * s) - t * a * s).sum(), bounds=(0, 50), method="bounded"
        )
        assert found == pytest.approx(loss.x, abs=1e-3)


@given(st.integers(0, 10_000), st.integers(1, 30))
@settings(max_examples=60)
def test_laws(seed, n):
    random = np.random.default_rng(seed)
    scores = np.round(random.normal(size=n), 1)
    slopes = np.array([fit_slopes(scores, random.random(n) < 0.3)])
    assert (slopes > 0).all()
    rates = apply_slopes(scores[:, None], slopes)[:, 0]
    assert ((rates > 0.5) == (scores > 0)).all()  # predicted exactly where more likely than not
    order = np.argsort(scores, kind="stable")
    assert (np.diff(rates[order]) >= 0).all()


def test_weights_count_like_repeated_rows():
    scores, positive = np.array([-1.0, 0.5, 2.0, -0.3]), np.array([False, True, True, True])
    repeated = np.repeat(np.arange(4), [1, 2, 3, 1])
    weighted = fit_slopes(scores, positive, np.array([1.0, 2.0, 3.0, 1.0]))
    assert weighted == pytest.approx(fit_slopes(scores[repeated], positive[repeated]))
