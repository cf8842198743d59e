import numpy as np

from bncc.analysis.sensitivity_claim import sensitivity_claim, sensitivity_part
from bncc.experiment import Candidate
from bncc.metrics import PAPER_METRICS


def grid(score):
    """Candidates whose score, by every metric, is a function of log2 sigma and log2 C."""
    return [
        Candidate("emotions", "BNCC", 0, 0, 2.0**s, 2.0**c, dict.fromkeys(PAPER_METRICS.values(), score(s, c)))
        for s in range(-3, 4)
        for c in range(-2, 5)
    ]


def test_a_score_that_depends_on_sigma_alone_holds_the_claim():
    claim = sensitivity_claim(grid(lambda s, c: np.exp(-(s**2) / 4)))
    assert claim.is_held
    assert "C by 0.00 (0.00 at the best sigma)" in claim.remark


def test_a_score_that_depends_on_both_does_not():
    claim = sensitivity_claim(grid(lambda s, c: np.exp(-(s**2) / 4) + 0.1 * c))
    assert not claim.held
    assert "C by 0.60" in claim.remark


def test_the_part_has_a_line_per_metric_and_the_picture():
    lines = "\n".join(sensitivity_part(grid(lambda s, c: 0.1 * s + 0.01 * c), "picture.svg"))
    assert lines.count("| 0.6000 |") or lines.count("0.6000") == 4
    assert "(picture.svg)" in lines
    assert sensitivity_part([]) == []
