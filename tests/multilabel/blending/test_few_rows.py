from dataclasses import replace

from blend_problems import problem_of
from bncc.multilabel import FAMILIES
from bncc.multilabel.blending.few_rows import OfFewRows


def test_on_few_rows_boosted_trees_are_for_little_work():
    boosted = FAMILIES["boosted trees"]
    problem = problem_of(300)
    assert boosted.must_lead(problem)
    assert boosted.suits(problem)
    for few in (OfFewRows(1000, 2, 5e5), OfFewRows(1000, 16, 100.0)):
        assert not replace(boosted, few_rows=few).suits(problem)
    many = replace(boosted, few_rows=OfFewRows(300, 0, 0.0))
    assert many.suits(problem)
    assert not many.must_lead(problem)
    assert not FAMILIES["linear"].must_lead(problem)
