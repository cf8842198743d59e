import math

import pytest

from bncc.analysis import check_claims, claims_table, paper, resampled_t
from bncc.analysis.claims import claims_part, verdict
from bncc.experiment import WHOLE, Record


def folds(gains, metric="micro_f1", dataset="yeast", base=0.6):
    return [
        Record(dataset, method, 0, fold, {metric: base + (gain if method == "BNCC" else 0)})
        for fold, gain in enumerate(gains)
        for method in ("CC", "BNCC")
    ]


def test_claims_are_the_printed_signs():
    records = [r for name in paper.results("MicF").datasets for r in folds([0.01, 0.02], dataset=name)]
    claims = check_claims(records, metrics=["MicF"])
    assert sum(claim.claimed > 0 for claim in claims) == 15
    assert sum(claim.claimed < 0 for claim in claims) == 3
    assert all(claim.found == 1 for claim in claims)


def test_lower_is_better_for_losses():
    [claim] = check_claims(folds([-0.01, -0.02], metric="hamming_loss"))
    assert claim.gain == pytest.approx(0.015)
    assert claim.printed_gain == pytest.approx(0.0035)


def test_tests_are_those_of_the_folds():
    gains = [0.01, 0.03, -0.01, 0.02, 0.04]
    [claim] = check_claims(folds(gains))
    assert claim.p_value == pytest.approx(resampled_t(gains, 5).p_value)
    assert claim.p_folds < claim.p_value
    assert claim.n_pairs == 5


@pytest.mark.parametrize(
    ("gains", "words"),
    [
        ([0.01, 0.011, 0.012, 0.01], "BNCC better, significantly"),
        ([0.05, -0.03, 0.02, -0.01], "BNCC better"),
        ([0.0, 0.0], "equal"),
        ([0.00001, 0.00002], "equal"),
        ([-0.05, 0.03, -0.02, 0.01], "CC better"),
        ([-0.01, -0.011, -0.012, -0.01], "CC better, significantly"),
        ([0.02], "BNCC better"),
    ],
)
def test_verdicts(gains, words):
    [claim] = check_claims(folds(gains))
    assert verdict(claim) == words
    assert claims_table([claim]).sections[0].rows[0][-1].text == words


def test_one_fold_and_pooled_scores_are_no_test():
    [claim] = check_claims([*folds([0.02]), Record("yeast", "CC", 0, WHOLE, {"micro_f1": 0.1})])
    assert math.isnan(claim.p_value)
    assert claim.n_pairs == 1


def test_the_part_counts_and_names_what_does_not_hold():
    text = "\n".join(claims_part([*folds([0.05, 0.05]), *folds([-0.05, -0.05], dataset="flags")], ["MicF"]))
    assert "in 2 of the 2 cells" in text
    assert "BNCC better, significantly: 1" in text
    assert "CC better, significantly: 1" in text
    assert "- MicF: flags" in text
    assert "no data set of the paper" in "\n".join(claims_part(folds([0.1], dataset="mine"), ["MicF"]))
